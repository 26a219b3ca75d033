// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sum_fields.cpp: see sum_fields.h.
#include "sim/sweep/sum_fields.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "mx/block/names.h"
#include "mx/spelling.h"
#include "sim/study/input_error.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

constexpr std::array addend_words{word{mx::addend::every_step, "every-step"},
                                  word{mx::addend::after_span, "after-span"}};
constexpr std::array joining_words{word{mx::joining::chained, "chained"},
                                   word{mx::joining::pairwise, "pairwise"}};
constexpr std::array step_order_words{word{mx::step_order::ascending, "ascending"},
                                      word{mx::step_order::pairs_of_four, "pairs-of-four"}};
constexpr std::array tail_words{word{mx::tail::zeros, "zeros"}, word{mx::tail::shorter, "shorter"}};
constexpr std::array parity_words{word{mx::parity::together, "together"},
                                  word{mx::parity::even_and_odd, "even-and-odd"}};
constexpr std::array position_words{word{mx::scale_position::on_product, "on-product"},
                                    word{mx::scale_position::on_group, "on-group"},
                                    word{mx::scale_position::on_operand, "on-operand"}};
constexpr std::array factor_words{word{mx::factor_exponent::own_field, "own-field"},
                                  word{mx::factor_exponent::binary16, "binary16"}};
constexpr std::array subnormal_words{word{mx::subnormals::kept, "kept"},
                                     word{mx::subnormals::flushed, "flushed"}};
constexpr std::array large_words{word{mx::large_product::finite, "finite"},
                                 word{mx::large_product::infinite, "infinite"}};
constexpr std::array alignment_words{word{mx::alignment::exact, "exact"},
                                     word{mx::alignment::window, "window"}};
constexpr std::array cut_words{word{mx::cut::toward_zero, "toward-zero"},
                               word{mx::cut::down, "down"},
                               word{mx::cut::ties_to_even, "ties-to-even"}};
constexpr std::array lost_words{word{mx::lost_bits::dropped, "dropped"},
                                word{mx::lost_bits::sticky, "sticky"}};
constexpr std::array zero_term_words{word{mx::zero_term::each_zero, "each-zero"},
                                     word{mx::zero_term::floor, "floor"},
                                     word{mx::zero_term::ignored, "ignored"}};
constexpr std::array zero_result_words{word{mx::zero_result::of_terms, "of-terms"},
                                       word{mx::zero_result::plus, "plus"}};
constexpr std::array far_words{word{mx::far_addend::cut, "cut"},
                               word{mx::far_addend::zero, "zero"}};
constexpr std::array split_order_words{word{mx::split_order::ascending, "ascending"},
                                       word{mx::split_order::pairwise, "pairwise"}};

template <class Words, class Value>
void set_word(Value& out, const Words& words, const std::string& value) {
  const auto found = std::ranges::find(words, value, &std::decay_t<decltype(words[0])>::text);
  if (found != words.end()) return static_cast<void>(out = found->value);
  std::vector<std::string_view> texts;
  for (const auto& w : words) texts.push_back(w.text);
  throw input_error("expected one of {}, found '{}'", fmt::join(texts, " "), value);
}

void set_number(int& out, const std::string& value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error == std::errc{} && end == value.data() + value.size()) return;
  throw input_error("expected an integer, found '{}'", value);
}

struct field {
  std::string_view name;
  void (*set)(mx::gemm_plan&, const std::string&);
};

constexpr std::array fields{
    field{"sum_fused", [](auto& p, auto& v) { set_number(p.model.sum.fused, v); }},
    field{"sum_addend", [](auto& p, auto& v) { set_word(p.model.sum.addend, addend_words, v); }},
    field{"sum_span", [](auto& p, auto& v) { set_number(p.model.sum.span, v); }},
    field{"sum_joining", [](auto& p, auto& v) { set_word(p.model.sum.joining, joining_words, v); }},
    field{"sum_order", [](auto& p, auto& v) { set_word(p.model.sum.order, step_order_words, v); }},
    field{"sum_tail", [](auto& p, auto& v) { set_word(p.model.sum.tail, tail_words, v); }},
    field{"sum_group", [](auto& p, auto& v) { set_number(p.model.sum.group, v); }},
    field{"sum_parity", [](auto& p, auto& v) { set_word(p.model.sum.parity, parity_words, v); }},
    field{"sum_scales", [](auto& p, auto& v) { set_word(p.model.sum.scales, position_words, v); }},
    field{"sum_factors", [](auto& p, auto& v) { set_word(p.model.sum.factors, factor_words, v); }},
    field{"sum_inputs", [](auto& p, auto& v) { set_word(p.model.sum.inputs, subnormal_words, v); }},
    field{"sum_large", [](auto& p, auto& v) { set_word(p.model.sum.large, large_words, v); }},
    field{"sum_alignment",
          [](auto& p, auto& v) { set_word(p.model.sum.alignment, alignment_words, v); }},
    field{"sum_fraction_bits", [](auto& p, auto& v) { set_number(p.model.sum.fraction_bits, v); }},
    field{"sum_cut", [](auto& p, auto& v) { set_word(p.model.sum.cut, cut_words, v); }},
    field{"sum_lost", [](auto& p, auto& v) { set_word(p.model.sum.lost, lost_words, v); }},
    field{"sum_zeros", [](auto& p, auto& v) { set_word(p.model.sum.zeros, zero_term_words, v); }},
    field{"sum_zero_exponent", [](auto& p, auto& v) { set_number(p.model.sum.zero_exponent, v); }},
    field{"sum_late_dot_bits", [](auto& p, auto& v) { set_number(p.model.sum.late.dot_bits, v); }},
    field{"sum_late_addend_bits",
          [](auto& p, auto& v) { set_number(p.model.sum.late.addend_bits, v); }},
    field{"sum_late_sum_bits", [](auto& p, auto& v) { set_number(p.model.sum.late.sum_bits, v); }},
    field{"sum_late_far", [](auto& p, auto& v) { set_word(p.model.sum.late.far, far_words, v); }},
    field{
        "sum_rounding",
        [](auto& p,
           auto& v) { p.model.sum.rounding = mx::value_named(mx::rounding_table, "rounding", v); }},
    field{"sum_results",
          [](auto& p, auto& v) { set_word(p.model.sum.results, subnormal_words, v); }},
    field{"sum_zero_result",
          [](auto& p, auto& v) { set_word(p.model.sum.zero_result, zero_result_words, v); }},
    field{"sum_output",
          [](auto& p, auto& v) { p.model.sum.output = mx::number_format_spelled(v); }},
    field{"promote", [](auto& p, auto& v) { set_number(p.promote_every, v); }},
    field{"split_k", [](auto& p, auto& v) { set_number(p.parts, v); }},
    field{"split_order", [](auto& p, auto& v) { set_word(p.order, split_order_words, v); }},
    field{"output", [](auto& p, auto& v) { p.output = mx::number_format_spelled(v); }}};

}  // namespace

std::vector<std::string_view> sum_field_names() {
  std::vector<std::string_view> names;
  for (const field& f : fields) names.push_back(f.name);
  return names;
}

void set_sum_field(mx::gemm_plan& plan, std::string_view name, const std::string& value) {
  for (const field& f : fields) {
    if (f.name != name) continue;
    try {
      return f.set(plan, value);
    } catch (const std::invalid_argument& wrong) {  // of a name
      throw input_error("{}", wrong.what());
    }
  }
  throw input_error("no field '{}'", name);
}

}  // namespace sim
