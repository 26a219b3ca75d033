// SPDX-License-Identifier: Apache-2.0
// tests/study/repeated_arms_test.cpp: arms that repeat another one, and what a model of products
// changes, as a page shows them.
#include "sim/report/repeated_arms.h"

#include <cmath>

#include "catch.h"
#include "page_checks.h"
#include "sim/report/model_section.h"
#include "sim/report/report.h"

namespace {

using sim::metric_row;

metric_row train(const std::string& arm, const std::string& metric, double value, int step = 1,
                 const std::string& passes = "") {
  return {"train", arm, step, {}, passes, "", metric, value, {}};
}

metric_row frozen(const std::string& arm, const std::string& metric, double value) {
  return {"frozen", arm, {}, 1, "all", "all", metric, value, 0.01};
}

sim::run_data run_of(const std::vector<metric_row>& rows) {
  sim::study s;
  for (const char* name : {"fp32", "mxfp4", "aqn", "model"}) s.arms.push_back({name, {}, {}, {}});
  return {s, "0", sim::metrics(rows)};
}

/// AQN has MXFP4's gradient and another training; the model has MXFP4's training.
std::vector<metric_row> measured(double share) {
  return {frozen("fp32", "gradient_cosine", 1),
          frozen("mxfp4", "gradient_cosine", 0.75),
          frozen("aqn", "gradient_cosine", 0.75),
          frozen("aqn", "kl", 0.5),
          train("fp32", "reward", 0.5),
          train("mxfp4", "reward", 0.25),
          train("aqn", "reward", 0.375),
          train("model", "reward", 0.25),
          train("model", "model_difference", share, 0, "forward"),
          train("model", "model_difference", 0, 0, "wgrad")};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("arms_with_all_figures_of_another_repeat_it") {
  const sim::run_data run = run_of(measured(0));
  const auto gradients = sim::repeated_arms(run, "frozen", "gradient");
  REQUIRE(gradients.size() == 1);
  CHECK(sim::words_of(gradients) == "aqn (as mxfp4)");
  CHECK(sim::words_of(sim::repeated_training(run)) == "model (as mxfp4)");
  CHECK(sim::repeated_arms(run, "frozen", "").empty());
}

TEST_CASE("arms_that_have_only_NaN_repeat_no_arm") {
  std::vector<metric_row> rows;
  for (const char* arm : {"fp32", "mxfp4", "aqn"}) {
    for (const char* metric : {"gradient_cosine", "gradient_projection"}) {
      rows.push_back(frozen(arm, metric, std::nan("")));
    }
  }
  CHECK(sim::repeated_arms(run_of(rows), "frozen", "gradient").empty());
  // A layer without a gradient is one in both.
  for (const char* arm : {"mxfp4", "aqn"}) rows.push_back(frozen(arm, "gradient_bias_squared", 1));
  CHECK(sim::words_of(sim::repeated_arms(run_of(rows), "frozen", "gradient")) == "aqn (as mxfp4)");
}

TEST_CASE("a_gradient_of_zero_is_named_with_its_reason_where_that_is_known") {
  const sim::run_data run = run_of({frozen("fp32", "gradient_cosine", std::nan("")),
                                    frozen("mxfp4", "gradient_cosine", std::nan(""))});
  const std::string section = sim::gradient_section(run);
  INFO(section);
  CHECK(has(section, "FP32's gradient is 0 on these rollouts"));
  CHECK(has(section, "All responses of each group have the same reward"));
  CHECK_FALSE(has(section, "Nothing was measured"));
  const std::string on_texts = sim::gradient_section_on(run, "texts");
  CHECK(has(on_texts, "FP32's gradient is 0 on these texts"));
  CHECK_FALSE(has(on_texts, "group"));
}

TEST_CASE("a_section_whose_arms_all_repeat_the_reference_names_them") {
  const sim::run_data run =
      run_of({frozen("fp32", "gradient_cosine", 1), frozen("aqn", "gradient_cosine", 1)});
  CHECK(has(sim::gradient_section(run), "is that of another arm: aqn (as fp32)."));
  CHECK(has(sim::gradient_section(run_of({})), "Nothing was measured at frozen weights."));
}

TEST_CASE("a_group_with_nothing_left_to_compare_is_left_out") {
  const std::vector<sim::arm_group> groups{
      {"A", {"fp32", "mxfp4", "aqn"}}, {"B", {"fp32", "mxfp4", "model"}}, {"C", {"fp32", "mxfp4"}}};
  const auto kept = sim::without(groups, sim::repeated_training(run_of(measured(0))));
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].arms.size() == 3);
  CHECK(kept[1].title == "C");
}

TEST_CASE("the_page_says_once_which_arms_repeat_another") {
  const std::string page = sim::page_of(run_of(measured(0)));
  CHECK(complaint_of(page) == "");
  CHECK(has(page, "<section id=\"models\">"));
  CHECK(has(page, "every figure here is that of another arm: aqn (as mxfp4)."));
  CHECK(has(page, "every figure of training is that of another arm: model (as mxfp4)."));
}

TEST_CASE("shares_that_a_model_changes_are_shown_and_a_note_explains_where_none_are") {
  const std::string none = sim::model_section(run_of(measured(0)));
  INFO(none);
  CHECK(has(none,
            "<tr><th>model</th><td data-head=\"rollout\">\u2013</td><td data-head=\"forward\">"
            "0</td><td data-head=\"dgrad\">\u2013</td><td data-head=\"wgrad\">0</td></tr>"));
  CHECK(has(none, "Where no result differs (model)"));
  CHECK(has(none, "contract over 32 to 384 elements"));
  const std::string some = sim::model_section(run_of(measured(0.0625)));
  CHECK(has(some, ">6.25 %</td>"));
  CHECK_FALSE(has(some, "Where no result differs"));
  CHECK(sim::model_section(run_of({train("fp32", "reward", 1)})).empty());
}

}  // namespace
