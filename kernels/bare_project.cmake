# SPDX-License-Identifier: Apache-2.0
# kernels/bare_project.cmake: settings of the project, for kernels built without it.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(MX_CUDA ON)

add_library(mx_options INTERFACE)
add_library(mx::options ALIAS mx_options)
target_compile_options(mx_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-ffp-contract=off>
  # g++ 12 raises this on the library's own strings.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
add_library(mx_core INTERFACE)
add_library(mx::core ALIAS mx_core)
target_include_directories(mx_core INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/../emulator/include)
add_library(golden_words STATIC
  ${CMAKE_CURRENT_SOURCE_DIR}/../golden/vectors/block_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/../golden/vectors/word_file.cpp)
add_library(golden::words ALIAS golden_words)
target_include_directories(golden_words PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/..)
target_link_libraries(golden_words PRIVATE mx::options)
