# loci_module(<target> [SOURCES a.cc …] [TESTS a_test.cc …] [PUBLIC …] [PRIVATE …] [TEST_PRIVATE …])
#
# One folder as one static library, with the warnings and the include paths include/ and src/. A folder of headers alone
# leaves SOURCES out. TESTS become the executable <target>_tests, whose cases ctest runs one by one. PUBLIC are the
# targets that the folder's headers use, PRIVATE those that only its .cc files use, TEST_PRIVATE those of its tests.
include_guard()
include(GoogleTest)

# Our warnings, for all of our code and for nothing else.
# -Wsign-conversion (for clang a part of -Wconversion) is left out: it mostly asks for casts around SQLite's ints, and
# casts hide more than it finds.
add_library(loci_warnings INTERFACE)
target_compile_options(loci_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wcast-qual
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>  # takes the files of a unity build for headers
  "$<$<CXX_COMPILER_ID:Clang>:-Wthread-safety;-Wno-sign-conversion>"
  $<$<BOOL:${LOCI_WERROR}>:-Werror>)

# Tests themselves are compiled fast: not optimised, not watched for undefined behaviour. What they test is compiled as the
# preset says. (With AddressSanitizer that takes a third of the time.)
add_library(loci_test_options INTERFACE)
target_compile_options(loci_test_options INTERFACE -O0)
if(LOCI_SANITIZE)
  target_compile_options(loci_test_options INTERFACE -fno-sanitize=undefined)
endif()

# The macro LOCI_VERSION, for the few files that say it.
add_library(loci_version INTERFACE)
target_compile_definitions(loci_version INTERFACE LOCI_VERSION="${PROJECT_VERSION}")

# A precompiled header, shared by all targets that ask for it. What a file uses it still includes by itself: LOCI_PCH and
# LOCI_UNITY can be turned off, and then a missing include fails.
function(loci_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cc "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE loci_warnings ${arg_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

if(LOCI_PCH)
  # None of our own: ccache would hand one checkout the header that another, with another contract, has precompiled.
  set(common_headers <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
  loci_precompile(loci_pch_common HEADERS ${common_headers})
  loci_precompile(loci_pch_json HEADERS ${common_headers} <nlohmann/json.hpp> LIBRARIES dep::json)
  if(LOCI_TESTS)
    loci_precompile(loci_pch_gtest HEADERS ${common_headers} <gmock/gmock.h> <gtest/gtest.h> LIBRARIES dep::gtest loci_test_options)
  endif()
endif()

function(loci_use_precompiled target pch)
  if(LOCI_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

# Several files of a target as one, since most of the time goes into the headers that they share. So what a .cc file keeps
# for itself needs a name that is its own in the folder; a second one does not compile.
function(loci_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LOCI_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# loci_test(<executable> SOURCES … [LIBRARIES …] [TIMEOUT seconds] [LABELS …])
# A GoogleTest executable; for tests that cross folders. Unit tests come with their module.
function(loci_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(NOT LOCI_TESTS)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${LOCI_TEST_TIMEOUT})
  endif()
  add_executable(${name} ${arg_SOURCES})
  loci_compile_together(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} loci_warnings loci_test_options dep::gtest GTest::gmock_main)
  loci_use_precompiled(${name} loci_pch_gtest)
  set(labels)
  if(arg_LABELS)
    set(labels LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    TEST_PREFIX ${name}: PROPERTIES TIMEOUT ${arg_TIMEOUT} ${labels})
endfunction()

function(loci_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;PUBLIC;PRIVATE;TEST_PRIVATE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "loci_module(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(include_paths ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    loci_compile_together(${name})
    target_include_directories(${name} PUBLIC ${include_paths})
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} loci_warnings)
    if("dep::json" IN_LIST arg_PUBLIC OR "dep::json" IN_LIST arg_PRIVATE)
      loci_use_precompiled(${name} loci_pch_json)
    else()
      loci_use_precompiled(${name} loci_pch_common)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${include_paths})
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
  if(arg_TESTS)
    loci_test(${name}_tests SOURCES ${arg_TESTS} LIBRARIES ${name} ${arg_PRIVATE} ${arg_TEST_PRIVATE})
  endif()
endfunction()
