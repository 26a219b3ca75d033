// SPDX-License-Identifier: Apache-2.0
// tests/vectors/mutations.cpp: models with one wrong parameter.
#include "mutations.h"

#include "mx/dot/model.h"

namespace test {
namespace {

using mx::dot_model;

bool has_window(const dot_model& m) { return m.sum.alignment == mx::alignment::window; }

/// Whether a zero can raise the largest exponent so far that bits are truncated: products have bits
/// that small.
bool zeros_align(const dot_model& m) {
  return has_window(m) && m.sum.zeros == mx::zero_term::each_zero &&
         mx::lowest_product_exponent(m) < m.sum.zero_exponent - m.sum.fraction_bits;
}

/// Sums of rounded products are rounded to nearest, independent of the model's rounding.
bool rounds_sums(const dot_model& m) { return m.sum.joining == mx::joining::chained; }

bool has_long_spans(const dot_model& m) { return m.sum.span != 2; }

bool reaches_subnormals(const dot_model& m) {
  return mx::lowest_product_exponent(m) < m.sum.result.emin();
}

bool results_reach_subnormals(const dot_model& m) {
  return reaches_subnormals(m) || format_of_c(m.sum).emin() == m.sum.result.emin();
}

/// If results are truncated, earlier truncation has no effect; nor does it if the window reaches as
/// far down as any product, or C is added later.
bool sticky_counts(const dot_model& m) {
  return has_window(m) && m.sum.rounding != mx::rounding::toward_zero && m.a.width() > 6 &&
         m.sum.addend == mx::addend::every_step && m.sum.late.dot_bits == 0;
}

/// Zeros that pad a step show only in the sign of a sum of negative zeros: not if zeros have no
/// sign, or lose it, or are added to +0, or every zero result is +0; and groups are always padded.
bool tail_shows(const dot_model& m) {
  return m.a.has_negative_zero() && m.sum.inputs == mx::subnormals::kept && m.sum.group == 1 &&
         m.sum.addend == mx::addend::every_step && m.sum.zero_result == mx::zero_result::of_terms;
}

/// Zeros have signs, or negative sums round to zero; a sum that begins with +0 has neither, unless
/// its products are smaller than results.
bool zero_signs_show(const dot_model& m) {
  const bool from_c = m.sum.addend == mx::addend::every_step && m.a.has_negative_zero();
  const int smallest = m.sum.result.emin() - m.sum.result.fraction_bits;
  const bool flushes = m.sum.inputs == mx::subnormals::flushed;
  return !flushes && (from_c || mx::lowest_product_exponent(m) < smallest - 1);
}

bool has_tail(const dot_model& m) {
  return m.sum.fused > 1 || (m.sum.fused == mx::accumulation::one_block && m.block > 0);
}

bool has_large_products(const dot_model& m) { return mx::highest_product_exponent(m) > 128; }

/// Its subnormal numbers are normal in binary16.
bool has_e4m3(const dot_model& m) { return has_window(m) && m.a == mx::formats::e4m3; }

std::vector<mutation> number_mutations() {
  std::vector<mutation> list;
  for (const int off : {-1, 1}) {
    const std::string by = off < 0 ? " - 1" : " + 1";
    list.push_back({"fraction_bits" + by, [=](dot_model& m) {
                      m.sum.fraction_bits += off;
                      return has_window(m);
                    }});
    list.push_back({"zero_exponent" + by, [=](dot_model& m) {
                      m.sum.zero_exponent += off;
                      return zeros_align(m);
                    }});
    list.push_back({"late.addend_bits" + by, [=](dot_model& m) {
                      m.sum.late.addend_bits += off;
                      return m.sum.late.addend_bits != off;
                    }});
    list.push_back({"late.sum_bits" + by, [=](dot_model& m) {
                      m.sum.late.sum_bits += off;
                      return m.sum.late.sum_bits != off;
                    }});
  }
  // One bit more has no effect: at dot_bits = sum_bits + 1, C's stage truncates no higher than the
  // next stage, as products with lower bits are too small to take more than a binade from C.
  list.push_back({"late.dot_bits - 1", [](dot_model& m) {
                    --m.sum.late.dot_bits;
                    return m.sum.late.dot_bits > 0;
                  }});
  list.push_back({"fused / 2", [](dot_model& m) {
                    m.sum.fused /= 2;
                    if (m.sum.span > 0) m.sum.span /= 2;
                    return m.sum.fused > 0;
                  }});
  list.push_back({"fused * 2", [](dot_model& m) {
                    m.sum.fused *= 2;
                    m.sum.span *= 2;
                    return m.sum.fused > 0;
                  }});
  list.push_back({"group / 2", [](dot_model& m) {
                    m.sum.group /= 2;
                    return m.sum.group > 0;
                  }});
  return list;
}

template <class Choice>
mutation choice_mutation(
    const char* name, Choice mx::accumulation::*member, Choice from, Choice to,
    bool (*counts)(const dot_model&) = [](const dot_model&) { return true; }) {
  return {name, [=](dot_model& m) {
            if (m.sum.*member != from || !counts(m)) return false;
            m.sum.*member = to;
            return true;
          }};
}

std::vector<mutation> choice_mutations() {
  using a = mx::accumulation;
  const auto scaled = [](const dot_model& m) { return m.block > 0; };
  return {
      choice_mutation("to nearest", &a::rounding, mx::rounding::toward_zero,
                      mx::rounding::ties_to_even),
      choice_mutation("toward zero", &a::rounding, mx::rounding::ties_to_even,
                      mx::rounding::toward_zero, rounds_sums),
      choice_mutation("flushed results", &a::results, mx::subnormals::kept, mx::subnormals::flushed,
                      results_reach_subnormals),
      choice_mutation("kept results", &a::results, mx::subnormals::flushed, mx::subnormals::kept,
                      reaches_subnormals),
      choice_mutation("flushed inputs", &a::inputs, mx::subnormals::kept, mx::subnormals::flushed),
      choice_mutation("kept inputs", &a::inputs, mx::subnormals::flushed, mx::subnormals::kept),
      choice_mutation("cut down", &a::cut, mx::cut::toward_zero, mx::cut::down, has_window),
      choice_mutation("no sticky bit", &a::lost, mx::lost_bits::sticky, mx::lost_bits::dropped),
      choice_mutation("a sticky bit", &a::lost, mx::lost_bits::dropped, mx::lost_bits::sticky,
                      sticky_counts),
      choice_mutation("zeros ignored", &a::zeros, mx::zero_term::each_zero, mx::zero_term::ignored,
                      zeros_align),
      choice_mutation("shorter tail", &a::tail, mx::tail::zeros, mx::tail::shorter, tail_shows),
      choice_mutation("tail of zeros", &a::tail, mx::tail::shorter, mx::tail::zeros, has_tail),
      choice_mutation("signed zero results", &a::zero_result, mx::zero_result::plus,
                      mx::zero_result::of_terms, zero_signs_show),
      choice_mutation("zero results of +0", &a::zero_result, mx::zero_result::of_terms,
                      mx::zero_result::plus, zero_signs_show),
      choice_mutation("no parity", &a::parity, mx::parity::even_and_odd, mx::parity::together),
      choice_mutation("ascending", &a::order, mx::step_order::pairs_of_four,
                      mx::step_order::ascending),
      choice_mutation("chained", &a::joining, mx::joining::pairwise, mx::joining::chained,
                      has_long_spans),
      choice_mutation("finite products", &a::large, mx::large_product::infinite,
                      mx::large_product::finite, has_large_products),
      choice_mutation("exponents of binary16", &a::factors, mx::factor_exponent::own_field,
                      mx::factor_exponent::binary16, has_e4m3),
      choice_mutation("scales on products", &a::scales, mx::scale_position::on_operand,
                      mx::scale_position::on_product, scaled)};
}

}  // namespace

std::vector<mutation> mutations() {
  std::vector<mutation> list = number_mutations();
  for (mutation& each : choice_mutations()) list.push_back(std::move(each));
  list.push_back({"another NaN", [](dot_model& m) {
                    --m.sum.nan_code;
                    return true;
                  }});
  list.push_back({"no bits cut from results", [](dot_model& m) {
                    const bool cut = m.sum.output != m.sum.result;
                    m.sum.output = m.sum.result;
                    return cut;
                  }});
  list.push_back({"a far addend cut", [](dot_model& m) {
                    const bool dropped = m.sum.late.far == mx::far_addend::zero;
                    m.sum.late.far = mx::far_addend::cut;
                    return dropped;
                  }});
  return list;
}

}  // namespace test
