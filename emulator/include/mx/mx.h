// SPDX-License-Identifier: Apache-2.0
// mx/mx.h: the door for users: every rule of the core. Whole tensors: mx/bulk_blocks.h,
// mx/bulk_corrected.h, mx/bulk_energy.h, mx/bulk.h.
#pragma once
#include "mx/block.h"
#include "mx/block_quantizer.h"
#include "mx/components.h"
#include "mx/corrected_product.h"
#include "mx/corrected_quantizer.h"
#include "mx/crosswalk.h"
#include "mx/e8m0_conversion.h"
#include "mx/element.h"
#include "mx/energy.h"
#include "mx/formats.h"
#include "mx/gguf_block.h"
#include "mx/gpt_oss_block.h"
#include "mx/layout.h"
#include "mx/names.h"
#include "mx/operand.h"
#include "mx/packing.h"
#include "mx/philox.h"
#include "mx/random_bits.h"
#include "mx/scale.h"
#include "mx/variants.h"
