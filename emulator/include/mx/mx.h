// SPDX-License-Identifier: Apache-2.0
// mx/mx.h: the header for users: includes every rule of the core. The others need a library:
//   whole tensors   mx/tensor/coded_tensor.h by a recipe, mx/tensor/coded_shape.h its shapes; in
//                   parts mx/tensor/blocks.h, mx/tensor/corrected.h, mx/tensor/storage.h;
//                   mx/tensor/energy.h, mx/tensor/operand.h, mx/presets/bulk_variants.h
//   products        mx/dot/bulk_gemm.h, mx/dot/prepared_gemm.h, mx/dot/coded_leaves.h,
//                   mx/dot/bulk_dot.h, mx/tensor/bulk.h
//   words           mx/spelling.h, mx/recipe_words.h
//   machinery       mx/tensor/parallel.h, mx/tensor/ieee_arithmetic.h, mx/tensor/vector_targets.h,
//                   mx/tensor/fused_targets.h, mx/tensor/fused-inl.h
#pragma once
#include "mx/block/block.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/components.h"
#include "mx/block/corrected_quantizer.h"
#include "mx/block/energy.h"
#include "mx/block/names.h"
#include "mx/block/scale.h"
#include "mx/dot/alpha.h"
#include "mx/dot/binary64_dot.h"
#include "mx/dot/corrected_product.h"
#include "mx/dot/gemm.h"
#include "mx/dot/mixed_models.h"
#include "mx/dot/mma.h"
#include "mx/dot/models.h"
#include "mx/dot/plan_names.h"
#include "mx/number/e8m0_conversion.h"
#include "mx/number/element.h"
#include "mx/number/formats.h"
#include "mx/number/philox.h"
#include "mx/number/random_bits.h"
#include "mx/presets/crosswalk.h"
#include "mx/presets/gguf_block.h"
#include "mx/presets/gpt_oss_block.h"
#include "mx/presets/variants.h"
#include "mx/tensor/layout.h"
#include "mx/tensor/packing.h"
#include "mx/tensor/recipe.h"
