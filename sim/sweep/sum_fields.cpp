// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sum_fields.cpp: see sum_fields.h.
#include "sim/sweep/sum_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mx/block/names.h"
#include "mx/dot/plan_names.h"
#include "mx/spelling.h"
#include "sim/study/input_error.h"
#include "sim/study/number_in.h"

namespace sim {
namespace {

/// An enumerator and its word in a row of sums.
template <class Value>
struct named {
  Value value;
  std::string_view name;
};
template <class Value>
named(Value, std::string_view) -> named<Value>;  // clang 14 does not deduce it from an aggregate

constexpr std::array addend_words{named{mx::addend::every_step, "every-step"},
                                  named{mx::addend::after_span, "after-span"}};
constexpr std::array joining_words{named{mx::joining::chained, "chained"},
                                   named{mx::joining::pairwise, "pairwise"}};
constexpr std::array step_order_words{named{mx::step_order::ascending, "ascending"},
                                      named{mx::step_order::pairs_of_four, "pairs-of-four"}};
constexpr std::array tail_words{named{mx::tail::zeros, "zeros"},
                                named{mx::tail::shorter, "shorter"}};
constexpr std::array parity_words{named{mx::parity::together, "together"},
                                  named{mx::parity::even_and_odd, "even-and-odd"}};
constexpr std::array position_words{named{mx::scale_position::on_product, "on-product"},
                                    named{mx::scale_position::on_group, "on-group"},
                                    named{mx::scale_position::on_operand, "on-operand"}};
constexpr std::array factor_words{named{mx::factor_exponent::own_field, "own-field"},
                                  named{mx::factor_exponent::binary16, "binary16"},
                                  named{mx::factor_exponent::normal_e2m1, "normal-e2m1"}};
constexpr std::array subnormal_words{named{mx::subnormals::kept, "kept"},
                                     named{mx::subnormals::flushed, "flushed"}};
constexpr std::array large_words{named{mx::large_product::finite, "finite"},
                                 named{mx::large_product::infinite, "infinite"}};
constexpr std::array alignment_words{named{mx::alignment::exact, "exact"},
                                     named{mx::alignment::window, "window"}};
constexpr std::array cut_words{named{mx::cut::toward_zero, "toward-zero"},
                               named{mx::cut::down, "down"},
                               named{mx::cut::ties_to_even, "ties-to-even"}};
constexpr std::array lost_words{named{mx::lost_bits::dropped, "dropped"},
                                named{mx::lost_bits::sticky, "sticky"}};
constexpr std::array zero_term_words{named{mx::zero_term::each_zero, "each-zero"},
                                     named{mx::zero_term::floor, "floor"},
                                     named{mx::zero_term::ignored, "ignored"}};
constexpr std::array zero_result_words{named{mx::zero_result::of_terms, "of-terms"},
                                       named{mx::zero_result::plus, "plus"}};
constexpr std::array far_words{named{mx::far_addend::cut, "cut"},
                               named{mx::far_addend::zero, "zero"}};

/// A field's word, which goes one way: a given one into the field, or the field's own out of it.
struct field_word {
  const std::string* given = nullptr;
  std::string own = {};

  template <class Words, class Value>
  void word(Value& value, const Words& words, std::string_view what = "value") {
    if (given == nullptr) {
      own = mx::name_in(words, value);
    } else {
      value = mx::value_named(words, what, *given);
    }
  }
  void number(int& value) {
    if (given == nullptr) {
      own = fmt::format("{}", value);
    } else if (const auto read = number_in<int>(*given)) {
      value = *read;
    } else {
      throw input_error("expected an integer, found '{}'", *given);
    }
  }
  void format(mx::format& value) {
    if (given == nullptr) {
      own = mx::number_format_name(value);
    } else {
      value = mx::number_format_spelled(*given);
    }
  }
};

struct field {
  std::string_view name;
  void (*pass)(mx::gemm_plan&, field_word&);
};

constexpr std::array fields{
    field{"sum_fused", [](auto& p, auto& v) { v.number(p.model.sum.fused); }},
    field{"sum_addend", [](auto& p, auto& v) { v.word(p.model.sum.addend, addend_words); }},
    field{"sum_span", [](auto& p, auto& v) { v.number(p.model.sum.span); }},
    field{"sum_joining", [](auto& p, auto& v) { v.word(p.model.sum.joining, joining_words); }},
    field{"sum_order", [](auto& p, auto& v) { v.word(p.model.sum.order, step_order_words); }},
    field{"sum_tail", [](auto& p, auto& v) { v.word(p.model.sum.tail, tail_words); }},
    field{"sum_group", [](auto& p, auto& v) { v.number(p.model.sum.group); }},
    field{"sum_parity", [](auto& p, auto& v) { v.word(p.model.sum.parity, parity_words); }},
    field{"sum_scales", [](auto& p, auto& v) { v.word(p.model.sum.scales, position_words); }},
    field{"sum_factors", [](auto& p, auto& v) { v.word(p.model.sum.factors, factor_words); }},
    field{"sum_inputs", [](auto& p, auto& v) { v.word(p.model.sum.inputs, subnormal_words); }},
    field{"sum_large", [](auto& p, auto& v) { v.word(p.model.sum.large, large_words); }},
    field{"sum_alignment",
          [](auto& p, auto& v) { v.word(p.model.sum.alignment, alignment_words); }},
    field{"sum_fraction_bits", [](auto& p, auto& v) { v.number(p.model.sum.fraction_bits); }},
    field{"sum_cut", [](auto& p, auto& v) { v.word(p.model.sum.cut, cut_words); }},
    field{"sum_lost", [](auto& p, auto& v) { v.word(p.model.sum.lost, lost_words); }},
    field{"sum_zeros", [](auto& p, auto& v) { v.word(p.model.sum.zeros, zero_term_words); }},
    field{"sum_zero_exponent", [](auto& p, auto& v) { v.number(p.model.sum.zero_exponent); }},
    field{"sum_late_dot_bits", [](auto& p, auto& v) { v.number(p.model.sum.late.dot_bits); }},
    field{"sum_late_addend_bits", [](auto& p, auto& v) { v.number(p.model.sum.late.addend_bits); }},
    field{"sum_late_sum_bits", [](auto& p, auto& v) { v.number(p.model.sum.late.sum_bits); }},
    field{"sum_late_far", [](auto& p, auto& v) { v.word(p.model.sum.late.far, far_words); }},
    field{"sum_rounding",
          [](auto& p, auto& v) { v.word(p.model.sum.rounding, mx::rounding_table, "rounding"); }},
    field{"sum_results", [](auto& p, auto& v) { v.word(p.model.sum.results, subnormal_words); }},
    field{"sum_zero_result",
          [](auto& p, auto& v) { v.word(p.model.sum.zero_result, zero_result_words); }},
    field{"sum_output", [](auto& p, auto& v) { v.format(p.model.sum.output); }},
    field{"promote", [](auto& p, auto& v) { v.number(p.promote); }},
    field{"split_k", [](auto& p, auto& v) { v.number(p.split_k); }},
    field{"split_order", [](auto& p, auto& v) { v.word(p.split_order, mx::split_order_table); }},
    field{"output", [](auto& p, auto& v) { v.format(p.output); }}};

const field& field_named(std::string_view name) {
  const auto found = std::ranges::find(fields, name, &field::name);
  if (found == fields.end()) throw input_error("no field '{}'", name);
  return *found;
}

}  // namespace

std::vector<std::string_view> sum_field_names() {
  std::vector<std::string_view> names;
  for (const field& f : fields) names.push_back(f.name);
  return names;
}

void set_sum_field(mx::gemm_plan& plan, std::string_view name, const std::string& value) {
  field_word given{&value};
  try {
    field_named(name).pass(plan, given);
  } catch (const std::invalid_argument& wrong) {  // of a name
    throw input_error("{}", wrong.what());
  }
}

std::string sum_field_word(const mx::gemm_plan& plan, std::string_view name) {
  mx::gemm_plan copy = plan;
  field_word own;
  field_named(name).pass(copy, own);
  return own.own;
}

}  // namespace sim
