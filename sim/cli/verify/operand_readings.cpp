// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/operand_readings.cpp: see operand_readings.h.
#include "sim/cli/verify/operand_readings.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mx/block/names.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

using word = std::optional<std::string> mx::recipe_words::*;

/// One word of the options in another way.
struct other_rule {
  gv::change what;
  word option;

  friend bool operator==(const other_rule&, const other_rule&) = default;
};

/// The sides of which a rule is replaced.
enum class reach : unsigned char { both, a, b };

/// The factors of a candidate by other rules, the last one of each side in memory.
class other_factors {
 public:
  explicit other_factors(const read_candidate& candidate) : candidate_(candidate) {}

  [[nodiscard]] std::shared_ptr<const gemm_factor> of(factor_side side, const other_rule& rule) {
    kept& last = kept_[static_cast<int>(side)];
    if (last.factor != nullptr && last.rule == rule) return last.factor;
    last = {};
    rule_options rules = candidate_.maker->rules_of(side);
    rules.*rule.option = rule.what.found;
    last.factor = std::make_shared<const gemm_factor>(
        candidate_.maker->read_by(*candidate_.entry, side, rules));
    last.rule = rule;
    return last.factor;
  }

  /// No value where the rule refuses the format or the numbers.
  [[nodiscard]] std::optional<gv::held_operands> of(reach sides, const other_rule& rule) {
    try {
      loaded_operands made;
      made.a =
          sides == reach::b ? candidate_.maker->loaded(candidate_.a) : of(factor_side::a, rule);
      made.b =
          sides == reach::a ? candidate_.maker->loaded(candidate_.b) : of(factor_side::b, rule);
      const auto codes = std::make_shared<const loaded_operands>(std::move(made));
      return gv::held_operands{codes->view(), codes};
    } catch (const usage_error&) {
      return {};
    } catch (const golden::io::file_error&) {
      return {};
    }
  }

 private:
  struct kept {
    other_rule rule;
    std::shared_ptr<const gemm_factor> factor;
  };

  read_candidate candidate_;
  kept kept_[2];
};

bool is_quantized(const gemm_factor& f) { return f.origin == factor_origin::quantized; }
bool is_rounded(const gemm_factor& f) { return f.origin != factor_origin::stored; }

/// The scale rule that a factor's options leave to its format.
std::string default_rule_of(const gemm_factor& f) {
  mx::block_format format;
  format.element = f.element, format.scale = *f.scale, format.columns = f.block;
  return std::string(mx::name_in(mx::scale_rule_table, mx::default_rule(format)));
}

/// The sides among A and B of which a rule can be replaced, both at once first.
std::vector<reach> sides_of(bool a, bool b) {
  if (a && b) return {reach::both, reach::a, reach::b};
  if (a) return {reach::a};
  return b ? std::vector{reach::b} : std::vector<reach>{};
}

const char* text_of(reach sides) {
  constexpr std::array texts{"A and B", "A", "B"};
  return texts[static_cast<std::size_t>(sides)];
}

class reading_list {
 public:
  explicit reading_list(const read_candidate& candidate)
      : candidate_(candidate), factors_(std::make_shared<other_factors>(candidate)) {}

  /// Adds another word of an option for the sides.
  void add(const other_rule& rule, const std::vector<reach>& sides) {
    if (rule.what.found == rule.what.expected) return;
    for (const reach of : sides) {
      gv::change told = rule.what;
      told.found += fmt::format(" in {}", text_of(of));
      readings_.push_back({told, [factors = factors_, rule, of] { return factors->of(of, rule); }});
    }
  }

  /// Of a factor whose options the changes are told against.
  void add_rules(const gemm_factor& told) {
    const auto given = candidate_.maker->rules_of(factor_side::a).scale_rule;
    const std::string expected = given.value_or(default_rule_of(told));
    const auto sides = sides_of(is_quantized(*candidate_.a), is_quantized(*candidate_.b));
    for (const auto& entry : mx::scale_rule_table) {
      add({{"scale_rule", expected, std::string(entry.name)}, &mx::recipe_words::scale_rule},
          sides);
    }
  }
  void add_roundings() {
    const auto given = candidate_.maker->rules_of(factor_side::a).rounding;
    const std::string expected = given.value_or("nearest-even");
    const auto sides = sides_of(is_rounded(*candidate_.a), is_rounded(*candidate_.b));
    for (const auto& entry : mx::rounding_table) {
      if (entry.value == mx::rounding::stochastic) continue;
      add({{"element_rounding", expected, std::string(entry.name)}, &mx::recipe_words::rounding},
          sides);
    }
  }

  [[nodiscard]] std::vector<gv::operand_reading> take() { return std::move(readings_); }

 private:
  const read_candidate& candidate_;
  std::shared_ptr<other_factors> factors_;
  std::vector<gv::operand_reading> readings_;
};

}  // namespace

std::vector<gv::operand_reading> operand_readings(const read_candidate& candidate) {
  reading_list list(candidate);
  if (is_quantized(*candidate.a)) {
    list.add_rules(*candidate.a);
  } else if (is_quantized(*candidate.b)) {
    list.add_rules(*candidate.b);
  }
  list.add_roundings();
  return list.take();
}

}  // namespace sim::cli
