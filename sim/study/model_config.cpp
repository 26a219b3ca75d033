// SPDX-License-Identifier: Apache-2.0
// sim/study/model_config.cpp: see model_config.h.
#include "sim/study/model_config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "golden/io/file.h"
#include "sim/study/shallow_json.h"

namespace sim {
namespace {

using nlohmann::ordered_json;

/// Reads the keys of a config.json.
class config_reader {
 public:
  config_reader(const std::string& text, const std::string& source) : source_(source) {
    try {
      object_ = shallow_json<ordered_json>(text);
    } catch (const json_error& e) {
      throw golden::io::file_error(source, e.what());
    }
    if (!object_.is_object()) throw golden::io::file_error(source, "is no JSON object");
  }

  [[noreturn]] void fail(const std::string& key, std::string_view expected) const {
    const ordered_json* found = find(key);
    throw golden::io::file_error(source_,
                                 fmt::format("key '{}': expected {}, found {:.60}", key, expected,
                                             found == nullptr ? "nothing" : found->dump()));
  }

  /// Null where the key is absent or null.
  [[nodiscard]] const ordered_json* find(const std::string& key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  [[nodiscard]] int count(const std::string& key) const {
    constexpr int most = 1 << 20;
    const ordered_json* j = find(key);
    const bool fits = j != nullptr && j->is_number_unsigned() && j->get<std::uint64_t>() > 0 &&
                      j->get<std::uint64_t>() <= most;
    if (!fits) fail(key, fmt::format("an integer from 1 to {}", most));
    return j->get<int>();
  }
  [[nodiscard]] int count_or(const std::string& key, int absent) const {
    return find(key) == nullptr ? absent : count(key);
  }
  [[nodiscard]] double positive_number(const std::string& key, double absent) const {
    const ordered_json* j = find(key);
    if (j == nullptr) return absent;
    const double v = j->is_number() ? j->get<double>() : 0;
    if (!(v > 0) || !std::isfinite(v)) fail(key, "a number above 0");
    return v;
  }

  [[nodiscard]] bool truth(const std::string& key, bool absent) const {
    const ordered_json* j = find(key);
    if (j == nullptr) return absent;
    if (!j->is_boolean()) fail(key, "true or false");
    return j->get<bool>();
  }

  /// Refuses a key with another value than the one that is computed.
  void expect(const std::string& key, const ordered_json& value, const std::string& words) const {
    const ordered_json* j = find(key);
    if (j != nullptr && *j != value) fail(key, words);
  }

  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  const std::string& source_;
  ordered_json object_;
};

policy_family family_in(const config_reader& c) {
  const ordered_json* type = c.find("model_type");
  for (const family_features& f : families) {
    if (type != nullptr && *type == f.name) return f.family;
  }
  c.fail("model_type", names_of_families());
}

/// The base of the rotary embedding, which transformers 5 keeps in a table of its own.
double rope_theta_in(const config_reader& c, double absent) {
  const ordered_json* table = c.find("rope_parameters");
  if (table == nullptr) return c.positive_number("rope_theta", absent);
  for (const auto& [key, value] : table->items()) {
    const bool computed = key == "rope_theta" ||
                          ((key == "rope_type" || key == "type") && value == "default") ||
                          (key == "partial_rotary_factor" && value == 1);
    if (!computed) {
      c.fail("rope_parameters",
             "a rope_theta, and the rope_type \"default\": scaled positions are not computed");
    }
  }
  const auto theta = table->find("rope_theta");
  if (theta == table->end() || !theta->is_number() || !(theta->get<double>() > 0)) {
    c.fail("rope_parameters", "a rope_theta above 0");
  }
  return theta->get<double>();
}

/// Of configurations without the key.
int default_context(policy_family family) { return family == policy_family::llama ? 2048 : 32768; }

const char* architecture_of(policy_family family) {
  constexpr std::array names{"LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM",
                             "Qwen3MoeForCausalLM"};
  return names[static_cast<std::size_t>(family)];
}

void expect_computed(const config_reader& c, policy_family family) {
  c.expect("hidden_act", "silu", "\"silu\", the only activation that is computed");
  c.expect("rope_scaling", nullptr, "null: scaled positions are not computed");
  c.expect("partial_rotary_factor", 1, "1: all of a head is rotated");
  c.expect("is_causal", true, "true: attention to all earlier tokens");
  c.expect("use_sliding_window", false, "false: attention to all earlier tokens");
  const bool biased = features_of(family).qkv_bias;
  c.expect("attention_bias", biased, "the biases that its family has, no others");
  c.expect("mlp_bias", false, "false: linears without biases");
  if (c.find("quantization_config") != nullptr) {
    c.fail("quantization_config", "none: weights as numbers; dequantize the model first");
  }
}

output_head head_in(const config_reader& c) {
  return c.truth("tie_word_embeddings", false) ? output_head::embedding : output_head::own;
}

/// Absent keys have the values of Qwen3MoeConfig.
expert_mixture experts_in(const config_reader& c) {
  c.expect("decoder_sparse_step", 1, "1: experts in every layer");
  c.expect("mlp_only_layers", ordered_json::array(), "[]: experts in every layer");
  expert_mixture experts;
  // Newer versions of transformers write num_local_experts.
  experts.count = c.count_or("num_experts", c.count_or("num_local_experts", 128));
  experts.chosen = c.count_or("num_experts_per_tok", 8);
  if (experts.chosen > experts.count) {
    c.fail("num_experts_per_tok", fmt::format("at most num_experts = {}", experts.count));
  }
  experts.weights =
      c.truth("norm_topk_prob", false) ? expert_weights::over_chosen : expert_weights::over_all;
  return experts;
}

}  // namespace

std::string names_of_families() {
  std::string names;
  for (const family_features& f : families) {
    names += (names.empty() ? "" : ", ") + std::string(f.name);
  }
  return "one of " + names;
}

model_config config_in(const std::string& text, const std::string& source) {
  const config_reader c(text, source);
  policy_shape shape;
  shape.family = family_in(c);
  expect_computed(c, shape.family);
  shape.head = head_in(c);
  shape.width = c.count("hidden_size");
  shape.layers = c.count("num_hidden_layers");
  shape.heads = c.count("num_attention_heads");
  shape.kv_heads = c.count_or("num_key_value_heads", shape.heads);
  shape.head_width = c.count_or(
      "head_dim", shape.family == policy_family::qwen3 ? 128 : shape.width / shape.heads);
  shape.hidden = c.count(shape.has_experts() ? "moe_intermediate_size" : "intermediate_size");
  if (shape.has_experts()) shape.experts = experts_in(c);
  shape.vocabulary = c.count("vocab_size");
  shape.rope_theta = rope_theta_in(c, 10000);
  shape.norm_epsilon = static_cast<float>(c.positive_number("rms_norm_eps", 1e-6));
  if (!(shape.norm_epsilon > 0) || !std::isfinite(shape.norm_epsilon)) {
    c.fail("rms_norm_eps", "a number above 0 that FP32 holds");
  }
  return {shape, c.count_or("max_position_embeddings", default_context(shape.family))};
}

std::string config_of(const policy_shape& shape, const std::string& number_type) {
  // The shortest decimal of the binary32 number.
  const double epsilon = std::stod(fmt::format("{}", shape.norm_epsilon));
  ordered_json config{
      {"architectures", {architecture_of(shape.family)}},
      {"model_type", features_of(shape.family).name},
      {"vocab_size", shape.vocabulary},
      {"hidden_size", shape.width},
      {"intermediate_size", shape.hidden},
      {"num_hidden_layers", shape.layers},
      {"num_attention_heads", shape.heads},
      {"num_key_value_heads", shape.kv_heads},
      {"head_dim", shape.head_width},
      {"hidden_act", "silu"},
      {"rms_norm_eps", epsilon},
      {"rope_theta", shape.rope_theta},
      {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", shape.rope_theta}}},
      {"attention_bias", features_of(shape.family).qkv_bias},
      {"tie_word_embeddings", shape.head == output_head::embedding},
      {"dtype", number_type},
      {"torch_dtype", number_type}};
  if (shape.has_experts()) {
    config.update({{"moe_intermediate_size", shape.hidden},
                   {"num_experts", shape.experts.count},
                   {"num_experts_per_tok", shape.experts.chosen},
                   {"norm_topk_prob", shape.experts.weights == expert_weights::over_chosen},
                   {"decoder_sparse_step", 1},
                   {"mlp_only_layers", ordered_json::array()}});
  }
  return config.dump(2) + "\n";
}

}  // namespace sim
