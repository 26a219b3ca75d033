// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/mxprism.h: microscaling arithmetic to the last bit, for C and for
// whatever calls C.
//
// Every function may be called from any thread. Handles do not change after they are made, so that
// threads may share them. Nothing is printed, nothing ends the process, no exception comes out.
// Large tensors are worked on by several threads, which changes no bit.
//
// The words in spellings (formats, rules, layouts, models) are those of the command `mxprism`.
// Numbers are in the machine's order of bytes. Buffers must not overlap unless told otherwise.
#ifndef MXPRISM_MXPRISM_H
#define MXPRISM_MXPRISM_H

#include "mxprism/library.h"
#include "mxprism/product.h"
#include "mxprism/tensor.h"
#include "mxprism/verify.h"
#include "mxprism/verify_product.h"

#endif
