// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_rules.cpp: what the rule options come to: one quantizer, or one preset.
#include "sim/cli/rules/chosen_rules.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mx/names.h"
#include "sim/cli/rules/format_file.h"
#include "sim/cli/rules/variant_choice.h"

namespace sim::cli {
namespace {

template <class T>
void fill(std::optional<T>& asked, const std::optional<T>& otherwise) {
  if (!asked) asked = otherwise;
}

bool names_file(const rule_options& options) {
  return options.format && options.format->starts_with('@');
}

/// The options with the words of their file in place of what is absent.
rule_options with_file(const rule_options& options) {
  if (!names_file(options)) return options;
  rule_options result = options;
  const rule_options file = format_file(options.format->substr(1));
  result.format = file.format;
  fill(result.scale_rule, file.scale_rule);
  fill(result.rounding, file.rounding);
  fill(result.byte_map, file.byte_map);
  fill(result.seed, file.seed);
  fill(result.random_bits, file.random_bits);
  return result;
}

/// Names what a refusal is about: an option that was typed, or a key of the format's file.
class origin {
 public:
  explicit origin(const rule_options& typed) : typed_(typed) {}

  [[nodiscard]] std::string of_format() const {
    return names_file(typed_) ? file() + "the format" : "--format";
  }
  [[nodiscard]] std::string of(const std::optional<std::string>& typed, const char* option,
                               const char* key) const {
    return typed || !names_file(typed_) ? option : fmt::format("{}key '{}'", file(), key);
  }
  /// In front of what all options come to.
  [[nodiscard]] std::string file() const {
    return names_file(typed_) ? typed_.format->substr(1) + ": " : "";
  }

 private:
  const rule_options& typed_;
};

/// Calls a reader of names; what it refuses is reported with where the name stands.
template <class Read>
auto read(const std::string& where, const Read& reader) {
  try {
    return reader();
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(fmt::format("{}: {}", where, wrong.what()));
  }
}

template <class Table, class T>
T named_or(const Table& table, const std::string& where, const char* what,
           const std::optional<std::string>& name, T otherwise) {
  if (!name) return otherwise;
  return read(where, [&] { return mx::value_named(table, what, *name); });
}

void expect_possible(const chosen_rules& rules, const origin& from) {
  const mx::quantization q = rules.quantizer();
  const std::string asked =
      from.file() + fmt::format("--format {} --scale-rule {} --rounding {}", rules.format_name(),
                                rules.rule_name(), rules.rounding_name());
  if (const mx::refusal why = mx::refusal_of(q); why != mx::refusal::none) {
    throw usage_error(fmt::format("{}: {}", asked, mx::sentence_of(why)));
  }
  const mx::correction_refusal why = mx::refusal_of(q, rules.spelled.corrections);
  if (why != mx::correction_refusal::none) {
    throw usage_error(fmt::format("{}: {}", asked, mx::sentence_of(why)));
  }
  if (rules.spelled.passes == mx::passes::twice && rules.format().rows > 1) {
    throw usage_error(
        fmt::format("{}: tiles are the same along both axes, so +double has nothing to do", asked));
  }
}

/// A preset's rules: its own, for one of its formats.
chosen_rules of_variant(const rule_options& o, const origin& from) {
  if (o.scale_rule || o.rounding || o.byte_map || o.seed || o.random_bits) {
    throw usage_error(from.file() +
                      fmt::format("--variant {} has its own scale rule and rounding; leave "
                                  "--scale-rule, --rounding, --seed, --random-bits and --byte-map "
                                  "out",
                                  *o.variant));
  }
  chosen_rules rules;
  rules.variant = &variant_chosen(*o.variant);
  try {
    rules.spelled.format = format_of_variant(*rules.variant, o.format);
  } catch (const usage_error& wrong) {
    throw usage_error(from.file() + wrong.what());
  }
  return rules;
}

}  // namespace

std::string chosen_rules::rule_name() const {
  return variant != nullptr ? "variant" : std::string(mx::name_in(mx::scale_rule_table, rule));
}

std::string chosen_rules::rounding_name() const {
  return variant != nullptr ? "variant" : std::string(mx::name_in(mx::rounding_table, rounding));
}

chosen_rules rules_of(const rule_options& options) {
  const rule_options o = with_file(options);
  const origin from(options);
  if (o.variant) return of_variant(o, from);
  chosen_rules rules;
  rules.spelled =
      read(from.of_format(), [&] { return mx::format_spelled(o.format.value_or("mxfp4")); });
  rules.rule =
      named_or(mx::scale_rule_table, from.of(options.scale_rule, "--scale-rule", "scale_rule"),
               "scale rule", o.scale_rule, mx::default_rule(rules.format()));
  rules.rounding = named_or(mx::rounding_table, from.of(options.rounding, "--rounding", "rounding"),
                            "rounding", o.rounding, mx::rounding::ties_to_even);
  rules.random = {o.seed.value_or(0), o.random_bits.value_or(8),
                  named_or(mx::byte_map_table, from.of(options.byte_map, "--byte-map", "byte_map"),
                           "byte map", o.byte_map, mx::byte_map::ptx)};
  expect_possible(rules, from);
  return rules;
}

}  // namespace sim::cli
