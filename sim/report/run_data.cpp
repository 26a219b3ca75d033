// SPDX-License-Identifier: Apache-2.0
// sim/report/run_data.cpp: the arms of a run in groups, and figures from a study's constants.
#include "sim/report/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "golden/io/counted.h"
#include "mx/recipe_words.h"
#include "sim/study/contractions.h"
#include "sim/study/operand_words.h"
#include "sim/study/pass_refusal.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

constexpr std::size_t group_size = 4;  // beside the reference and plain MXFP4

enum class kind { format, injection, operation, correction, model };
constexpr std::array<const char*, 5> kind_words{"Formats and passes", "Injection", "Operation",
                                                "Corrections", "Models of products"};

bool has_pass(const arm& a, auto condition) {
  return std::ranges::any_of(all_passes,
                             [&](pass p) { return condition(formats_of(a.formats, p)); });
}

bool holds(const arm& a, auto condition) {
  return has_pass(a, [&](const auto& f) { return condition(f.data) || condition(f.other); });
}

kind kind_of(const arm& a) {
  if (holds(a, [](const auto& f) { return f.toggle == mx::toggle::injection; })) {
    return kind::injection;
  }
  if (holds(a, [](const auto& f) { return f.toggle == mx::toggle::operation; })) {
    return kind::operation;
  }
  if (has_pass(a, [](const auto& f) { return f.model != pass_format{}.model; })) return kind::model;
  const bool rotated = has_pass(a, [](const auto& f) { return f.rotation.size != 0; });
  const bool corrected = rotated || holds(a, [](const auto& f) { return f.recipe.is_corrected(); });
  return corrected || a.noise != rollout_noise::none ? kind::correction : kind::format;
}

std::string toggle_words_of(const mx::operand& f) {
  if (f.toggle == mx::toggle::none) return "";
  const auto names = parts_of(f.parts);
  return fmt::format(", {} of {}", text_of(toggle_words, f.toggle),
                     names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, " + ")));
}

std::string number_words_of(const mx::operand& f) {
  if (!f.is_coded()) return f.numbers == mx::operand_numbers::fp32 ? "FP32" : "BF16";
  const mx::corrections& c = f.recipe.corrections;
  std::string result =
      fmt::format("MXFP4 {}", mx::name_in(mx::scale_rule_table, f.recipe.rules.rule));
  result += toggle_words_of(f);
  if (c.macro_block != 0) {
    result += fmt::format(", macro block {} ({} bits)", c.macro_block, c.macro_bits);
  }
  if (c.has_residual()) result += fmt::format(", outlier fallback \u03B1 = {}", c.alpha);
  return result;
}

std::string recipe_words_of(const mx::operand& f) {
  const mx::recipe_words words = mx::words_of(f.recipe);
  if (words.variant) return fmt::format("{} as {}", *words.format, *words.variant);
  std::string result = fmt::format("{} {}, {}", *words.format, *words.scale_rule, *words.rounding);
  if (words.random_bits) result += fmt::format(" ({} bits)", *words.random_bits);
  return result + toggle_words_of(f);
}

}  // namespace

std::vector<std::string> arms_of(const run_data& run, std::string_view phase) {
  const std::vector<std::string> measured = run.figures.arms(phase);
  std::vector<std::string> result;
  for (const arm& a : run.of.arms) {
    if (std::ranges::find(measured, a.name) != measured.end()) {
      result.push_back(a.name);
    }
  }
  return result;
}

std::vector<arm_group> groups_of(const run_data& run, std::string_view phase) {
  const std::vector<std::string> measured = arms_of(run, phase);
  const auto has = [&](const std::string& name) {
    return std::ranges::find(measured, name) != measured.end();
  };
  std::array<std::vector<std::string>, kind_words.size()> by_kind;
  for (const arm& a : run.of.arms) {
    if (a.name == "fp32" || a.name == "mxfp4" || !has(a.name)) continue;
    by_kind[static_cast<std::size_t>(kind_of(a))].push_back(a.name);
  }
  std::vector<arm_group> result;
  for (std::size_t k = 0; k < by_kind.size(); ++k) {
    const std::vector<std::string>& names = by_kind[k];
    const std::size_t count = (names.size() + group_size - 1) / group_size;
    for (std::size_t g = 0; g < count; ++g) {
      arm_group group{kind_words[k], {}};
      if (count > 1) group.title += fmt::format(", {} of {}", g + 1, count);
      for (const char* name : {"fp32", "mxfp4"}) {
        if (has(name)) group.arms.emplace_back(name);
      }
      const std::size_t begin = names.size() * g / count, end = names.size() * (g + 1) / count;
      group.arms.insert(group.arms.end(), names.begin() + static_cast<std::ptrdiff_t>(begin),
                        names.begin() + static_cast<std::ptrdiff_t>(end));
      result.push_back(std::move(group));
    }
  }
  if (result.empty() && !measured.empty()) result.push_back({"Arms", measured});
  return result;
}

std::optional<bool> warm_up_reached(const run_data& run) {
  const curve reached = run.figures.along("warm-up", "fp32", "target_reached");
  if (reached.values.empty()) return {};
  return reached.values.back() != 0;
}

std::string words_of(const mx::operand& f) {
  return has_number_keys(f) ? number_words_of(f) : recipe_words_of(f);
}

std::string words_of(const exempt_products& e) {
  std::vector<std::string> words;
  if (e.first > 0) words.push_back(fmt::format("the first {}", e.first));
  if (e.last > 0) words.push_back(fmt::format("the last {}", e.last));
  if (!words.empty()) words.back() += fmt::format(" of {}", golden::io::counted(e.layers, "layer"));
  if (e.part == layer_part::attention) words.emplace_back("attention");
  if (e.part == layer_part::feed_forward) words.emplace_back("feed-forward");
  if (words.empty()) return "";
  return fmt::format("{}: {}", fmt::join(words, " and "), words_of(e.format));
}

namespace {

/// "both operands", "X of forward and dY of wgrad".
std::string words_of_operands(const format_rule& rule) {
  std::map<std::string_view, std::vector<std::string_view>> passes;
  std::size_t count = 0;
  for (const auto& p : pass_words) {
    for (const auto& o : operand_role_words) {
      const bool about = rule.passes[static_cast<std::size_t>(p.value)] &&
                         rule.operands[static_cast<std::size_t>(o.value)];
      if (about) passes[name_of(p.value, o.value)].push_back(p.text);
      count += about ? 1 : 0;
    }
  }
  if (count == pass_words.size() * operand_role_words.size()) return "both operands";
  std::vector<std::string> words;
  for (const auto& [operand, of] : passes) {
    words.push_back(fmt::format("{} of {}", operand, fmt::join(of, ", ")));
  }
  return fmt::format("{}", fmt::join(words, " and "));
}

}  // namespace

std::string words_of(const std::vector<format_rule>& rules) {
  std::vector<std::string> words;
  for (const format_rule& rule : rules) {
    words.push_back(fmt::format("{} where {} matches: {}", words_of_operands(rule), rule.names,
                                words_of(rule.format)));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

long long parameters_of(const policy_shape& p) {
  const long long d = p.width, queries = static_cast<long long>(p.heads) * p.head_width;
  const long long keys = static_cast<long long>(p.kv_heads) * p.head_width;
  const family_features& has = features_of(p.family);
  const long long parts = p.has_experts() ? p.experts.count : 1;
  const long long layer = 2 * d * queries + 2 * d * keys + parts * 3 * d * p.hidden + 2 * d +
                          (p.has_experts() ? parts * d : 0) +
                          (has.qk_norm ? 2LL * p.head_width : 0) +
                          (has.qkv_bias ? queries + 2 * keys : 0);
  const long long matrices = p.head == output_head::own ? 2 : 1;
  return p.layers * layer + matrices * p.vocabulary * d + d;
}

std::string words_of_task(const task_shape& t) {
  if (t.kind == task_kind::column_addition) {
    return fmt::format("chained addition, {}", golden::io::counted(t.digits, "digit"));
  }
  if (is_listed(t)) {
    return fmt::format("problems of {}, SHA-256 {:.12}",
                       std::filesystem::path(t.source.file).filename().string(), t.source.sha256);
  }
  return fmt::format("sums of {} numbers modulo {}", t.terms, t.modulus);
}

std::vector<std::string> short_contractions(const policy_shape& p, const task_shape& t,
                                            int macro_block) {
  std::vector<std::string> result;
  for (const contraction& c : contractions_of(p, t)) {
    if (c.length < macro_block) result.push_back(fmt::format("{} ({})", c.products, c.length));
  }
  return result;
}

}  // namespace sim
