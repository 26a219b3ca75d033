// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/golden_dot.cpp: dot products and tiles from packed vectors.
#include "rtl_models/dpi/golden_dot.h"

#include "mx/dot/mma.h"
#include "mx/spelling.h"
#include "rtl_models/dpi/dpi_refusal.h"
#include "rtl_models/dpi/packed_vector.h"

namespace hardware {
namespace {

/// Parses a name; std::invalid_argument becomes mx_dpi_bad_name.
template <class Read>
auto spelled(const Read& read) {
  try {
    return read();
  } catch (const std::invalid_argument& wrong) {
    throw dpi_refusal(mx_dpi_bad_name, wrong.what());
  }
}

mx::format number_format(const std::string& name, const mx::format& own) {
  return name.empty() ? own : spelled([&] { return mx::number_format_spelled(name); });
}

mx::format scale_format(const std::string& name, const mx::format& own) {
  return name.empty() ? own : spelled([&] { return mx::scale_format_spelled(name); });
}

int blocks_of(const mx::dot_model& m, int k) {
  return m.block == 0 ? 0 : (k + m.block - 1) / m.block;
}

/// Why vectors cannot be operands of a model; empty if they can.
std::string refusal_of(const mx::dot_model& m, int k) {
  if (m.unread_bits != 0 || m.a.width() > 8 || m.b.width() > 8) {
    return "elements have at most 8 bits here";
  }
  if (m.sum.result != mx::formats::binary32 || format_of_c(m.sum) != m.sum.result)
    return "C and D are FP32 here";
  if (m.scale.width() > 16 || blocks_of(m, k) * m.scale.width() > mx_dpi_scale_bits) {
    return "scales of a vector have at most 64 bits, one at most 16";
  }
  return mx::sentence_of(mx::refusal_of(m));
}

/// Refuses formats that a model does not take, and a model that packed vectors cannot serve.
void require_supported(const mx::named_model& entry, const mx::dot_model& m, int k) {
  for (const std::string& why :
       {mx::refusal_of(entry, entry.model.a, m.a), mx::refusal_of(entry, entry.model.b, m.b)}) {
    if (!why.empty()) throw dpi_refusal(mx_dpi_unsupported, why);
  }
  const std::string why = refusal_of(m, k);
  if (!why.empty()) throw dpi_refusal(mx_dpi_unsupported, std::string(entry.name) + ": " + why);
}

}  // namespace

void golden_dot::select(const dot_choice& requested) {
  require(requested.k <= mx_dpi_k, "k is above 64");
  require(requested.block <= 1U << 20, "a block has at most 2^20 elements");
  const mx::named_model& entry = *spelled([&] {
    return &mx::model_spelled(requested.model.empty() ? "blackwell.mxf4" : requested.model);
  });
  const mx::dot_model& own = entry.model;
  mx::dot_model made = mx::with_formats(own, number_format(requested.format_a, own.a),
                                        number_format(requested.format_b, own.b));
  const int block = requested.block == 0 ? own.block : static_cast<int>(requested.block);
  if (block == 0 && !requested.format_scale.empty()) {
    throw dpi_refusal(mx_dpi_unsupported, std::string(entry.name) + " has no scales; give a block");
  }
  made = mx::with_scales(made, scale_format(requested.format_scale, own.scale), block);
  const int k = requested.k == 0 ? mx_dpi_k : static_cast<int>(requested.k);
  require_supported(entry, made, k);
  coverage_ = dot_coverage(made);
  model_ = made;
  k_ = k;
  last_.reset();
}

dot_extent golden_dot::extent() const noexcept {
  return {k_ * model_.a.width(), k_ * model_.b.width(),
          blocks_of(model_, k_) * model_.scale.width()};
}

golden_dot::lines golden_dot::lines_of(const svBitVecVal* codes, const svBitVecVal* scales,
                                       int count, const mx::format& f) const {
  lines made;
  for (int line = 0; line < count; ++line) {
    for (int i = 0; i < k_; ++i) {
      made.codes.push_back(field_of(codes, i * f.width(), f.width()));
    }
    for (int i = 0; i < blocks_of(model_, k_); ++i) {
      made.scales.push_back(field_of(scales, i * model_.scale.width(), model_.scale.width()));
    }
    codes += words_of_bits(mx_dpi_code_bits);
    scales += words_of_bits(mx_dpi_scale_bits);
  }
  return made;
}

const std::uint32_t* golden_dot::scales_of(const lines& from) const noexcept {
  return model_.block == 0 ? nullptr : from.scales.data();
}

std::uint32_t golden_dot::multiply(const dot_vectors& in) {
  const operands& o = last_.emplace(operands{lines_of(in.a, in.scale_a, 1, model_.a),
                                             lines_of(in.b, in.scale_b, 1, model_.b), *in.c});
  return mx::dot(model_, o.a.codes.data(), o.b.codes.data(), k_, o.c, scales_of(o.a),
                 scales_of(o.b));
}

void golden_dot::multiply_tile(const dot_vectors& in, svBitVecVal* d) const {
  const lines a = lines_of(in.a, in.scale_a, mx_dpi_rows, model_.a);
  const lines b = lines_of(in.b, in.scale_b, mx_dpi_columns, model_.b);
  mx::mma(model_, {mx_dpi_rows, mx_dpi_columns, k_},
          mx::by_lines(a.codes.data(), k_, scales_of(a), model_.block),
          mx::by_lines(b.codes.data(), k_, scales_of(b), model_.block),
          mx::mma_result<const svBitVecVal>{in.c, mx_dpi_columns},
          mx::mma_result<svBitVecVal>{d, mx_dpi_columns});
}

const golden_dot::operands& golden_dot::remembered() const {
  require(last_.has_value(), "no dot product was computed yet");
  return *last_;
}

mx::step_observer golden_dot::observed(int wanted) const {
  const operands& o = remembered();
  mx::step_observer observer;
  observer.wanted = wanted;
  static_cast<void>(mx::dot_observed(
      model_, mx::dot_operand<std::uint32_t, std::uint32_t>{{o.a.codes.data()}, {scales_of(o.a)}},
      mx::dot_operand<std::uint32_t, std::uint32_t>{{o.b.codes.data()}, {scales_of(o.b)}}, k_, o.c,
      observer));
  return observer;
}

int golden_dot::step_count() const { return observed(0).steps; }

mx::step_record golden_dot::step(unsigned number) const {
  require(number < 2 * mx_dpi_k, "the step is out of range");
  const mx::step_observer seen = observed(static_cast<int>(number));
  require(static_cast<int>(number) < seen.steps, "the step is out of range");
  return seen.record;
}

mx::term_place golden_dot::place_of(const mx::step_record& step, int term) const {
  const bool is_addend = step.first_k == mx::step_record::no_products || term == step.count;
  return is_addend ? mx::term_place{-1, -1}
                   : mx::place_of(model_.sum, step.first_k, step.count, term);
}

void golden_dot::cover() {
  const operands& o = remembered();
  static_cast<void>(coverage_.sample({o.a.codes, o.b.codes, o.a.scales, o.b.scales, o.c}));
}

void golden_dot::merge(const dot_coverage& other) {
  if (coverage_.merge(other)) return;
  throw dpi_refusal(mx_dpi_unsupported, "the other context has another model");
}

}  // namespace hardware
