# loci_fuzz(<target> SOURCES x_fuzz.cc CORPUS folder LIBRARIES …)
#
# A fuzz target (LLVMFuzzerTestOneInput) whose corpus is replayed as a ctest with the label "fuzz". With LOCI_FUZZ it is
# linked with libFuzzer, so that `<target> folder` goes on to search for new inputs; otherwise a small main() replays.
include_guard()

function(loci_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} loci_warnings)
  if(LOCI_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc)
  endif()
  add_test(NAME ${name} COMMAND ${name} -runs=0 ${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS})
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${LOCI_TEST_TIMEOUT})
endfunction()
