// SPDX-License-Identifier: Apache-2.0
// tests/study/shipped_studies_test.cpp: sim/studies: what the studies that extend the default one
// ask.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
#include "sim/study/study_file.h"
#include "sim/study/study_key_names.h"
#include "sim/study/study_words.h"
#include "sim/study/toggle_cells.h"
#include "text_file.h"

namespace {

using sim::optimizer_kind;
using sim::study;

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

study shipped(const char* name) { return sim::read_study(shipped_study(name)); }

const sim::arithmetic& mxfp4() {
  static const sim::arithmetic formats = shipped("default.toml").arms[2].formats;
  return formats;
}

}  // namespace

TEST_CASE("the_default_study_describes_every_key_or_names_a_text_that_does") {
  std::string words = contents_of(default_study());
  const std::regex place("(docs/)?[\\w-]+\\.(toml|md)");
  const std::set<std::string> named = {
      std::sregex_token_iterator(words.begin(), words.end(), place), std::sregex_token_iterator()};
  for (const std::string& text : named) {
    const bool is_page = text.starts_with("docs/");
    words += contents_of(is_page ? shipped_study("../..") / text : shipped_study(text.c_str()));
  }
  for (const std::string& key : sim::study_key_names()) {
    CAPTURE(key);
    const std::string word = key.substr(key.rfind('.') + 1);
    CHECK(std::regex_search(words, std::regex("\\b" + word + "\\b")));
  }
}

TEST_CASE("learning_rates_are_three_under_each_optimizer_the_same_in_both_formats") {
  const study s = shipped("learning-rate.toml");
  std::map<optimizer_kind, std::map<bool, std::set<float>>> rates;
  for (const sim::arm& a : s.arms) {
    const bool quantized = a.formats == mxfp4();
    CHECK((quantized || a.formats == sim::arithmetic{}));
    rates[sim::optimizer_of(a, s.grpo)][quantized].insert(sim::learning_rate_of(a, s.grpo));
  }
  CHECK(s.arms.size() == 12);
  for (const auto& [kind, of] : rates) {
    CHECK(of.at(true).size() == 3);
    CHECK(of.at(true) == of.at(false));
  }
  CHECK(rates[optimizer_kind::adam][true].contains(shipped("default.toml").grpo.learning_rate));
}

TEST_CASE("cells_of_shipped_studies_are_the_parts_of_their_whole") {
  for (const char* name : {"default.toml", "default-v1.toml", "modular.toml", "outliers.toml",
                           "floor.toml", "formats.toml", "recipes.toml", "width-256.toml"}) {
    CAPTURE(name);
    CHECK(sim::why_not_compared(shipped(name)).empty());
  }
  for (const char* name : {"default.toml", "default-v1.toml", "modular.toml"}) {
    const study s = shipped(name);
    for (const sim::toggle_cells& meaning : sim::both_meanings) {
      for (std::size_t cell = 0; cell < sim::cells; ++cell) {
        CAPTURE(name, meaning.meaning, cell);
        const sim::arm* a = sim::cell_arm(s, meaning, cell);
        CHECK((a != nullptr && a->name == meaning.arms[cell]));
      }
    }
  }
}

TEST_CASE("every_pass_is_quantized_alone_in_one_arm") {
  const study s = shipped("passes.toml");
  std::set<std::string> alone;
  for (const sim::arm& a : s.arms) {
    CHECK(a.correction == sim::mismatch::none);
    int quantized = 0;
    std::string last;
    for (const auto& w : sim::pass_words) {
      const sim::pass_format& f = formats_of(a.formats, w.value);
      if (f == sim::pass_format{}) continue;
      CHECK(f == formats_of(mxfp4(), w.value));
      CHECK((a.name == "mxfp4" || a.name == "backward" || a.name.ends_with("+backward") ||
             a.name.find(w.text) != std::string::npos));
      ++quantized;
      last = w.text;
    }
    if (quantized == 1) alone.insert(last);
  }
  CHECK(alone == std::set<std::string>{"rollout", "forward", "dgrad", "wgrad"});
  CHECK(s.arms.back().formats == mxfp4());
}

TEST_CASE("wide_policies_keep_the_width_of_a_head_and_the_sizes_of_products") {
  const study narrow = shipped("default.toml");
  for (const auto& [name, factor] : {std::pair{"width-256.toml", 2}, {"width-512.toml", 4}}) {
    const study s = shipped(name);
    CAPTURE(name);
    CHECK(s.policy.head_width == narrow.policy.head_width);
    CHECK(s.policy.width == factor * narrow.policy.width);
    CHECK(s.policy.heads == factor * narrow.policy.heads);
    CHECK(s.policy.kv_heads == factor * narrow.policy.kv_heads);
    CHECK(s.policy.hidden == factor * narrow.policy.hidden);
    CHECK(s.warm_up.learning_rate * static_cast<float>(factor) ==
          Approx(narrow.warm_up.learning_rate));
    CHECK(s.grpo.learning_rate * static_cast<float>(factor) == Approx(narrow.grpo.learning_rate));
    const auto variance = [](float deviation, int width) {
      return deviation * deviation * static_cast<float>(width);
    };
    for (const auto deviation : {&sim::policy_shape::embedding_std, &sim::policy_shape::input_std,
                                 &sim::policy_shape::output_std}) {
      CHECK(variance(s.policy.*deviation, s.policy.width) ==
            Approx(variance(narrow.policy.*deviation, narrow.policy.width)).epsilon(0.02));
    }
  }
}

TEST_CASE("the_long_study_is_the_default_one_with_200_steps_of_three_arms") {
  const study s = shipped("long.toml");
  CHECK(s.grpo.steps == 200);
  REQUIRE(s.arms.size() == 3);
  const study whole = shipped("default.toml");
  CHECK(s.arms[1].formats == mxfp4());
  CHECK(s.arms[2].name == "mbs+of");
  for (const sim::arm& a : whole.arms) {
    if (a.name == "mbs+of") CHECK(a.formats == s.arms[2].formats);
  }
}

TEST_CASE("studies_of_named_algorithms_change_the_algorithm_alone") {
  const study of_default = shipped("default.toml");
  for (const char* name : {"dr-grpo.toml", "rloo.toml", "grpo-kl.toml", "dapo.toml"}) {
    CAPTURE(name);
    const study s = shipped(name);
    REQUIRE(s.arms.size() == 3);
    CHECK(s.arms[1].formats == mxfp4());
    CHECK(s.policy == of_default.policy);
    CHECK(s.grpo.steps == of_default.grpo.steps);
    CHECK(s.grpo.learning_rate == of_default.grpo.learning_rate);
  }
  const sim::grpo_constants unbiased = shipped("dr-grpo.toml").grpo,
                            left_out = shipped("rloo.toml").grpo, kl = shipped("grpo-kl.toml").grpo;
  CHECK(unbiased.advantage == sim::advantage_estimator::group_mean);
  CHECK(unbiased.aggregation == sim::loss_aggregation::constant_length);
  CHECK(left_out.advantage == sim::advantage_estimator::leave_one_out);
  CHECK(kl.aggregation == sim::loss_aggregation::sequence_mean);
  CHECK(kl.kl_coefficient == 0.04F);
  const study dapo = shipped("dapo.toml");
  CHECK(dapo.grpo.aggregation == sim::loss_aggregation::token_mean);
  CHECK(dapo.grpo.ratio_high > dapo.grpo.ratio_low);
  CHECK(dapo.grpo.max_redraws > 0);
  CHECK(dapo.grpo.kl_coefficient == 0);
  CHECK(sim::response_limit(dapo.task) - dapo.grpo.overlong_cache ==
        sim::response_length(dapo.task));
}
