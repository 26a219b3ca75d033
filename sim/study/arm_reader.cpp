// SPDX-License-Identifier: Apache-2.0
// sim/study/arm_reader.cpp: reads [formats] and the [[arm]] tables of a study file.
#include "sim/study/arm_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "mx/spelling.h"
#include "sim/study/format_rules.h"
#include "sim/study/operand_words.h"
#include "sim/study/pass_refusal.h"

namespace sim {
namespace {

using format_table = std::map<std::string, mx::operand, std::less<>>;

constexpr std::string_view of_forward = "forward";

/// Names that [formats] may not give to another format.
void check_format_name(const table_reader& at, std::string_view name, const toml::node& node,
                       const mx::operand& f) {
  if (name == of_forward)
    at.fail(name, node, "another name: in an arm, it is the W or X of forward");
  if (name == "fp32" || (name == "bf16" && f != mx::operand{mx::operand_numbers::bf16})) {
    at.fail(name, node, fmt::format("another name: {} is predefined", name));
  }
}

format_table read_formats(table_reader& root) {
  format_table formats{{"fp32", {}}, {"bf16", {mx::operand_numbers::bf16}}};
  const toml::node* node = root.find("formats");
  if (node == nullptr) return formats;
  const table_reader at = root.open("formats", *node);
  for (auto&& [key, value] : at.table()) {
    table_reader inner = at.open(key.str(), value);
    const mx::operand f = read_operand(inner);
    check_format_name(at, key.str(), value, f);
    formats.insert_or_assign(std::string(key.str()), f);
  }
  return formats;
}

mx::operand named_format(const table_reader& at, std::string_view key, const toml::node& node,
                         const format_table& formats) {
  const auto found = formats.find(at.text(key, node));
  if (found != formats.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, f] : formats) names.push_back(name);
  at.fail(key, node, "a format that [formats] defines: " + one_of(names));
}

/// What a parser of the emulator makes of a key's text; unchanged if the key is absent.
template <class Value>
void read_word(table_reader& at, std::string_view key, Value& out, auto parse) {
  const toml::node* node = at.find(key);
  if (node == nullptr) return;
  const std::string& text = at.text(key, *node);
  try {
    out = parse(text);
  } catch (const std::invalid_argument& wrong) {
    at.refuse(key, wrong.what());
  }
}

void read_model(table_reader& at, const mx::named_model*& out) {
  read_word(at, "model", out, [](const std::string& text) { return &mx::model_spelled(text); });
}

void read_other(table_reader& at, pass_format& f, const format_table& formats) {
  const toml::node* node = at.find("other");
  if (node == nullptr) return;
  if (at.text("other", *node) == of_forward) {
    f.source = operand_source::forward;
  } else {
    f.other = named_format(at, "other", *node, formats);
  }
}

/// A table that changes some keys; `sequences` is a key of wgrad.
void read_pass_table(table_reader& at, pass p, pass_format& f, const format_table& formats) {
  if (const auto* data = at.find("data")) f.data = named_format(at, "data", *data, formats);
  read_other(at, f, formats);
  read_model(at, f.model);
  read_word(at, "rotate", f.rotation, mx::rotation_spelled);
  if (p == pass::wgrad) at.value("sequences", f.sequences, product_sequences);
  at.finish();
}

/// One format for both operands, or a table.
void read_pass(const table_reader& at, const word<pass>& w, const toml::node& node, pass_format& f,
               const format_table& formats) {
  if (!node.is_table()) {
    f.data = f.other = named_format(at, w.text, node, formats);
    return;
  }
  table_reader inner = at.open(w.text, node);
  read_pass_table(inner, w.value, f, formats);
}

/// The key that gave a pass what is refused.
std::string blamed_key(const table_reader& at, std::string_view pass_name, std::string_view key) {
  const toml::node* own = at.table().get(pass_name);
  const bool inner = own != nullptr && own->is_table();
  if (inner && own->as_table()->contains(key)) return fmt::format("{}.{}", pass_name, key);
  if (key == "model" && at.table().contains(key)) return std::string(key);
  return own != nullptr && !inner ? std::string(pass_name) : "format";
}

void check_passes(const table_reader& at, const arithmetic& formats, const policy_shape& shape) {
  for (const auto& w : pass_words) {
    const pass_fault fault = fault_of(formats, w.value, shape);
    if (fault.why == pass_refusal::none) continue;
    at.refuse(blamed_key(at, w.text, key_of(fault)), sentence_of(formats, w.value, shape, fault));
  }
}

void check_exempt(const table_reader& at, const exempt_products& e) {
  if (e.is_empty()) at.refuse("exempt", "exempts nothing; set first, last or linears");
  if (e.first + e.last >= e.layers) {
    at.refuse("exempt",
              fmt::format("first = {} and last = {} leave none of {} layers; lower them, or "
                          "give the arm this format",
                          e.first, e.last, e.layers));
  }
  if (mx::line_refusal_of(e.format) != mx::operand_refusal::none) {
    at.refuse("exempt.format", sentence_of(e.format, mx::operand_refusal::whole));
  }
}

exempt_products read_exempt(table_reader& at, const format_table& formats,
                            const policy_shape& shape) {
  const toml::node* node = at.find("exempt");
  if (node == nullptr) return {};
  table_reader inner = at.open("exempt", *node);
  exempt_products result{.layers = shape.layers};
  inner.value("first", result.first, whole{0, 255});
  inner.value("last", result.last, whole{0, 255});
  inner.word("linears", result.part, layer_part_words);
  const toml::node* format = inner.find("format");
  if (format == nullptr) inner.fail("format", "the format of the exempt products", "none");
  result.format = named_format(inner, "format", *format, formats);
  inner.finish();
  check_exempt(at, result);
  return result;
}

/// A list of words, each of which sets its flag; all are set where the key is absent.
template <class Words, std::size_t Count>
void read_flags(table_reader& at, std::string_view key, std::array<bool, Count>& out,
                const Words& words) {
  const toml::node* node = at.find(key);
  if (node == nullptr) return;
  out.fill(false);
  at.each_word(key, *node, "words", words,
               [&](auto value) { out[static_cast<std::size_t>(value)] = true; });
  if (std::ranges::find(out, true) == out.end()) at.fail(key, *node, "at least one word");
}

/// Some formats take a whole matrix, which W is, and the lines of other operands are not.
void check_rule_format(const table_reader& at, const format_rule& rule) {
  const bool w_alone = !rule.operands[static_cast<std::size_t>(operand_role::data)] &&
                       !rule.passes[static_cast<std::size_t>(pass::wgrad)];
  if (w_alone || mx::line_refusal_of(rule.format) == mx::operand_refusal::none) return;
  at.refuse("format", sentence_of(rule.format, mx::operand_refusal::whole) +
                          "; or leave it to operands = [\"other\"] of passes without wgrad");
}

format_rule read_rule(table_reader& at, const format_table& formats, const policy_shape& shape) {
  format_rule rule;
  at.value("names", rule.names);
  read_flags(at, "passes", rule.passes, pass_words);
  read_flags(at, "operands", rule.operands, operand_role_words);
  const toml::node* format = at.find("format");
  if (format == nullptr) at.fail("format", "the format of these operands", "none");
  rule.format = named_format(at, "format", *format, formats);
  at.finish();
  check_rule_format(at, rule);
  rule.linears_a_layer = linears_of(shape, 0).size();
  try {
    rule.matches = linears_named(rule.names, shape);
  } catch (const std::invalid_argument& wrong) {
    at.refuse("names", wrong.what());
  }
  return rule;
}

std::vector<format_rule> read_rules(table_reader& at, const format_table& formats,
                                    const policy_shape& shape) {
  std::vector<format_rule> rules;
  const toml::node* node = at.find("by_name");
  if (node == nullptr) return rules;
  for (const toml::node& element : at.array("by_name", *node, "tables")) {
    table_reader inner = at.open("by_name", element);
    rules.push_back(read_rule(inner, formats, shape));
  }
  return rules;
}

arithmetic read_arithmetic(table_reader& at, const format_table& formats,
                           const policy_shape& shape) {
  pass_format all;
  read_model(at, all.model);
  if (const auto* node = at.find("format")) {
    all.data = all.other = named_format(at, "format", *node, formats);
  }
  arithmetic result{all, all, all, all};
  const exempt_products exempt = read_exempt(at, formats, shape);
  const std::vector<format_rule> rules = read_rules(at, formats, shape);
  for (const auto& w : pass_words) {
    const toml::node* node = at.find(w.text);
    if (node != nullptr) read_pass(at, w, *node, formats_of(result, w.value), formats);
  }
  for (const pass p : all_passes) {
    pass_format& f = formats_of(result, p);
    if (f.source == operand_source::forward) {
      f.other = p == pass::wgrad ? result.forward.data : result.forward.other;
    }
    f.exempt = exempt;
    f.rules = rules;
  }
  check_passes(at, result, shape);
  return result;
}

/// Names are used in file names, in comma-separated lists and in tables.
bool is_arm_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.front() == '-' || name.size() > 64) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && std::string_view("+-_.").find(c) == std::string_view::npos) {
      return false;
    }
  }
  // Reserved for the rows that compare cells and for the checkpoint of the warm-up.
  return name != "factorial" && name != "warm-up";
}

void check_name(const table_reader& at, const toml::node* node, const study& s,
                const std::string& name) {
  if (node == nullptr) at.fail("name", "one in every [[arm]]", "none");
  if (!is_arm_name(name)) {
    at.fail("name", *node,
            "at most 64 of A-Z a-z 0-9 + - _ . that begin with neither '.' nor '-', and not "
            "\"factorial\" or \"warm-up\"");
  }
  for (const arm& other : s.arms) {
    if (other.name == name) at.fail("name", *node, "a name that no other arm has");
  }
}

void check_reference(const table_reader& at, const arm& first) {
  const bool plain = first.formats == arithmetic{} && first.noise == rollout_noise::none &&
                     first.correction == mismatch::none;
  if (first.name == "fp32" && plain) return;
  at.fail("name",
          "the first arm to be the reference: name \"fp32\", format \"fp32\" in every pass, no "
          "noise, no correction",
          fmt::format("\"{}\"{}", first.name, plain ? "" : " with another arithmetic"));
}

/// A product's sequences are an aligned subtree of the gradient's sum, in one micro-batch.
void check_sequences(const table_reader& at, int sequences, const study& s) {
  constexpr const char* key = "wgrad.sequences";
  if ((sequences & (sequences - 1)) != 0) at.fail(key, "a power of two", sequences);
  const int batch = s.grpo.prompts * s.grpo.samples / s.grpo.minibatches;
  if (batch % sequences != 0) {
    at.fail(key,
            fmt::format("a divisor of an update's sequences, grpo.prompts * grpo.samples{} = {}",
                        s.grpo.minibatches > 1 ? " / grpo.minibatches" : "", batch),
            sequences);
  }
  if (s.measurement.frozen_tokens == frozen_tokens::demonstrations &&
      s.warm_up.sequences % sequences != 0) {
    at.fail(key,
            fmt::format("a divisor of the demonstrations of measurement.frozen_tokens, "
                        "warm_up.sequences = {}",
                        s.warm_up.sequences),
            sequences);
  }
  if (s.run.micro_batch % sequences != 0) {
    at.fail(key, fmt::format("a divisor of run.micro_batch = {}", s.run.micro_batch),
            fmt::format("{}; a micro-batch splits no product, run.micro_batch = 0 chooses one",
                        sequences));
  }
}

void read_cap(table_reader& at, arm& a) {
  if (at.find("importance_cap") == nullptr) return;
  if (a.correction == mismatch::none) {
    at.refuse("importance_cap",
              "has no effect on an arm without correction; remove it, or set correction");
  }
  at.value("importance_cap", a.importance_cap.emplace(), positive);
}

void read_decay(table_reader& at, arm& a, const grpo_constants& g) {
  if (at.find("weight_decay") == nullptr) return;
  at.value("weight_decay", a.weight_decay.emplace(), positive_or_zero);
  if (optimizer_of(a, g) == optimizer_kind::adamw) return;
  at.refuse("weight_decay",
            "has no effect on an arm without AdamW; remove it, or set optimizer = \"adamw\"");
}

/// An optimizer other than the study's needs its own rate: rates of the two are not comparable.
void read_update(table_reader& at, arm& a, const grpo_constants& g) {
  if (at.find("learning_rate") != nullptr) {
    at.value("learning_rate", a.learning_rate.emplace(), positive);
  }
  if (at.find("optimizer") != nullptr) at.word("optimizer", a.optimizer.emplace(), optimizer_words);
  read_decay(at, a, g);
  if (a.training == arm_training::none && (a.optimizer || a.learning_rate || a.weight_decay)) {
    at.refuse(a.optimizer       ? "optimizer"
              : a.learning_rate ? "learning_rate"
                                : "weight_decay",
              "has no effect beside training = \"none\"; remove one of the two keys");
  }
  if (a.learning_rate || optimizer_of(a, g) == g.optimizer) return;
  at.refuse("optimizer", fmt::format("expected learning_rate beside it: grpo.learning_rate = {} is "
                                     "that of grpo.optimizer = \"{}\"",
                                     g.learning_rate, text_of(optimizer_words, g.optimizer)));
}

arm read_arm(table_reader& at, const format_table& formats, const study& s) {
  arm result;
  at.value("name", result.name);
  check_name(at, at.find("name"), s, result.name);
  result.formats = read_arithmetic(at, formats, s.policy);
  check_sequences(at, result.formats.wgrad.sequences, s);
  at.word("noise", result.noise, noise_words);
  at.word("correction", result.correction, correction_words);
  read_cap(at, result);
  at.word("training", result.training, arm_training_words);
  read_update(at, result, s.grpo);
  at.finish();
  if (s.arms.empty()) check_reference(at, result);
  return result;
}

}  // namespace

void read_arms(table_reader& root, study& s) {
  const format_table formats = read_formats(root);
  const toml::node* node = root.find("arm");
  if (node == nullptr) root.fail("arm", "at least one [[arm]]", "none");
  if (!node->is_array() || node->as_array()->empty()) root.fail("arm", *node, "[[arm]] tables");
  for (const toml::node& element : *node->as_array()) {
    table_reader at = root.open("arm", element);
    s.arms.push_back(read_arm(at, formats, s));
  }
}

}  // namespace sim
