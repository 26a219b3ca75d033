// SPDX-License-Identifier: Apache-2.0
// tests/pretrained/assessment_test.cpp: figures of an assessment against their definitions, the
// same bits for any threads and after an interruption, and texts that are refused.
#include "sim/assess/assessment.h"

#include <atomic>
#include <cmath>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/assess/batch_sums.h"
#include "sim/pretrained/model_weights.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/report/metrics.h"
#include "sim/study/study_file.h"
#include "tests/policy/tiny_policy.h"

namespace {

namespace fs = std::filesystem;
using floats = std::vector<float>;
using test::scratch_folder;

sim::policy_shape small_shape() {
  sim::policy_shape s = test::tiny_shape(2);
  s.vocabulary = 48;
  return s;
}

const char* arms = R"(
[formats.mxfp4]
numbers = "mxfp4"
[formats.r]
recipe = "mxfp4"
rounding = "stochastic"
random_bits = 16
[[arm]]
name = "fp32"
[[arm]]
name = "mxfp4"
format = "mxfp4"
[[arm]]
name = "random"
wgrad = "r"
)";

/// Six texts of several lengths; the last has a prompt.
std::string texts() {
  std::string text = "{\"vocabulary\": 40}\n";
  for (int i = 0; i < 5; ++i) {
    text += "{\"tokens\": [1";
    for (int t = 0; t < 5 + 4 * i; ++t) text += ", " + std::to_string((7 * t * t + 3 * t + i) % 40);
    text += "]}\n";
  }
  return text + "{\"prompt\": [1, 2, 3], \"response\": [4, 5, 6, 7], \"answer\": [8]}\n";
}

sim::assessment_plan plan_in(const scratch_folder& scratch) {
  if (!fs::exists(scratch / "m")) {
    const sim::parameter_table table(small_shape());
    sim::save_model(scratch / "m", table, sim::initial_weights(table, 3), sim::saved_numbers::fp32);
    test::put_contents(scratch / "study.toml",
                       "[policy]\ncheckpoint = \"m\"\n[task]\ndigits = 1\n" + std::string(arms));
    test::put_contents(scratch / "texts.jsonl", texts());
  }
  sim::assessment_plan plan{sim::read_study(scratch / "study.toml"),
                            sim::read_texts(scratch / "texts.jsonl", {48, 256}), 2};
  sim::load_policy(plan.of);
  return plan;
}

sim::metrics assessed(const sim::assessment_plan& plan, const fs::path& folder) {
  REQUIRE(sim::assess({plan, folder, nullptr, nullptr}) == sim::assessment_end::finished);
  return sim::read_metrics(folder / "metrics.jsonl");
}

double value(const sim::metrics& m, const char* arm, const char* metric, const char* passes = "",
             const char* layer = "") {
  const auto found = m.frozen(arm, metric, {1, passes, layer});
  CAPTURE(arm, metric, passes, layer);
  REQUIRE(found);
  return found->value;
}

std::string error_of(const scratch_folder& scratch, const std::string& content) {
  test::put_contents(scratch / "t.jsonl", content);
  try {
    static_cast<void>(sim::read_texts(scratch / "t.jsonl", {48, 12}));
  } catch (const sim::problem_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fp32_differs_from_itself_in_nothing") {
  const scratch_folder scratch;
  const sim::metrics m = assessed(plan_in(scratch), scratch / "out");
  CHECK(value(m, "fp32", "kl") == 0);
  CHECK(value(m, "fp32", "greedy_agreement") == 1);
  for (const char* passes : {"all", "forward", "dgrad", "wgrad", "backward"}) {
    for (const char* layer : {"all", "embedding", "0", "1", "final norm"}) {
      CHECK(value(m, "fp32", "gradient_cosine", passes, layer) == 1);
    }
  }
  CHECK(value(m, "mxfp4", "kl") > 0);
  CHECK(value(m, "mxfp4", "gradient_cosine", "all", "all") < 1);
  // The random arm quantizes wgrad alone.
  CHECK(value(m, "random", "kl") == 0);
  CHECK(value(m, "random", "gradient_cosine", "forward", "0") == 1);
  CHECK(value(m, "random", "gradient_cosine", "wgrad", "0") < 1);
  CHECK(value(m, "random", "gradient_cosine", "wgrad", "final norm") == 1);
  CHECK(value(m, "mxfp4", "energy.dy_wgrad.grid", "", "all") > 0);
  CHECK(test::contents_of(scratch / "out" / "assessment.html")
            .find("<h1>A checkpoint under 3 arms") != std::string::npos);
}

TEST_CASE("adaptive_noise_shows_in_distributions_and_not_in_gradients_and_the_page_says_so") {
  const scratch_folder scratch;
  sim::assessment_plan plan = plan_in(scratch);
  sim::arm noisy = plan.of.arms[1];
  noisy.name = "aqn";
  noisy.noise = sim::rollout_noise::adaptive;
  noisy.correction = sim::mismatch::truncated_importance;
  plan.of.arms.push_back(noisy);
  const sim::metrics m = assessed(plan, scratch / "out");
  for (const char* metric : {"kl", "entropy", "cross_entropy"}) {
    CHECK(value(m, "aqn", metric) != value(m, "mxfp4", metric));
  }
  CHECK(value(m, "aqn", "gradient_cosine", "all", "all") ==
        value(m, "mxfp4", "gradient_cosine", "all", "all"));
  const std::string page = test::contents_of(scratch / "out" / "assessment.html");
  for (const char* words : {"on the same frozen weights and texts", "have it at sigma 0.01 on",
                            "adaptive (AQN)", "not trained"}) {
    CAPTURE(words);
    CHECK(page.find(words) != std::string::npos);
  }
  for (const char* words : {"rollouts:", "Adam, rate", "TIS"}) {
    CAPTURE(words);
    CHECK(page.find(words) == std::string::npos);
  }
}

TEST_CASE("figures_are_those_of_whole_gradients_and_of_the_texts_own_tokens") {
  const scratch_folder scratch;
  const sim::assessment_plan plan = plan_in(scratch);
  const sim::metrics m = assessed(plan, scratch / "out");
  const sim::setting s(plan.of);
  const floats& weights = *plan.of.policy.source.weights;
  const sim::arm& a = plan.of.arms[1];
  const auto forward = sim::prepare_forward(s.table, weights, {});
  const auto backward = sim::prepare_backward(s.table, weights, {});
  double gr = 0, gg = 0, rr = 0, cross_entropy = 0, tokens = 0;
  for (int b = 0; b < 3; ++b) {
    const auto first = plan.texts.texts.begin() + 2 * b;
    const std::vector<sim::sequence> batch(first, first + 2);
    const float share = sim::token_share(batch);
    const auto weight = [&](int, int, const sim::token_outcome&) { return share; };
    sim::gradient_computer computer(s);
    const sim::step_arithmetic fp32{{}, {}, &s.by};
    const floats r = computer(fp32, forward, backward, batch, weight);
    const sim::step_arithmetic at = s.at_step(a.formats, sim::stream::frozen_operands, b);
    sim::gradient_computer coarse(s);
    const floats g = coarse(at, sim::prepare_forward(s.table, weights, at.of(sim::pass::forward)),
                            sim::prepare_backward(s.table, weights, at), batch, weight);
    for (std::size_t i = 0; i < g.size(); ++i) {
      gr += double{g[i]} * double{r[i]};
      gg += double{g[i]} * double{g[i]};
      rr += double{r[i]} * double{r[i]};
    }
    for (const sim::token_outcome& o : coarse.scored().outcomes) {
      cross_entropy -= double{o.log_probability};
      tokens += 1;
    }
  }
  CHECK(tokens == 5 + 9 + 13 + 17 + 21 + 4);
  CHECK(value(m, "mxfp4", "gradient_cosine", "all", "all") ==
        Approx(gr / std::sqrt(gg * rr)).epsilon(1e-12));
  CHECK(value(m, "mxfp4", "gradient_projection", "all", "all") == Approx(gr / rr).epsilon(1e-12));
  CHECK(value(m, "mxfp4", "cross_entropy") == Approx(cross_entropy / tokens).epsilon(1e-12));
}

TEST_CASE("an_assessment_that_was_interrupted_goes_on_to_the_same_bytes_for_any_threads") {
  const scratch_folder scratch;
  sim::assessment_plan plan = plan_in(scratch);
  plan.of.run.threads = 1;
  assessed(plan, scratch / "whole");
  plan.of.run.threads = 3;
  std::atomic<int> stop{0};
  int done_before = 0;
  const auto stop_after_four = [&](int done, int) {
    if (done == 4) stop = 15;
    done_before = done;
  };
  REQUIRE(sim::assess({plan, scratch / "parts", &stop, stop_after_four}) ==
          sim::assessment_end::stopped);
  CHECK_FALSE(fs::exists(scratch / "parts" / "metrics.csv"));
  CHECK(done_before < 12);
  const auto held = test::files_below(scratch / "parts" / "pieces");
  assessed(plan, scratch / "parts");
  const auto all = test::files_below(scratch / "parts" / "pieces");
  for (const auto& [name, state] : held) CHECK(all.at(name) == state);
  CHECK(test::contents_of(scratch / "whole" / "metrics.csv") ==
        test::contents_of(scratch / "parts" / "metrics.csv"));
}

TEST_CASE("a_folder_takes_one_assessment_and_a_damaged_piece_is_named") {
  const scratch_folder scratch;
  sim::assessment_plan plan = plan_in(scratch);
  assessed(plan, scratch / "out");
  const fs::path piece = scratch / "out" / "pieces" / "1-mxfp4.json";
  std::string text = test::contents_of(piece);
  text[text.find("\"kl\":") + 7] ^= 1;
  test::put_contents(piece, text);
  const auto refused = [&](const std::string& words) {
    try {
      static_cast<void>(sim::assess({plan, scratch / "out", nullptr, nullptr}));
    } catch (const std::runtime_error& e) {
      return std::string(e.what()).find(words) != std::string::npos;
    }
    return false;
  };
  CHECK(refused("1-mxfp4.json: is damaged: it does not match its checksum"));
  plan.batch = 3;
  CHECK(refused("holds an assessment of another policy"));
}

TEST_CASE("the_policy_takes_its_gradient_a_part_at_a_time_with_the_same_bits") {
  const scratch_folder scratch;
  const sim::assessment_plan plan = plan_in(scratch);
  const sim::setting s(plan.of);
  const floats& weights = *plan.of.policy.source.weights;
  const auto forward = sim::prepare_forward(s.table, weights, {});
  const auto backward = sim::prepare_backward(s.table, weights, {});
  const sim::step_arithmetic fp32{{}, {}, &s.by};
  const auto weight = [](int i, int t, const sim::token_outcome&) {
    return 0.125F * static_cast<float>(i + 1) - 0.01F * static_cast<float>(t);
  };
  sim::batch_pass pass(s.table, s.rope, 4);
  pass.take(plan.texts.texts);
  pass.forward(forward, {});
  const floats whole = pass.gradient(forward, backward, fp32, weight);
  floats parts(whole.size());
  std::vector<std::string> names;
  pass.gradient_in_parts(forward, backward, fp32, weight,
                         [&](std::ptrdiff_t offset, std::span<const float> part) {
                           std::ranges::copy(part, parts.begin() + offset);
                           names.push_back(sim::part_at(s.table, offset));
                         });
  CHECK(parts == whole);
  CHECK(names == std::vector<std::string>{"final norm", "1", "0", "embedding"});
}

TEST_CASE("texts_that_do_not_fit_are_refused_with_their_line") {
  const scratch_folder scratch;
  const std::string good = "{\"tokens\": [1, 2, 3]}\n";
  CHECK(error_of(scratch, good + good).empty());
  const auto refused = [&](const std::string& content, const std::string& words) {
    const std::string error = error_of(scratch, content);
    CAPTURE(error);
    CHECK(error.find(words) != std::string::npos);
  };
  refused(good + "{\"tokens\": [1, 48]}\n", "t.jsonl:2: has token 48, and the policy's vocabulary");
  refused(good + "{\"tokens\": [1, -1]}\n", "t.jsonl:2: \"tokens\": expected token ids");
  refused("{\"vocabulary\": 49}\n" + good, "its tokenizer has 49 tokens, and the policy 48");
  refused("{\"tokens\": [1,2,3,4,5,6,7,8,9,10,11,12,13]}\n",
          "has 13 tokens, and the policy takes 12");
  refused("{\"tokens\": [1]}\n", "has one token");
  refused("{\"tokens\": [1, 2], \"response\": [3]}\n",
          "has a \"response\", which belongs behind a");
  refused(good + "{\"answer\": [1]}\n", "t.jsonl:2: expected \"tokens\"");
  refused("{\"token\": [1, 2]}\n" + good + good, "t.jsonl:1: there is no key `token`");
  refused("{\"response\": [1, 2]}\n" + good + good, "t.jsonl:1: there is no key `response`");
  CHECK(error_of(scratch, "{\"end\": 2, \"vocabulary\": 40}\n" + good + good).empty());
  refused(good + "[1, 2]\n", "t.jsonl:2: expected an object");
  refused(good + "{\"tokens\": \"one\"}\n", "expected a list of token ids");
}
