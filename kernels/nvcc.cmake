# SPDX-License-Identifier: Apache-2.0
# kernels/nvcc.cmake: the nvcc that compiles the kernels, and what for.

# mx_choose_architectures(version): MX_CUDA_ARCHITECTURES, unless it is given: all that the kernels have
# code for and this nvcc knows.
function(mx_choose_architectures version)
  set(known 80-real 90a-real 100a-real 103a-real 120a-real 121a-real)
  if(version VERSION_LESS 12.9)
    list(REMOVE_ITEM known 103a-real 121a-real)
  endif()
  set(MX_CUDA_ARCHITECTURES "${known}" CACHE STRING
    "What the kernels are compiled for, as CMake's CUDA_ARCHITECTURES")
  if(version VERSION_LESS 12.9 AND MX_CUDA_ARCHITECTURES STREQUAL known)
    message(STATUS "kernels: sm_103a and sm_121a, which nvcc ${version} lacks, are left out; 12.9 has them")
  endif()
endfunction()

# mx_find_nvcc(variable): that of ./bootstrap --cuda, else of PATH, of CUDA_HOME, of the usual
# folder; empty if there is none.
function(mx_find_nvcc variable)
  find_program(found nvcc NO_CACHE PATH_SUFFIXES bin
    HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../build/cuda-toolkit/toolkit
    PATHS ENV CUDA_HOME /usr/local/cuda)
  if(NOT found)
    set(found "")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# mx_nvcc_version(variable nvcc): its version, 0 if it does not print one. The kernels need 12.8.
function(mx_nvcc_version variable nvcc)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE release ERROR_QUIET)
  if(release MATCHES "release ([0-9.]+)")
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${variable} 0 PARENT_SCOPE)
  endif()
endfunction()

# mx_enable_cuda(): the language CUDA, by the nvcc that CMAKE_CUDA_COMPILER or the environment's
# CUDACXX names, else by the one found.
macro(mx_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
    mx_find_nvcc(mx_nvcc)
    if(mx_nvcc STREQUAL "")
      message(FATAL_ERROR "The CUDA kernels need nvcc, which was not found. ./bootstrap --cuda puts "
        "one into build/cuda-toolkit; -DCMAKE_CUDA_COMPILER=FOLDER/bin/nvcc names another")
    endif()
    set(CMAKE_CUDA_COMPILER ${mx_nvcc} CACHE FILEPATH "nvcc")
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is version ${CMAKE_CUDA_COMPILER_VERSION}, and the "
      "CUDA kernels need 12.8 or later: ./bootstrap --cuda puts one into build/cuda-toolkit")
  endif()
  mx_choose_architectures(${CMAKE_CUDA_COMPILER_VERSION})
endmacro()
