// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/refusal_sentence.cpp: refusals as sentences with the remedy.
#include "mx/dot/gemm.h"
#include "mx/spelling.h"

namespace mx {

std::string sentence_of(refusal why) {
  switch (why) {
    case refusal::none:
      break;
    case refusal::shape:
      return "a block has 1 to 1048576 elements and at most 1024 rows";
    case refusal::element:
      return "elements have at most 8 bits, and a zero";
    case refusal::random_bits:
      return "stochastic rounding takes 1 to 24 random bits an element";
    case refusal::needs_e2m1:
      return "static-4 and 4over6 map the largest element to 4: they need elements in e2m1";
    case refusal::needs_fractions:
      return "4over6 needs a scale with fraction bits, such as ue4m3";
    case refusal::quest:
      return "quest takes blocks of at most 256 elements, and no tensor scale";
    case refusal::search_range:
      return "mse takes elements of at most 5 exponent bits";
    case refusal::exact_rule:
      return "an exact scale goes with the scale rule ideal, and without a tensor scale";
    case refusal::tensor_scale:
      return "beside a tensor scale a scale has at most 8 fraction bits";
  }
  return {};
}

std::string sentence_of(correction_refusal why) {
  switch (why) {
    case correction_refusal::none:
      break;
    case correction_refusal::tile:
      return "corrections work along an axis: the block has one row";
    case correction_refusal::rotation:
      return "a rotation has the size 16, 32, 64 or 128";
    case correction_refusal::macro_block:
      return "a macro block is a multiple of the block, at most 65536, its factor has 1 to 16 bits";
    case correction_refusal::macro_rule:
      return "under a macro-block factor the scale is stored, follows from amax alone (not mse, "
             "quest, 4over6) and has no tensor scale above it";
    case correction_refusal::granule:
      return "what falls back together is a multiple of the block, at most 65536";
    case correction_refusal::number:
      return "alpha is a finite number, a threshold a finite one that is not negative";
  }
  return {};
}

std::string sentence_of(model_refusal why) {
  switch (why) {
    case model_refusal::none:
      break;
    case model_refusal::counts:
      return "a step has whole groups and a span whole steps, at most 64 groups a step; groups "
             "divide blocks and take elements without NaN, and exact sums take none";
    case model_refusal::window:
      return "widths are 0 to 60 bits, the exponent of zeros is -32768 to 32768";
    case model_refusal::output:
      return "the output is the result's format, or one with fewer fraction bits";
    case model_refusal::rounding:
      return "sums are rounded without random bits";
    case model_refusal::room:
      return "products and sums need at most 62 bits";
  }
  return {};
}

std::string sentence_of(gemm_refusal why, const gemm_plan& plan) {
  switch (why) {
    case gemm_refusal::none:
      break;
    case gemm_refusal::promote:
      return "promote is " + std::to_string(plan.promote) + "; expected 0 or a " +
             (plan.model.block > 0
                  ? "multiple of the block, which is " + std::to_string(plan.model.block)
                  : "number above it");
    case gemm_refusal::split_k:
      return "split_k is " + std::to_string(plan.split_k) + "; expected 1 to " +
             std::to_string(gemm_plan::most_parts);
    case gemm_refusal::c_format:
      return "the model reads C in FP16, as one instruction does; a product chains steps whose C "
             "is in "
             "FP32, as that of volta.mma.f16.f32 is";
    case gemm_refusal::result:
      return "promote and split_k add sums in FP32; the model gives " +
             number_format_name(plan.model.sum.result) + ", so leave them out";
    case gemm_refusal::output:
      return "the output is " + number_format_name(plan.output) + "; expected f32, f16 or bf16";
    case gemm_refusal::rounding:
      return "the output is rounded without random bits";
  }
  return {};
}

}  // namespace mx
