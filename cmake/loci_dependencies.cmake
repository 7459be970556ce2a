# Every library that is not ours, as one target each. Modules name these targets and nothing else:
#   dep::sqlite3 dep::crypto dep::fmt dep::utf8proc dep::stemmer dep::cmark dep::xxhash dep::yaml dep::hwy dep::json
#   dep::expat dep::minizip
#   dep::cli11 dep::beast
#   dep::gtest dep::benchmark dep::rapidcheck (tests and benches)
# Static wherever Debian ships an archive: the program must start as fast as one without libraries.

find_package(Threads REQUIRED)

# A library that comes as a header and an archive, without CMake files of its own.
function(loci_find_static name archive header)
  find_path(${name}_INCLUDE ${header} REQUIRED)
  find_library(${name}_LIBRARY NAMES lib${archive}.a REQUIRED)
  add_library(dep_${name} INTERFACE)
  target_include_directories(dep_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(dep_${name} INTERFACE ${${name}_LIBRARY} ${ARGN})
  add_library(dep::${name} ALIAS dep_${name})
endfunction()

loci_find_static(crypto crypto openssl/evp.h Threads::Threads ${CMAKE_DL_LIBS})
loci_find_static(ssl ssl openssl/ssl.h dep::crypto)
loci_find_static(utf8proc utf8proc utf8proc.h)
loci_find_static(stemmer stemmer libstemmer.h)
loci_find_static(xxhash xxhash xxhash.h)
loci_find_static(cmark cmark-gfm cmark-gfm.h)
loci_find_static(yaml yaml yaml.h)
loci_find_static(expat expat expat.h)
loci_find_static(zlib z zlib.h)
loci_find_static(minizip minizip minizip/unzip.h dep::zlib)

# Debian ships fmt as a shared library only; its one source file is little more than an include, so it is built here.
find_package(fmt REQUIRED)
add_library(loci_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_include_directories(loci_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(dep::fmt ALIAS loci_fmt)

# Of Highway, which is headers but for how a kernel is chosen at run time, likewise.
find_path(hwy_INCLUDE hwy/highway.h REQUIRED)
add_library(loci_highway STATIC ${CMAKE_CURRENT_LIST_DIR}/highway.cc)
target_include_directories(loci_highway SYSTEM PUBLIC ${hwy_INCLUDE})
add_library(dep::hwy ALIAS loci_highway)

find_package(nlohmann_json REQUIRED)
add_library(dep::json ALIAS nlohmann_json::nlohmann_json)

# Boost.Beast and Asio, of which headers are all there is, with TLS.
find_package(Boost REQUIRED)
add_library(dep_beast INTERFACE)
target_link_libraries(dep_beast INTERFACE Boost::headers dep::ssl)
add_library(dep::beast ALIAS dep_beast)

find_package(CLI11 REQUIRED)
add_library(dep::cli11 ALIAS CLI11::CLI11)

# SQLite, from the amalgamation that tools/setup.sh fetched.
set(sqlite_source ${LOCI_DEPS}/sqlite)
if(NOT EXISTS ${sqlite_source}/sqlite3.c)
  message(FATAL_ERROR "${sqlite_source}/sqlite3.c is missing; tools/setup.sh fetches it")
endif()
add_library(loci_sqlite3 STATIC ${sqlite_source}/sqlite3.c)
target_include_directories(loci_sqlite3 SYSTEM PUBLIC ${sqlite_source})
target_compile_options(loci_sqlite3 PRIVATE -w)
if(LOCI_SANITIZE MATCHES undefined)
  target_compile_options(loci_sqlite3 PRIVATE -fno-sanitize=undefined)  # tested by its makers; two thirds of the compile time
endif()
if(LOCI_COVERAGE)
  target_compile_options(loci_sqlite3 PRIVATE -fno-profile-arcs -fno-test-coverage)
endif()
# fdatasync, as SQLite's own build uses it where it is there: a commit into the log changes no metadata that has to be on
# the disk with it.
target_compile_definitions(loci_sqlite3 PRIVATE
  HAVE_FDATASYNC=1
  SQLITE_DEFAULT_FILE_PERMISSIONS=0600
  SQLITE_DEFAULT_MEMSTATUS=0
  SQLITE_DEFAULT_WAL_SYNCHRONOUS=2
  SQLITE_DQS=0
  SQLITE_ENABLE_DBPAGE_VTAB
  SQLITE_ENABLE_FTS5
  SQLITE_LIKE_DOESNT_MATCH_BLOBS
  SQLITE_OMIT_DEPRECATED
  SQLITE_OMIT_LOAD_EXTENSION
  SQLITE_OMIT_SHARED_CACHE
  SQLITE_THREADSAFE=2
  SQLITE_USE_ALLOCA)
target_link_libraries(loci_sqlite3 PUBLIC Threads::Threads m)
add_library(dep::sqlite3 ALIAS loci_sqlite3)

if(LOCI_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_library(dep_gtest INTERFACE)
  target_link_libraries(dep_gtest INTERFACE GTest::gmock GTest::gtest)
  add_library(dep::gtest ALIAS dep_gtest)
  add_library(dep::benchmark ALIAS benchmark::benchmark)
  add_library(dep::rapidcheck ALIAS rapidcheck)
endif()
