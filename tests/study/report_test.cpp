// SPDX-License-Identifier: Apache-2.0
// tests/study/report_test.cpp: the report is well-formed and self-contained.
#include "sim/report/report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catch.h"
#include "page_checks.h"
#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/run_data.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

using sim::metric_row;

metric_row frozen(const std::string& arm, const std::string& metric, double value,
                  const std::string& passes = "", const std::string& layer = "",
                  long long outliers = 1) {
  return {"frozen", arm, {}, outliers, passes, layer, metric, value, 0.01};
}

metric_row along(const std::string& arm, const std::string& metric, long long step, double value) {
  return {"train", arm, step, {}, "", "", metric, value, {}};
}

void add_frozen(std::vector<metric_row>& rows, const std::string& arm, long long outliers) {
  for (const char* metric : {"kl", "entropy", "accuracy_greedy", "accuracy_sampled"}) {
    rows.push_back(frozen(arm, metric, 0.3, "", "", outliers));
  }
  for (const char* metric : {"gradient_cosine", "gradient_projection"}) {
    for (const char* passes : {"all", "forward", "dgrad", "wgrad"}) {
      for (const char* layer : {"all", "0", "1"}) {
        rows.push_back(frozen(arm, metric, 0.9, passes, layer, outliers));
      }
    }
  }
}

void add_training(std::vector<metric_row>& rows, const std::string& arm, double slope) {
  for (int step = 0; step <= 10; ++step) {
    const double level = 0.1 + slope * step;
    if (step % 5 == 0) rows.push_back(along(arm, "accuracy_sampled", step, level));
    if (step == 0) continue;
    rows.push_back(along(arm, "reward", step, level));
    rows.push_back(along(arm, "entropy", step, 0.7 - level));
    for (const char* which : {"min", "mean", "max"}) {
      rows.push_back(along(arm, std::string("sampling/importance_sampling_ratio/") + which, step,
                           arm == "aqn" ? 0.9 : 1.0));
    }
    rows.push_back(along(arm, "rollout_corr/exact_kl", step, arm == "aqn" ? 0.0625 : 0.0));
  }
}

/// shapley: of scale, deadzone, grid, the same under both meanings.
void add_factorial(std::vector<metric_row>& rows, const std::string& figure, long long outliers,
                   std::array<double, 3> shapley) {
  for (const char* meaning : {"injection", "operation"}) {
    const auto add = [&](const std::string& term, double value) {
      rows.push_back(
          frozen("factorial", figure + "." + meaning + "." + term, value, "all", "", outliers));
    };
    for (const char* term : {"S", "D", "G", "SD", "SG", "DG", "SDG"}) {
      add(std::string("moebius.") + term, 0.05);
    }
    add("shapley.S", shapley[0]);
    add("shapley.D", shapley[1]);
    add("shapley.G", shapley[2]);
    add("total", 0.35);
    add("non_additivity", 0.4);
  }
}

std::vector<metric_row> whole_run(const sim::study& s) {
  std::vector<metric_row> rows;
  for (const sim::arm& a : s.arms) {
    for (const long long outliers : {1, 4, 16}) add_frozen(rows, a.name, outliers);
    add_training(rows, a.name, a.name == "fp32" ? 0.03 : 0.02);
  }
  add_factorial(rows, "kl", 1, {0.3, 0.1, 0.2});
  add_factorial(rows, "kl", 16, {0.1, 0.3, 0.2});
  add_factorial(rows, "entropy", 1, {0.01, 0.01, 0.2});
  add_factorial(rows, "gradient_cosine", 1, {-0.3, 0.001, -0.1});
  for (const char* part : {"scale", "deadzone", "grid", "clip"}) {
    rows.push_back(frozen("mxfp4", std::string("energy.x.") + part, 0.7, "", "all"));
  }
  return rows;
}

sim::run_data run_of(std::vector<metric_row> rows, const std::vector<std::string>& overrides = {}) {
  return {sim::read_study(default_study(), overrides), std::string(64, 'a'),
          sim::metrics(std::move(rows))};
}

bool holds(const std::string& page, const std::string& words) {
  return page.find(words) != std::string::npos;
}

constexpr std::array<const char*, 13> sections{
    "cells",     "summary",    "training", "entropy", "gradient", "components", "outliers",
    "factorial", "additivity", "weights",  "cost",    "arms",     "notes"};

}  // namespace

TEST_CASE("parameters_are_counted_with_what_a_family_has_beside_its_linears") {
  sim::policy_shape p;
  p.width = 4, p.layers = 3, p.heads = 2, p.kv_heads = 1, p.head_width = 2;
  p.hidden = 8, p.vocabulary = 10;
  const auto count = [&](sim::policy_family family) {
    p.family = family;
    return sim::parameters_of(p);
  };
  // Of a layer: q and o, k and v, the feed-forward part, two norms; then the embedding and a norm.
  const long long layer = 2 * 16 + 2 * 8 + 3 * 32 + 2 * 4, rest = 10 * 4 + 4;
  CHECK(count(sim::policy_family::llama) == 3 * layer + rest);
  CHECK(count(sim::policy_family::qwen2) == 3 * (layer + 4 + 2 * 2) + rest);
  CHECK(count(sim::policy_family::qwen3) == 3 * (layer + 2 * 2) + rest);
  p.experts.count = 5;
  CHECK(count(sim::policy_family::qwen3_moe) == 3 * (layer + 4 * 96 + 5 * 4 + 2 * 2) + rest);
  p.head = sim::output_head::own;
  CHECK(count(sim::policy_family::llama) == 3 * layer + rest + 40);
}

TEST_CASE("page_is_well_formed_and_has_its_sections") {
  const std::string page = sim::page_of(run_of(whole_run(sim::read_study(default_study()))));
  CHECK(complaint_of(page) == "");
  for (const char* id : sections) {
    CAPTURE(id);
    CHECK(page.find("<section id=\"" + std::string(id) + "\">") != std::string::npos);
  }
  CHECK(page.find("398,080 parameters") != std::string::npos);
  CHECK(page.find("dgrad of k and v (64), every wgrad (32)") != std::string::npos);
}

TEST_CASE("gradients_of_many_layers_are_listed_by_number_and_three_are_drawn") {
  std::vector<metric_row> rows;
  for (const char* layer :
       {"0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9", "all", "final"}) {
    rows.push_back(frozen("mxfp4", "gradient_cosine", 0.9, "all", layer));
  }
  const std::string page = sim::page_of(run_of(rows));
  const std::string section = page.substr(page.find("<section id=\"gradient\">"));
  const std::size_t numbers = section.find("<details");
  const std::string drawn = section.substr(0, numbers), listed = section.substr(numbers);
  for (const char* layer : {"all layers", "layer 0", "layer 6", "layer 11"}) {
    CHECK(drawn.find(std::string(layer) + "<") != std::string::npos);
  }
  CHECK(drawn.find("layer 10<") == std::string::npos);
  CHECK(listed.find("all layers<") < listed.find("layer 2<"));
  CHECK(listed.find("layer 2<") < listed.find("layer 10<"));
  CHECK(listed.find("layer 11<") < listed.find("final<"));
}

TEST_CASE("arms_of_an_interrupted_run_are_compared_at_the_steps_that_both_have") {
  std::vector<metric_row> rows;
  for (int step = 1; step <= 8; ++step) {
    rows.push_back(along("fp32", "reward", step, step <= 4 ? 0.25 : 1.0));
    rows.push_back(along("fp32", "accuracy_sampled", step, 0.1 * step));
    if (step > 4) continue;
    rows.push_back(along("mxfp4", "reward", step, 0.125));
    rows.push_back(along("mxfp4", "accuracy_sampled", step, 0.05 * step));
  }
  const sim::run_data run = run_of(rows);
  const std::string page = sim::page_of(run);
  CHECK(holds(page,
              "mean reward over 4 steps is <b>0.250</b> under FP32 and "
              "<b>0.125</b> under MXFP4 (ratio 0.50); sampled accuracy goes from "
              "0.100 to 0.400 and from 0.050 to 0.200"));
  CHECK(holds(page, ">mxfp4, 4 of 8 steps<"));
  CHECK(holds(sim::terminal_table(run.figures), "mxfp4 (4 of 8 steps)"));
}

TEST_CASE("an_arm_that_is_not_what_its_name_says_is_no_part_of_the_error") {
  const std::vector<metric_row> rows{frozen("fp32", "kl", 0), frozen("inj-s", "kl", 0.25),
                                     frozen("inj-d", "kl", 0.5), frozen("mxfp4", "kl", 0.75)};
  const std::string page = sim::page_of(
      run_of(rows, {"formats.inj-s.parts=[\"grid\"]", "formats.mxfp4.scale_rule=floor"}));
  CHECK_FALSE(holds(page, "scale bias alone"));
  CHECK(holds(page, "deadzone alone"));
  CHECK(holds(page, ">all parts<"));
  CHECK(holds(page, "left open: scale, deadzone and grid are the whole error of plain MXFP4"));
  CHECK_FALSE(holds(sim::page_of(run_of(rows, {"arm.mxfp4.format=bf16"})), ">all parts<"));
}

TEST_CASE("a_page_says_what_a_replayed_step_lacks_of_training") {
  const std::vector<metric_row> rows{
      {"additivity", "mxfp4", 1, {}, "", "", "additivity.injection.logits", 0.5, {}}};
  CHECK(holds(sim::page_of(run_of(rows, {"grpo.kl_coefficient=0.1"})), "The KL term is left out."));
  CHECK(holds(sim::page_of(run_of(rows, {"grpo.optimizer=adamw"})), "Weight decay is left out."));
  CHECK(holds(sim::page_of(run_of(rows, {"grpo.optimizer=sgd"})), "Adam's moments are 0"));
  CHECK(holds(sim::page_of(run_of(rows, {"grpo.minibatches=2"})), "the first is computed again"));
  CHECK_FALSE(holds(sim::page_of(run_of(rows)), "left out."));
}

TEST_CASE("a_squared_bias_that_batches_do_not_resolve_is_no_empty_table") {
  const std::vector<metric_row> rows{
      frozen("mxfp4", "gradient_cosine", 0.9, "all", "all"),
      frozen("mxfp4", "gradient_error_variance", 0.25, "all", "all")};
  CHECK(holds(sim::page_of(run_of(rows)), "These batches are too few"));
}

TEST_CASE("page_needs_nothing_outside_itself") {
  const std::string page = sim::page_of(run_of(whole_run(sim::read_study(default_study()))));
  CHECK(outside_of(page) == "");
}

std::string weights_of(const std::string& page) {
  const std::size_t begin = page.find("<section id=\"weights\">");
  return page.substr(begin, page.find("</section>", begin) - begin);
}

/// The row of a table, from the first cell on.
std::string row_of(const std::string& page, const std::string& first, const std::string& second) {
  const std::size_t begin = page.find(">" + second + "<", page.find(">" + first + "<"));
  return begin == std::string::npos ? "" : page.substr(begin, page.find("</tr>", begin) - begin);
}

TEST_CASE("page_has_the_bias_of_rollouts_by_weighting") {
  const auto measured = [](double squared, double error) {
    std::vector<metric_row> rows{frozen("mxfp4-rollout", "rollout_agreement", 0.55)};
    for (const char* w : {"none", "truncated_importance", "sequence_mask"}) {
      const std::string of = std::string(".") + w;
      rows.push_back(frozen("mxfp4-rollout", "rollout_gradient_cosine" + of, 0.96));
      rows.push_back(frozen("mxfp4-rollout", "rollout_gradient_bias_squared" + of, squared));
      rows.back().standard_error = error;
    }
    return weights_of(sim::page_of(run_of(rows)));
  };
  const std::string resolved = measured(0.09, 0.012);
  CHECK(row_of(resolved, "mxfp4-rollout", "none").find("0.300 <small>\u00B1 0.020") !=
        std::string::npos);
  CHECK(resolved.find("<b>TIS</b>") != std::string::npos);  // the arm's own
  // Squares that are not told from 0: a bound, of the estimate or of 0 where it is negative.
  CHECK(row_of(measured(0.02, 0.035), "mxfp4-rollout", "none").find("below 0.300") !=
        std::string::npos);
  CHECK(row_of(measured(-0.02, 0.02), "mxfp4-rollout", "none").find("below 0.200") !=
        std::string::npos);
  CHECK(row_of(measured(0, 0), "mxfp4-rollout", "none").find(">0<") != std::string::npos);
  const auto whole = weights_of(sim::page_of(run_of(whole_run(sim::read_study(default_study())))));
  CHECK(whole.find("The bias of rollouts was not measured.") != std::string::npos);
}

TEST_CASE("page_calls_an_arm_without_mismatch_only_where_all_its_figures_say_so") {
  const auto page_with = [](const std::vector<metric_row>& figures) {
    return weights_of(sim::page_of(run_of(figures)));
  };
  const auto ratio = [](double least, double most) {
    std::vector<metric_row> rows;
    for (long long step : {1, 2}) {
      const double low = step == 2 ? least : 1, high = step == 2 ? most : 1;
      rows.push_back(along("fp32", "sampling/importance_sampling_ratio/min", step, low));
      rows.push_back(along("fp32", "sampling/importance_sampling_ratio/mean", step, 1));
      rows.push_back(along("fp32", "sampling/importance_sampling_ratio/max", step, high));
    }
    return rows;
  };
  const auto with_kl = [](std::vector<metric_row> rows, double kl) {
    for (long long step : {1, 2}) {
      rows.push_back(along("fp32", "rollout_corr/exact_kl", step, step == 2 ? kl : 0));
    }
    return rows;
  };
  const auto says = [](const std::string& text) {
    return text.find("Measured as exactly 1") != std::string::npos;
  };
  CHECK(says(page_with(with_kl(ratio(1, 1), 0))));
  CHECK_FALSE(says(page_with(with_kl(ratio(0.9999, 1), 0))));
  CHECK_FALSE(says(page_with(with_kl(ratio(1, 1.0001), 0))));
  CHECK_FALSE(says(page_with(with_kl(ratio(1, 1), 1e-9))));
  CHECK_FALSE(says(page_with(ratio(1, 1))));  // a ratio alone was once logged unmeasured
  const std::string whole = page_with(whole_run(sim::read_study(default_study())));
  CHECK(whole.find("KL exactly 0: fp32, bf16, mxfp4,") != std::string::npos);
  CHECK(whole.find(", aqn,") == std::string::npos);
  CHECK(whole.find("0.0625") != std::string::npos);
}

TEST_CASE("page_names_the_task") {
  const auto task_in = [](const sim::study& s) {
    const sim::run_data run{s, std::string(64, 'a'), sim::metrics({frozen("fp32", "kl", 0)})};
    const std::string page = sim::page_of(run);
    const std::size_t at = page.find("<b>task</b>");
    return page.substr(at, page.find("</li>", at) - at);
  };
  CHECK(task_in(sim::read_study(default_study())).ends_with("chained addition, 3 digits"));
  CHECK(task_in(sim::read_study(shipped_study("modular.toml")))
            .ends_with("sums of 7 numbers modulo 7"));
}

TEST_CASE("page_holds_the_clips_of_several_updates_and_none_of_one") {
  const sim::study several = sim::read_study(shipped_study("minibatch.toml"));
  sim::run_data run{several, std::string(64, 'a'),
                    sim::metrics({along("fp32", "clip_ratio/low_mean", 1, 0.125),
                                  along("fp32", "clip_ratio/high_mean", 1, 0.25)})};
  const std::string page = weights_of(sim::page_of(run));
  CHECK(complaint_of(page + "</section>") == "");
  CHECK(page.find("4 updates a batch") != std::string::npos);
  CHECK(page.find("0.125") != std::string::npos);
  CHECK(page.find("below 0.800 and above 1.28") != std::string::npos);
  run.of.grpo.minibatches = 1;
  CHECK(weights_of(sim::page_of(run)).find("nothing is clipped") != std::string::npos);
}

std::string additivity_of(const std::vector<metric_row>& rows) {
  const std::string page = sim::page_of(run_of(rows));
  CHECK(complaint_of(page) == "");
  const std::size_t begin = page.find("<section id=\"additivity\">");
  return page.substr(begin, page.find("</section>", begin) - begin);
}

TEST_CASE("additivity_is_shown_by_meaning_step_and_quantity") {
  const auto row = [](const char* arm, const char* metric, long long step, double value) {
    return metric_row{"additivity", arm, step, {}, "", "", metric, value, {}};
  };
  const std::string shown = additivity_of({row("mxfp4", "additivity.injection.logits", 5, 1.25),
                                           row("mxfp4", "additivity.injection.adam", 5, 0.875),
                                           row("mxfp4", "additivity.operation.logits", 5, 1.5),
                                           row("inj-g", "change.logits", 5, 0.0625),
                                           row("mxfp4", "change.weights", 40, 0.75),
                                           row("mxfp4", "additivity.injection.weights", 40, 1.75)});
  for (const char* part :
       {"<th>injection</th><td>5</td><td>1.25</td><td>\u2013</td><td>\u2013</td><td>0.875</td>",
        "<th>operation</th><td>5</td><td>1.50</td>", "<th>inj-g</th><td>5</td><td>0.0625</td>",
        "by 0.750 of the way that FP32 went.", "counts signs"}) {
    CAPTURE(part, shown);
    CHECK(shown.find(part) != std::string::npos);
  }
  CHECK(additivity_of({}).find("No step was replayed") != std::string::npos);
}

TEST_CASE("weights_trained_apart_have_a_ratio_only_beyond_twice_their_floor") {
  const auto shown = [](double floor) {
    const auto row = [](const char* arm, const char* metric, double value) {
      return metric_row{"additivity", arm, 40, {}, "", "", metric, value, {}};
    };
    return additivity_of(
        {row("mxfp4", "additivity.injection.logits", 1), row("mxfp4", "change.weights", 0.75),
         row("mxfp4", "additivity.injection.weights", 1.75), row("fp32", "change.weights", floor)});
  };
  CHECK(shown(0.25).find("ratio of the weights is 1.75 under injection") != std::string::npos);
  for (const double floor : {0.375, 0.5}) {
    CHECK(shown(floor).find("1.75") == std::string::npos);
    CHECK(shown(floor).find("not resolved") != std::string::npos);
  }
}

TEST_CASE("the_matrix_of_kl_is_symmetric_and_stands_beside_the_measured_shapley_values") {
  std::vector<metric_row> rows;
  add_factorial(rows, "kl", 1, {0.3, 0.1, 0.2});
  double value = 0.0;
  for (const char* name : {"S.S", "S.D", "S.G", "D.D", "D.G", "G.G", "row.S", "sum"}) {
    rows.push_back(frozen("mxfp4", std::string("kl_matrix.injection.") + name, value += 0.125));
  }
  rows.push_back(frozen("mxfp4", "kl_matrix.whole", 2.5));
  const std::string shown = additivity_of(rows);
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (std::size_t at = 0; (at = shown.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(count("+0.125") == 1);  // S.S, once
  CHECK(count("+0.375") == 2);  // S.G and G.S
  CHECK(count("+0.625") == 2);  // D.G and G.D
  CHECK(count("+0.300") == 2);  // the Shapley value of S, under both meanings
  CHECK(shown.find("1.000") != std::string::npos);
  CHECK(shown.find("2.500") != std::string::npos);
}

TEST_CASE("page_without_most_parts_says_so") {
  std::vector<metric_row> few{frozen("fp32", "kl", 0), frozen("mxfp4", "kl", 0.06)};
  const std::string page = sim::page_of(run_of(few));
  CHECK(complaint_of(page) == "");
  CHECK(page.find("The factorial was not measured") != std::string::npos);
  CHECK(page.find("Training under FP32 and MXFP4 was not run.") != std::string::npos);
  CHECK(page.find("Only \u00D71 was measured") != std::string::npos);
  CHECK(page.find("The energies of the parts were not measured.") != std::string::npos);
}

TEST_CASE("page_calls_no_other_arithmetic_mxfp4") {
  sim::study s = sim::read_study(default_study());
  const auto says = [&](const char* words) {
    const sim::run_data run{s, std::string(64, 'a'), sim::metrics(whole_run(s))};
    return sim::page_of(run).find(words) != std::string::npos;
  };
  CHECK(says("MXFP4 in all products moves the policy"));
  CHECK(says("under MXFP4"));
  std::ranges::find(s.arms, "mxfp4", &sim::arm::name)->formats.dgrad = {};
  CHECK(!says("MXFP4 in all products moves the policy"));
  CHECK(says("Training under FP32 and MXFP4 was not run."));
}

TEST_CASE("page_holds_figures_that_are_not_finite") {
  std::vector<metric_row> rows = whole_run(sim::read_study(default_study()));
  for (std::size_t i = 0; i < rows.size(); i += 3) rows[i].value = i % 2 == 0 ? NAN : -INFINITY;
  const std::string page = sim::page_of(run_of(rows));
  CHECK(complaint_of(page) == "");
  CHECK(page.find("=\"nan") == std::string::npos);
  CHECK(page.find("Mnan") == std::string::npos);
  CHECK(page.find("Lnan") == std::string::npos);
}

TEST_CASE("a_figure_without_a_finite_error_keeps_its_digits_and_its_place") {
  CHECK(sim::estimate_text({0.9661, NAN}) == "0.966 \u00B1 NaN");
  CHECK(sim::estimate_text({NAN, NAN}) == "NaN");
  const sim::dot_chart chart{
      "", "", {"arm"}, {"all passes"}, {"all layers"}, {{{sim::estimate{0.5, NAN}}}}, 1.0};
  const std::string drawn = sim::draw(chart);
  CHECK(drawn.find("nan") == std::string::npos);
  constexpr std::string_view place = "translate(";  // the last one is of the chart's one mark
  const double x = std::stod(drawn.substr(drawn.rfind(place) + place.size()));
  CHECK(x > 132);  // the panel
  CHECK(x < 1166);
}

TEST_CASE("the_summary_says_nothing_of_a_cosine_that_is_not_defined") {
  const auto page_with = [](double cosine) {
    return sim::page_of(run_of({frozen("fp32", "entropy", 0.5), frozen("mxfp4", "entropy", 0.6),
                                frozen("mxfp4", "kl", 0.03),
                                frozen("mxfp4", "gradient_cosine", cosine, "all", "all")}));
  };
  const std::string without = page_with(NAN), with = page_with(0.96);
  INFO(without.substr(without.find("At frozen weights"), 300));
  CHECK(without.find("(KL) and its entropy from") != std::string::npos);
  CHECK(without.find("turns the gradient") == std::string::npos);
  CHECK(with.find(", and turns the gradient to a cosine of ") != std::string::npos);
}

TEST_CASE("names_are_escaped") {
  sim::run_data run = run_of({frozen("fp32", "kl", 0)});
  run.of.name = "<b>&\"";
  const std::string page = sim::page_of(run);
  CHECK(complaint_of(page) == "");
  CHECK(page.find("&lt;b&gt;&amp;&quot;") != std::string::npos);
}

TEST_CASE("every_group_of_arms_has_the_reference_and_mxfp4") {
  const sim::study s = sim::read_study(default_study());
  const auto groups = sim::groups_of(run_of(whole_run(s)), "train");
  std::size_t others = 0;
  for (const auto& group : groups) {
    REQUIRE(group.arms.size() > 2);
    CHECK(group.arms[0] == "fp32");
    CHECK(group.arms[1] == "mxfp4");
    others += group.arms.size() - 2;
  }
  CHECK(others + 2 == s.arms.size());
}

TEST_CASE("report_is_written_beside_the_metrics_and_nothing_else") {
  const text_folder folder;
  folder.write("study.toml", sim::resolved_toml(sim::read_study(default_study())));
  folder.write("metrics.jsonl",
               R"({"phase":"frozen","arm":"mxfp4","seed":1,"step":null,"outliers":1,"passes":null,)"
               R"("layer":null,"metric":"kl","value":0.06,"standard_error":0.01})"
               "\n");
  CHECK(sim::write_report(folder.path()) == folder.path() / "report.html");
  CHECK(complaint_of(folder.read("report.html")) == "");
  const auto files = std::distance(std::filesystem::directory_iterator(folder.path()),
                                   std::filesystem::directory_iterator());
  CHECK(files == 3);
}

TEST_CASE("folders_without_a_run_are_refused_by_name") {
  const text_folder folder;
  const auto message = [&]() -> std::string {
    try {
      sim::write_report(folder.path());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message().find("found no study.toml in it") != std::string::npos);
  folder.write("study.toml", "[[arm]]\nname = \"fp32\"\n");
  CHECK(message().find("found no metrics.jsonl in it") != std::string::npos);
  folder.write("metrics.jsonl", "{\"phase\":\n");
  CHECK(message().find("metrics.jsonl:1: expected one JSON object") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "report.html"));
}

/// The run of two arms at two factors and under another policy, every figure another number.
sim::run_data run_with_outliers() {
  std::vector<metric_row> rows;
  double value = 0.011;
  for (const char* phase : {"frozen", "frozen-massive"}) {
    for (const char* arm : {"fp32", "mxfp4", "mbs"}) {
      for (const long long outliers : {1, 4}) {
        if (outliers == 4 && std::string(phase) != "frozen") continue;
        for (const char* metric : {"kl", "entropy", "accuracy_sampled", "gradient_cosine"}) {
          const bool gradient = std::string(metric) == "gradient_cosine";
          const char* all = gradient ? "all" : "";
          rows.push_back(frozen(arm, metric, value += 0.011, all, all, outliers));
          rows.back().phase = phase;
        }
      }
    }
  }
  sim::run_data run = run_of(rows);
  run.of.outliers.policies["massive"].massive_channels = {5, 83};
  return run;
}

std::string outliers_of(const std::string& page) {
  const std::size_t begin = page.find("<section id=\"outliers\">");
  return page.substr(begin, page.find("</section>", begin) - begin);
}

/// The text that a heat map's cell shows below its hover text.
std::string cell_below(const std::string& page, const std::string& hover) {
  const std::size_t at = page.find("<title>" + hover);
  if (at == std::string::npos) return "no cell " + hover;
  const std::size_t text = page.find("class=\"cell\">", at) + 13;
  return page.substr(text, page.find('<', text) - text);
}

TEST_CASE("every_cell_of_the_heat_maps_holds_the_figure_of_its_row_and_column") {
  const sim::run_data run = run_with_outliers();
  const std::string page = outliers_of(sim::page_of(run));
  CHECK(complaint_of(page + "</section>") == "");
  struct column {
    const char *words, *phase;
    long long outliers;
  };
  int cells = 0;
  for (const column& c : {column{"\u00D71", "frozen", 1},
                          {"\u00D74", "frozen", 4},
                          {"massive", "frozen-massive", 1}}) {
    for (const std::string arm : {"mxfp4", "mbs"}) {
      const auto figure = [&](const std::string& of, const char* metric) {
        for (const metric_row& row : run.figures.rows()) {
          if (row.phase == c.phase && row.arm == of && row.outliers == c.outliers &&
              row.metric == metric)
            return row.value;
        }
        return -1.0;
      };
      const std::string place = arm + ", " + c.words + ": ";
      const auto three = [](double v) { return std::to_string(v).substr(0, v < 0 ? 6 : 5); };
      CAPTURE(place);
      CHECK(std::stod(cell_below(page, place + "KL to FP32 ")) ==
            Approx(figure(arm, "kl")).margin(1e-9));
      CHECK(cell_below(page, place + "gradient cosine ") == three(figure(arm, "gradient_cosine")));
      CHECK(cell_below(page, place + "entropy ") ==
            "+" + three(figure(arm, "entropy") - figure("fp32", "entropy") + 1e-9));
      CHECK(cell_below(page, place + "sampled accuracy ") ==
            "\u2212" +
                three(figure(arm, "accuracy_sampled") - figure("fp32", "accuracy_sampled") + 1e-9));
      cells += 4;
    }
  }
  const auto shown = [&page] {
    int count = 0;
    for (std::size_t at = 0; (at = page.find("class=\"cell\"", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  }();
  CHECK(shown == cells);
}

TEST_CASE("heat_maps_deepen_with_the_distance_and_turn_blue_below") {
  const std::string page = outliers_of(sim::page_of(run_with_outliers()));
  const auto tint = [&page](const std::string& hover) {
    const std::size_t at = page.rfind("class=\"f", page.find("<title>" + hover));
    return page.substr(at, page.find('>', at) - at);
  };
  CHECK(tint("mbs, massive: KL") == "class=\"f1\" fill-opacity=\"0.60\"");
  CHECK(tint("mxfp4, \u00D71: KL").find("f1") != std::string::npos);
  CHECK(tint("mxfp4, \u00D71: KL") != tint("mbs, massive: KL"));
  CHECK(tint("mbs, massive: sampled").find("f2") != std::string::npos);  // above FP32's
  CHECK(page.find("role=\"img\" aria-label=\"KL to FP32, nats a token\"") != std::string::npos);
}
