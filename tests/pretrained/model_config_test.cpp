// SPDX-License-Identifier: Apache-2.0
// tests/pretrained/model_config_test.cpp: the shape in a config.json, and what is refused there.
#include "sim/study/model_config.h"

#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "golden/io/file.h"
#include "sim/policy/parameters.h"

namespace {

using nlohmann::json;

sim::policy_shape odd_shape() {
  sim::policy_shape s;
  s.width = 64;
  s.layers = 3;
  s.heads = 6;
  s.kv_heads = 2;
  s.head_width = 48;
  s.hidden = 96;
  s.vocabulary = 80;
  s.rope_theta = 1e6;
  s.norm_epsilon = 3e-6F;
  return s;
}

json config() { return json::parse(sim::config_of(odd_shape(), "float32")); }

sim::policy_shape read(const json& j) { return sim::config_in(j.dump(), "config.json").shape; }

std::string error_of(const json& j) {
  try {
    static_cast<void>(read(j));
  } catch (const golden::io::file_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a_written_configuration_has_the_shape_that_is_read_back") {
  CHECK(read(config()) == odd_shape());
  for (const sim::family_features& f : sim::families) {
    for (const sim::output_head head : {sim::output_head::embedding, sim::output_head::own}) {
      sim::policy_shape s = odd_shape();
      s.family = f.family;
      s.head = head;
      CHECK(read(json::parse(sim::config_of(s, "float32"))) == s);
    }
  }
}

TEST_CASE("the_base_of_positions_is_read_where_either_version_of_transformers_keeps_it") {
  json old = config(), current = config();
  old.erase("rope_parameters");
  old["rope_theta"] = 123456.5;
  CHECK(read(old).rope_theta == 123456.5);
  current.erase("rope_theta");
  current["rope_parameters"]["rope_theta"] = 7777;
  CHECK(read(current).rope_theta == 7777);
}

TEST_CASE("a_configuration_that_is_not_computed_is_refused_by_its_key") {
  const auto refused = [](const std::string& key, const json& value) {
    json j = config();
    j[key] = value;
    const std::string error = error_of(j);
    CAPTURE(key, error);
    CHECK(error.starts_with("config.json: key '" + key + "': expected "));
  };
  refused("model_type", "gpt2");
  refused("hidden_act", "gelu");
  refused("rope_scaling", {{"type", "yarn"}});
  refused("rope_parameters", {{"rope_type", "llama3"}, {"rope_theta", 10000.0}});
  refused("rope_parameters", {{"rope_type", "default"}});
  refused("rope_parameters", {{"type", "linear"}, {"factor", 8}, {"rope_theta", 5000}});
  refused("rope_parameters", {{"rope_theta", 5000}, {"full_attention", {{"rope_type", "yarn"}}}});
  refused("partial_rotary_factor", 0.5);
  refused("is_causal", false);
  refused("use_sliding_window", true);
  refused("attention_bias", true);
  refused("tie_word_embeddings", "yes");
  refused("quantization_config", json::object());
  refused("hidden_size", -1);
  refused("hidden_size", "64");
  refused("num_hidden_layers", 1e9);
  refused("rms_norm_eps", 0);
  refused("rms_norm_eps", 1e300);
  refused("rms_norm_eps", 1e-60);
  sim::policy_shape mixture = odd_shape();
  mixture.family = sim::policy_family::qwen3_moe;
  const auto mixture_refused = [&](const std::string& key, const json& value) {
    json j = json::parse(sim::config_of(mixture, "float32"));
    j[key] = value;
    const std::string error = error_of(j);
    CAPTURE(key, error);
    CHECK(error.starts_with("config.json: key '" + key + "': expected "));
  };
  mixture_refused("decoder_sparse_step", 2);
  mixture_refused("mlp_only_layers", json::array({0}));
  mixture_refused("num_experts_per_tok", 9);
  mixture_refused("norm_topk_prob", 1);
  json without = config();
  without.erase("vocab_size");
  CHECK(error_of(without) ==
        "config.json: key 'vocab_size': expected an integer from 1 to 1048576, found nothing");
  CHECK_THROWS_AS(sim::config_in("{", "config.json"), golden::io::file_error);
  CHECK_THROWS_AS(sim::config_in("[]", "config.json"), golden::io::file_error);
}
