# What holds for every target, ours or not: how to compile and link fast, and the sanitizers.

find_program(LOCI_CCACHE ccache)
if(LOCI_CCACHE)
  # ccache refuses precompiled headers unless told that their macros and times may be trusted. A second checkout takes
  # over what the first has compiled: paths below the checkout are made relative.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LOCI_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(LOCI_MOLD mold)
if(LOCI_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Functions that nobody calls are left out, which matters for the static libraries.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

if(LOCI_SANITIZE)
  add_compile_options(-fsanitize=${LOCI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCI_SANITIZE})
endif()
# g++ 12 loses track of std::variant when it also instruments for threads, and warns of what cannot happen.
if(LOCI_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-maybe-uninitialized -Wno-free-nonheap-object)
endif()

if(LOCI_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

if(LOCI_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # libFuzzer sees which branches an input took
endif()
