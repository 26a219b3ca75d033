// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/mxprism.h: bit-exact microscaling arithmetic for C and for
// languages that call C.
//
// Every function may be called from any thread. Handles are immutable once created, so threads may
// share them. The library prints nothing, never ends the process and lets no exception escape.
// Large tensors are processed by several threads, which changes no bit.
//
// Spellings (formats, rules, layouts, models) are those of the command `mxprism`.
// Numbers are in host byte order. Buffers must not overlap unless stated otherwise.
#ifndef MXPRISM_MXPRISM_H
#define MXPRISM_MXPRISM_H

#include "mxprism/library.h"
#include "mxprism/product.h"
#include "mxprism/tensor.h"
#include "mxprism/verify.h"
#include "mxprism/verify_product.h"

#endif
