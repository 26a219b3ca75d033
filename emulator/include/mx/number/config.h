// SPDX-License-Identifier: Apache-2.0
// mx/number/config.h: the one macro of the core, which lets CUDA device code call it.
#pragma once

#if defined(__CUDACC__)
#define MX_HD __host__ __device__
#else
#define MX_HD
#endif
