# SPDX-License-Identifier: Apache-2.0
# tests/kernels/native_architectures.cmake: the architectures whose kernels have products of their own.
# Forced, since the folder of an earlier test may hold others.
set(MX_CUDA_ARCHITECTURES "90a-real;120a-real" CACHE STRING "What kernels_compile compiles for" FORCE)
