// SPDX-License-Identifier: Apache-2.0
// mx/mx.h: the header for users: includes every rule of the core. Whole tensors:
// mx/tensor/blocks.h, mx/tensor/corrected.h, mx/tensor/energy.h, mx/tensor/operand.h,
// mx/tensor/bulk.h.
#pragma once
#include "mx/block/block.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/components.h"
#include "mx/block/corrected_quantizer.h"
#include "mx/block/energy.h"
#include "mx/block/names.h"
#include "mx/block/scale.h"
#include "mx/dot/corrected_product.h"
#include "mx/dot/mixed_models.h"
#include "mx/dot/mma.h"
#include "mx/dot/models.h"
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
