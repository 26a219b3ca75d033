# SPDX-License-Identifier: Apache-2.0
# tests/kernels/default_architectures.cmake: what kernels/nvcc.cmake compiles for by each nvcc; a choice of
# the user's stays.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../kernels/nvcc.cmake)

function(expect version expected)
  mx_choose_architectures(${version})
  if(NOT MX_CUDA_ARCHITECTURES STREQUAL expected)
    message(FATAL_ERROR "nvcc ${version}: ${MX_CUDA_ARCHITECTURES}; expected ${expected}")
  endif()
endfunction()

foreach(version 12.9.86 12.10.1 13.0.88)
  unset(MX_CUDA_ARCHITECTURES CACHE)
  expect(${version} "80-real;90a-real;100a-real;103a-real;120a-real;121a-real")
endforeach()
unset(MX_CUDA_ARCHITECTURES CACHE)
expect(12.8.93 "80-real;90a-real;100a-real;120a-real")
set(MX_CUDA_ARCHITECTURES 90a-real CACHE STRING "" FORCE)
expect(12.8.93 90a-real)
