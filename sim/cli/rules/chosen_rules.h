// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_rules.h: what the rule options come to: one quantizer, or one preset.
#pragma once
#include <string>

#include "mx/spelling.h"
#include "sim/cli/rules/rule_options.h"

namespace mx {
struct variant_entry;
}

namespace sim::cli {

/// A quantizer that may be called: nothing refuses it any more.
///   variant  a preset that replaces rule and rounding; null where there is none
struct chosen_rules {
  mx::spelled_format spelled;
  mx::scale_rule rule = mx::scale_rule::floor;
  mx::rounding rounding = mx::rounding::ties_to_even;
  mx::random_source random;
  const mx::variant_entry* variant = nullptr;

  [[nodiscard]] const mx::block_format& format() const { return spelled.format; }
  [[nodiscard]] mx::quantization quantizer() const {
    return {spelled.format, rule, rounding, random};
  }
  [[nodiscard]] bool is_plain() const {
    return variant == nullptr && spelled.corrections == mx::corrections{} &&
           spelled.passes == mx::passes::once;
  }
  [[nodiscard]] std::string format_name() const { return mx::spelling_of(spelled); }
  [[nodiscard]] std::string rule_name() const;
  [[nodiscard]] std::string rounding_name() const;
};

/// The rules that the options and the file of an @FILE format name; the options win.
///   errors  usage_error, with the nearest name where there is one, or why they do not go together
[[nodiscard]] chosen_rules rules_of(const rule_options& options);

}  // namespace sim::cli
