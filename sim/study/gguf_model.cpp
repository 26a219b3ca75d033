// SPDX-License-Identifier: Apache-2.0
// sim/study/gguf_model.cpp: see gguf_model.h.
#include "sim/study/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sim/study/number_in.h"

namespace sim {
namespace {

using golden::io::file_error;
using golden::io::tensor_file;

/// Reads metadata, which are kept as text.
class metadata_reader {
 public:
  explicit metadata_reader(const tensor_file& file) : file_(file) {
    architecture_ = text("general.architecture");
  }

  [[nodiscard]] const std::string& architecture() const { return architecture_; }
  [[nodiscard]] const std::string* find(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    return found == file_.metadata().end() ? nullptr : &found->second;
  }
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    const std::string* found = find(key);
    throw file_error(file_.path(),
                     fmt::format("metadata '{}': expected {}, found {}", key, expected,
                                 found == nullptr ? "nothing" : golden::io::printable(*found)));
  }
  [[nodiscard]] const std::string& text(const std::string& key) const {
    const std::string* found = find(key);
    if (found == nullptr) fail(key, "it");
    return *found;
  }

  /// Keys of the architecture, as `llama.block_count`.
  [[nodiscard]] std::string own(std::string_view key) const {
    return fmt::format("{}.{}", architecture_, key);
  }
  [[nodiscard]] int count(std::string_view key) const {
    const auto value = number_in<int>(text(own(key)));
    if (!value || *value < 1 || *value > 1 << 20) {
      fail(own(key), fmt::format("an integer from 1 to {}", 1 << 20));
    }
    return *value;
  }
  [[nodiscard]] int count_or(std::string_view key, int absent) const {
    return find(own(key)) == nullptr ? absent : count(key);
  }
  template <class Real>
  [[nodiscard]] Real positive_number(std::string_view key) const {
    const auto value = number_in<Real>(text(own(key)));
    if (!value || !(*value > 0) || !std::isfinite(*value)) fail(own(key), "a number above 0");
    return *value;
  }

 private:
  const tensor_file& file_;
  std::string architecture_;
};

constexpr std::array architectures{"llama", "qwen2", "qwen3", "qwen3moe"};

policy_family family_in(const metadata_reader& m) {
  for (const family_features& f : families) {
    if (m.architecture() == architectures[static_cast<std::size_t>(f.family)]) return f.family;
  }
  m.fail("general.architecture", fmt::format("one of {}", fmt::join(architectures, ", ")));
}

expert_mixture experts_in(const metadata_reader& m) {
  const expert_mixture experts{m.count("expert_count"), m.count("expert_used_count"),
                               expert_weights::over_chosen};
  if (experts.chosen > experts.count) {
    m.fail(m.own("expert_used_count"), fmt::format("at most expert_count = {}", experts.count));
  }
  return experts;
}

/// Positions are scaled linearly where a factor has no type.
void expect_unscaled_positions(const metadata_reader& m) {
  const std::string* scaling = m.find(m.own("rope.scaling.type"));
  if (scaling != nullptr && *scaling != "none") {
    m.fail(m.own("rope.scaling.type"), "none: scaled positions are not computed");
  }
  if (scaling != nullptr) return;
  for (const char* key : {"rope.scaling.factor", "rope.scale_linear"}) {
    const std::string* factor = m.find(m.own(key));
    const auto value = factor == nullptr ? 1.0 : number_in<double>(*factor).value_or(NAN);
    if (value != 0 && value != 1) m.fail(m.own(key), "1: scaled positions are not computed");
  }
}

void expect_computed(const metadata_reader& m, const policy_shape& shape) {
  expect_unscaled_positions(m);
  if (m.count_or("rope.dimension_count", shape.head_width) != shape.head_width) {
    m.fail(m.own("rope.dimension_count"),
           fmt::format("{}: all of a head is rotated", shape.head_width));
  }
  const std::string* causal = m.find(m.own("attention.causal"));
  if (causal != nullptr && *causal != "true") {
    m.fail(m.own("attention.causal"), "true: attention to all earlier tokens");
  }
}

/// A part of a name in both conventions.
struct renamed {
  std::string_view hugging_face, gguf;
};

constexpr std::array whole_names{renamed{"model.embed_tokens.weight", "token_embd.weight"},
                                 renamed{"model.norm.weight", "output_norm.weight"},
                                 renamed{"lm_head.weight", "output.weight"}};
constexpr std::array layer_names{
    renamed{"input_layernorm", "attn_norm"},    renamed{"self_attn.q_proj", "attn_q"},
    renamed{"self_attn.k_proj", "attn_k"},      renamed{"self_attn.v_proj", "attn_v"},
    renamed{"self_attn.o_proj", "attn_output"}, renamed{"self_attn.q_norm", "attn_q_norm"},
    renamed{"self_attn.k_norm", "attn_k_norm"}, renamed{"post_attention_layernorm", "ffn_norm"},
    renamed{"mlp.gate", "ffn_gate_inp"},        renamed{"mlp.gate_proj", "ffn_gate"},
    renamed{"mlp.up_proj", "ffn_up"},           renamed{"mlp.down_proj", "ffn_down"}};

constexpr std::string_view layer_prefix = "model.layers.", expert_prefix = "mlp.experts.";

/// The linear of an expert by its name without its layer.
///   name  mlp.experts.3.gate_proj
std::optional<std::pair<std::string_view, int>> expert_linear(std::string_view name) {
  if (!name.starts_with(expert_prefix)) return {};
  const std::size_t dot = name.rfind('.');
  const std::string index(name.substr(expert_prefix.size(), dot - expert_prefix.size()));
  const std::string dense = fmt::format("mlp{}", name.substr(dot));
  for (const renamed& n : layer_names) {
    if (dense == n.hugging_face) return std::pair{n.gguf, std::stoi(index)};
  }
  return {};
}

}  // namespace

model_config config_in_gguf(const tensor_file& file) {
  const metadata_reader m(file);
  policy_shape shape;
  shape.family = family_in(m);
  const bool tied = file.find(gguf_place_of("lm_head.weight").tensor) == nullptr;
  shape.head = tied ? output_head::embedding : output_head::own;
  shape.width = m.count("embedding_length");
  shape.layers = m.count("block_count");
  shape.heads = m.count("attention.head_count");
  shape.kv_heads = m.count_or("attention.head_count_kv", shape.heads);
  shape.head_width = m.count_or("attention.key_length", shape.width / shape.heads);
  expect_computed(m, shape);
  shape.hidden =
      m.count(shape.has_experts() ? "expert_feed_forward_length" : "feed_forward_length");
  if (shape.has_experts()) shape.experts = experts_in(m);
  // Not every file has vocab_size.
  const golden::io::tensor& embedding = file.at(whole_names[0].gguf);
  shape.vocabulary = embedding.shape.empty() ? 0 : static_cast<int>(embedding.shape.front());
  if (m.find(m.own("rope.freq_base")) != nullptr) {
    shape.rope_theta = m.positive_number<double>("rope.freq_base");
  }
  shape.norm_epsilon = m.positive_number<float>("attention.layer_norm_rms_epsilon");
  return {shape, m.count("context_length")};
}

gguf_place gguf_place_of(const std::string& name) {
  for (const renamed& n : whole_names) {
    if (name == n.hugging_face) return {std::string(n.gguf), {}};
  }
  const std::size_t index_end = name.find('.', layer_prefix.size());
  const std::size_t kind = name.rfind('.');
  if (index_end >= kind) throw std::logic_error("no name in GGUF of " + name);
  const std::string_view own = std::string_view(name).substr(index_end + 1, kind - index_end - 1);
  const std::string layer = name.substr(layer_prefix.size(), index_end - layer_prefix.size());
  if (const auto expert = expert_linear(own)) {
    return {fmt::format("blk.{}.{}_exps{}", layer, expert->first, name.substr(kind)),
            expert->second};
  }
  for (const renamed& n : layer_names) {
    if (own == n.hugging_face) {
      return {fmt::format("blk.{}.{}{}", layer, n.gguf, name.substr(kind)), {}};
    }
  }
  throw std::logic_error("no name in GGUF of " + name);
}

bool has_interleaved_rows(const tensor_file& file, const std::string& name) {
  const bool rotated =
      name.find(".q_proj.") != std::string::npos || name.find(".k_proj.") != std::string::npos;
  return rotated && file.metadata().at("general.architecture") == "llama";
}

void order_rows_by_halves(int head_width, int columns, std::vector<float>& values) {
  const auto width = static_cast<std::size_t>(head_width), row = static_cast<std::size_t>(columns);
  std::vector<float> head(width * row);
  for (std::size_t first = 0; first < values.size(); first += head.size()) {
    float* const at = values.data() + first;
    for (std::size_t r = 0; r < width; ++r) {
      const std::size_t wanted = r % 2 * (width / 2) + r / 2;
      std::copy_n(at + r * row, row, head.data() + wanted * row);
    }
    std::ranges::copy(head, at);
  }
}

}  // namespace sim
