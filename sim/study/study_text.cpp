// SPDX-License-Identifier: Apache-2.0
// sim/study/study_text.cpp: writes a resolved study as TOML, and hashes it.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

#include "mx/recipe_words.h"
#include "sim/study/operand_words.h"
#include "sim/study/sha256.h"
#include "sim/study/study_file.h"
#include "sim/study/study_keys.h"
#include "sim/study/study_words.h"
#include "sim/study/whole_path.h"

namespace sim {
namespace {

/// Shortest decimal that reads back to v, with the point or exponent that TOML requires of a float.
template <class Real>
std::string decimal(Real v) {
  std::array<char, 32> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), v).ptr;
  std::string result(digits.data(), end);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

/// As decimal, for a reader that parses binary64 first.
std::string decimal_of(float v) {
  const std::string shortest = decimal(v);
  double back = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), back);
  return static_cast<float>(back) == v ? shortest : decimal(static_cast<double>(v));
}

/// Texts of a study are UTF-8 without control characters, and so have no other escapes.
std::string string_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Collects the keys of one table, followed by its subtables.
class table_writer {
 public:
  explicit table_writer(std::string path) : path_(std::move(path)) {}

  void value(std::string_view key, int v, whole) { line(key, fmt::format("{}", v)); }
  void value(std::string_view key, std::uint64_t v) { line(key, fmt::format("{}", v)); }
  void value(std::string_view key, float v, const real&) { line(key, decimal_of(v)); }
  void value(std::string_view key, double v, const real&) { line(key, decimal(v)); }
  template <class Number, class Limits>
  void value(std::string_view key, Number v, const conditional<Limits>& of) {
    if (of.effective) value(key, v, of.limits);
  }
  template <class Number, class Limits>
  void value(std::string_view key, Number v, const unless_zero<Limits>& of) {
    if (v != 0) value(key, v, of.limits);
  }
  void value(std::string_view key, const std::string& v) { line(key, string_text(v)); }
  void value(std::string_view key, const std::vector<int>& v, whole) {
    line(key, fmt::format("[{}]", fmt::join(v, ", ")));
  }
  void value(std::string_view key, const std::vector<int>& v, const unless_default& of) {
    if (v != of.standard) value(key, v, of.limits);
  }
  void value(std::string_view key, const std::vector<float>& v, const real&) {
    std::vector<std::string> texts;
    for (const float element : v) texts.push_back(decimal_of(element));
    line(key, fmt::format("[{}]", fmt::join(texts, ", ")));
  }

  /// The whole path: the text may be read from any folder.
  void file(std::string_view key, const std::string& name) {
    if (!name.empty()) value(key, whole_path(name));
  }

  template <class Value, class Words>
  void word(std::string_view key, Value v, const Words& words) {
    line(key, string_text(text_of(words, v)));
  }
  /// Not written where it is the usual one.
  template <class Value, class Words>
  void word(std::string_view key, Value v, const Words& words, Value usual) {
    if (v != usual) word(key, v, words);
  }

  template <class Value, class Words>
  void word(std::string_view key, Value v, const Words& words, const effective_where& of) {
    if (of.effective) word(key, v, words);
  }

  template <class Value, class Words>
  void word_unless(Value usual, std::string_view key, Value v, const Words& words) {
    if (v != usual) word(key, v, words);
  }

  template <class Section>
  void table(std::string_view key, Section& section) {
    table_writer inner(path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
    visit_keys(section, inner);
    tables_ += inner.text();
  }

  template <class Section>
  void tables(std::string_view key, std::map<std::string, Section>& sections) {
    table_writer all(fmt::format("{}.{}", path_, key));
    for (auto& [name, section] : sections) all.table(name, section);
    tables_ += all.tables_;
  }

  [[nodiscard]] std::string text() const {
    return (path_.empty() ? keys_ : fmt::format("\n[{}]\n{}", path_, keys_)) + tables_;
  }

 private:
  void line(std::string_view key, const std::string& v) {
    keys_ += fmt::format("{} = {}\n", key, v);
  }

  std::string path_, keys_, tables_;
};

std::string number_name(const mx::operand& f) {
  std::string result(text_of(number_words, f.numbers));
  if (!f.is_coded()) return result;
  const mx::corrections& c = f.recipe.corrections;
  const std::string_view rule = mx::name_in(mx::scale_rule_table, f.recipe.rules.rule);
  if (f.recipe.rules.rule != mx::scale_rule::rceil) result += fmt::format("-{}", rule);
  if (f.toggle != mx::toggle::none) {
    const auto parts = parts_of(f.parts);
    return result +
           fmt::format("-{}-{}", text_of(toggle_words, f.toggle),
                       parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, "-")));
  }
  if (c.macro_block != 0) result += fmt::format("-macro{}x{}", c.macro_block, c.macro_bits);
  if (c.has_residual()) result += "-fallback" + decimal_of(c.alpha);
  return result;
}

std::string toggle_text(const mx::operand& f) {
  if (f.toggle == mx::toggle::none) return "";
  std::vector<std::string> parts;
  for (const auto part : parts_of(f.parts)) parts.push_back(string_text(part));
  return fmt::format("toggle = \"{}\"\nparts = [{}]\n", text_of(toggle_words, f.toggle),
                     fmt::join(parts, ", "));
}

std::string number_text(const mx::operand& f) {
  std::string result = fmt::format("numbers = \"{}\"\n", text_of(number_words, f.numbers));
  if (!f.is_coded()) return result;
  const mx::corrections& c = f.recipe.corrections;
  result +=
      fmt::format("scale_rule = \"{}\"\n", mx::name_in(mx::scale_rule_table, f.recipe.rules.rule));
  result += toggle_text(f);
  if (c.macro_block != 0) {
    result += fmt::format("macro_block = {}\nmacro_bits = {}\n", c.macro_block, c.macro_bits);
  }
  if (c.has_residual()) result += fmt::format("fallback_alpha = {}\n", decimal_of(c.alpha));
  return result;
}

/// The words of a recipe, with a byte map beside any number of random bits: where it has no say it
/// is the default, but hashes of published studies are those of texts that name it.
mx::recipe_words words_of_text(const mx::recipe& r) {
  mx::recipe_words words = mx::words_of(r);
  if (mx::draws_bits(r)) {
    words.byte_map = std::string(mx::name_in(mx::byte_map_table, r.rules.random.map));
  }
  return words;
}

std::string recipe_text(const mx::operand& f) {
  const mx::recipe_words words = words_of_text(f.recipe);
  std::string result;
  const auto add = [&result](std::string_view key, const std::optional<std::string>& word) {
    if (word) result += fmt::format("{} = {}\n", key, string_text(*word));
  };
  add("recipe", words.format);
  add("variant", words.variant);
  add("scale_rule", words.scale_rule);
  add("rounding", words.rounding);
  if (words.random_bits) result += fmt::format("random_bits = {}\n", *words.random_bits);
  add("byte_map", words.byte_map);
  return result + toggle_text(f);
}

std::string keys_of(const mx::operand& f) {
  return has_number_keys(f) ? number_text(f) : recipe_text(f);
}

std::string recipe_name(const mx::operand& f) {
  const mx::recipe_words words = words_of_text(f.recipe);
  std::string result = *words.format;
  for (const auto& word : {words.variant, words.scale_rule, words.rounding}) {
    if (word) result += ", " + *word;
  }
  if (words.byte_map) {
    result += fmt::format(", {} bits {}", f.recipe.rules.random.bits, *words.byte_map);
  }
  if (f.toggle == mx::toggle::none) return result;
  return result + fmt::format(", {} of {}", text_of(toggle_words, f.toggle),
                              fmt::join(parts_of(f.parts), " "));
}

/// A name that encodes the whole format, so that different formats have different names.
std::string name_of(const mx::operand& f) {
  return has_number_keys(f) ? number_name(f) : recipe_name(f);
}

std::string formats_text(const study& s) {
  std::map<std::string, mx::operand> formats;
  for (const arm& a : s.arms) {
    for (const pass p : all_passes) {
      const pass_format& f = formats_of(a.formats, p);
      for (const auto& operand : {f.data, f.other, f.exempt.format}) {
        formats.emplace(name_of(operand), operand);
      }
      for (const format_rule& rule : f.rules) formats.emplace(name_of(rule.format), rule.format);
    }
  }
  std::string result;
  for (const auto& [name, f] : formats) {
    if (f == mx::operand{}) continue;  // fp32 is predefined
    result += fmt::format("\n[formats.{}]\n{}", string_text(name), keys_of(f));
  }
  return result;
}

std::string pass_text(const pass_format& f) {
  const bool own = f.source == operand_source::own;
  std::string result = fmt::format("{{ data = {}, other = {}", string_text(name_of(f.data)),
                                   string_text(own ? name_of(f.other) : "forward"));
  if (f.model != pass_format{}.model) {
    result += fmt::format(", model = {}", string_text(f.model->name));
  }
  if (f.rotation.size != 0) {
    result += fmt::format(", rotate = {}", string_text(mx::spelling_of(f.rotation)));
  }
  if (f.sequences != 1) result += fmt::format(", sequences = {}", f.sequences);
  return result + " }";
}

/// The words whose flags are set, as a list.
template <class Words, class Flags>
std::string list_text(const Words& words, const Flags& flags) {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) set.push_back(string_text(words[i].text));
  }
  return fmt::format("[{}]", fmt::join(set, ", "));
}

std::string rules_text(const std::vector<format_rule>& rules) {
  std::vector<std::string> tables;
  for (const format_rule& rule : rules) {
    tables.push_back(fmt::format("{{ names = {}, passes = {}, operands = {}, format = {} }}",
                                 string_text(rule.names), list_text(pass_words, rule.passes),
                                 list_text(operand_role_words, rule.operands),
                                 string_text(name_of(rule.format))));
  }
  return fmt::format("by_name = [{}]\n", fmt::join(tables, ", "));
}

/// An arm's own optimizer, as its keys say it. An arm that is not trained has no such keys, also
/// where claims or a policy's measurement left out the training of one that has its own.
std::string update_text(const arm& a) {
  if (a.training == arm_training::none) return "training = \"none\"\n";
  std::string result;
  if (a.optimizer) {
    result += fmt::format("optimizer = \"{}\"\n", text_of(optimizer_words, *a.optimizer));
  }
  if (a.learning_rate) {
    result += fmt::format("learning_rate = {}\n", decimal_of(*a.learning_rate));
  }
  if (a.weight_decay) {
    result += fmt::format("weight_decay = {}\n", decimal_of(*a.weight_decay));
  }
  return result;
}

std::string arm_text(const arm& a) {
  std::string result = fmt::format("\n[[arm]]\nname = {}\n", string_text(a.name));
  for (const auto& w : pass_words) {
    const pass_format& f = formats_of(a.formats, w.value);
    result += fmt::format("{} = {}\n", w.text, pass_text(f));
  }
  result += fmt::format("noise = \"{}\"\n", text_of(noise_words, a.noise));
  result += fmt::format("correction = \"{}\"\n", text_of(correction_words, a.correction));
  if (a.importance_cap) {
    result += fmt::format("importance_cap = {}\n", decimal_of(*a.importance_cap));
  }
  // Hashes of studies without these keys are those of versions that had none.
  const exempt_products& e = a.formats.forward.exempt;
  if (!e.is_empty()) {
    result += fmt::format("exempt = {{ first = {}, last = {}, linears = \"{}\", format = {} }}\n",
                          e.first, e.last, text_of(layer_part_words, e.part),
                          string_text(name_of(e.format)));
  }
  if (!a.formats.forward.rules.empty()) result += rules_text(a.formats.forward.rules);
  return result + update_text(a);
}

/// Everything that determines the results.
std::string constants_text(const study& s) {
  study copy = s;
  table_writer writer("");
  visit_keys(copy, writer);
  std::string result = writer.text() + formats_text(s);
  for (const arm& a : s.arms) result += arm_text(a);
  return result;
}

}  // namespace

std::string resolved_toml(const study& s) {
  execution run = s.run;
  table_writer writer("");
  writer.table("run", run);
  return constants_text(s) + writer.text();
}

std::string study_hash(const study& s) {
  study without_places = s;
  without_places.task.source.file.clear();
  without_places.policy.source.file.clear();
  return sha256_of(constants_text(without_places));
}

}  // namespace sim
