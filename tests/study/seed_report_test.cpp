// SPDX-License-Identifier: Apache-2.0
// tests/study/seed_report_test.cpp: figures and pages over seeds, from runs whose means and
// intervals are known.
#include <fmt/format.h>

#include <limits>

#include "catch.h"
#include "page_checks.h"
#include "sim/report/interval_chart.h"
#include "sim/report/report.h"
#include "sim/report/seeds/claims_section.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_page.h"
#include "sim/report/seeds/seed_sections.h"
#include "sim/study/study_file.h"
#include "tests/claims/synthetic_runs.h"
#include "text_file.h"

namespace {

using sim::metric_row;

// Of 1, 2, 6: mean 3, standard deviation sqrt(7), and t = 4.302652729911275 with two degrees of
// freedom.
constexpr double half = 6.572410607975601;

metric_row train(const std::string& arm, const std::string& metric, int step, double value) {
  return {"train", arm, step, {}, "", "", metric, value, {}};
}

sim::run_data run_of(std::uint64_t seed, const std::vector<metric_row>& rows) {
  sim::study s;
  s.seed = seed;
  s.name = "<tiny>";
  s.arms = {{"fp32", {}, {}, {}}, {"mxfp4", {}, {}, {}}};
  return {s, std::string(64, 'a'), sim::metrics(rows)};
}

sim::seed_runs three_seeds(const std::vector<std::vector<metric_row>>& rows) {
  sim::seed_runs seeds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    seeds.runs.push_back(run_of(i < 2 ? 101 + i : 104, rows[i]));
    seeds.digests.push_back(fmt::format("digest {}", i));
  }
  return seeds;
}

/// Seeds whose entropy is 1, 2, 6 at step 1, and missing in the second at step 2, NaN in the third
/// at step 3.
sim::seed_runs with_gaps() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return three_seeds({{train("mxfp4", "entropy", 1, 1), train("mxfp4", "entropy", 2, 1),
                       train("mxfp4", "entropy", 3, 1)},
                      {train("mxfp4", "entropy", 1, 2), train("mxfp4", "entropy", 3, 1)},
                      {train("mxfp4", "entropy", 1, 6), train("mxfp4", "entropy", 2, 1),
                       train("mxfp4", "entropy", 3, nan)}});
}

sim::curve entropy_of(const sim::run_data& run) {
  return run.figures.along("train", "mxfp4", "entropy");
}

/// Four cells of MXFP4: learning is -0.1, -0.2, -0.6 in the three seeds, inference -0.1 in all.
sim::seed_runs with_cells() {
  std::vector<std::vector<metric_row>> rows;
  for (const double loss : {0.1, 0.2, 0.6}) {
    auto& seed = rows.emplace_back();
    for (const char* metric :
         {"accuracy_sampled", "accuracy_sampled_in_fp32", "accuracy_sampled_of_fp32"}) {
      seed.push_back(train("fp32", metric, 40, 0.8));
    }
    seed.push_back(train("mxfp4", "accuracy_sampled_of_fp32", 40, 0.7));
    seed.push_back(train("mxfp4", "accuracy_sampled_in_fp32", 40, 0.8 - loss));
    seed.push_back(train("mxfp4", "accuracy_sampled", 40, 0.75 - loss));
    seed.push_back(train("mxfp4", "accuracy_final_in_fp32", 40, 0.8 - loss));
    seed.push_back(train("mxfp4", "reward", 40, 1 - loss));
  }
  return three_seeds(rows);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an_estimate_over_seeds_is_the_mean_with_the_interval_of_t") {
  const std::array values{1.0, 2.0, 6.0};
  const sim::seed_estimate e = sim::estimate_over(values);
  CHECK(e.sample.mean == 3);
  CHECK(e.mean.low == Approx(3 - half).epsilon(1e-9));
  CHECK(e.mean.high == Approx(3 + half).epsilon(1e-9));
  CHECK(sim::interval_text(e) == "3.0 [\u22123.6, 9.6]");
  CHECK(sim::signed_interval_cell(e) == "+3.0 <small class=\"range\">[\u22123.6, 9.6]</small>");
  CHECK(sim::interval_cell({}) == "\u2013");
}

TEST_CASE("what_rounding_leaves_of_zero_has_neither_a_range_nor_a_sign") {
  const std::array noise{0.1 + 0.2 - 0.3, 0.0, 0.0};
  CHECK(sim::signed_interval_cell(sim::estimate_over(noise)) ==
        "0 <small class=\"range\">[0, 0]</small>");
  const std::array around{-0.1, 0.0, 0.1 + 1e-12};
  CHECK(sim::signed_interval_cell(sim::estimate_over(around)) ==
        "0.00 <small class=\"range\">[\u22120.25, 0.25]</small>");
}

TEST_CASE("a_band_has_the_steps_that_every_seed_has") {
  const sim::band b = sim::band_over(with_gaps(), entropy_of);
  REQUIRE(b.steps == std::vector<double>{1});
  CHECK(b.mean[0] == 3);
  CHECK(b.low[0] == Approx(3 - half).epsilon(1e-9));
  CHECK(b.high[0] == Approx(3 + half).epsilon(1e-9));
}

TEST_CASE("a_figure_that_a_seed_lacks_has_no_estimate") {
  const auto last = [](const sim::run_data& run) -> std::optional<double> {
    const sim::curve c = entropy_of(run);
    return c.steps.back() == 3 ? std::optional{c.values.back()} : std::nullopt;
  };
  CHECK_FALSE(sim::over_seeds(with_gaps(), last));
}

TEST_CASE("four_cells_are_differences_within_a_seed") {
  const std::string cells = sim::cells_over_seeds(with_cells());
  INFO(cells);
  CHECK(complaint_of(cells) == "");
  CHECK(has(cells, "3 seeds (101 to 102, 104)"));
  // Of 0.1, 0.2, 0.6: mean 0.3, half-width 0.657.
  CHECK(has(cells, "\u22120.30 <small class=\"range\">[\u22120.96, 0.36]</small>"));
  CHECK(has(cells, "0.50 <small class=\"range\">[\u22120.16, 1.16]</small>"));
  CHECK(has(cells, "<b>0.800 <small class=\"range\">[0.800, 0.800]</small></b>"));
}

TEST_CASE("cells_are_those_of_the_last_step_that_every_seed_reached") {
  sim::seed_runs seeds = with_cells();
  std::vector<metric_row> rows = seeds.runs.front().figures.rows();
  for (metric_row row : seeds.runs.front().figures.rows()) {
    row.step = 50;
    row.value = 0;
    rows.push_back(row);
  }
  seeds.runs.front() = run_of(101, rows);
  const std::string cells = sim::cells_over_seeds(seeds);
  CHECK(has(cells, "Sampled accuracy after 40 steps"));
  CHECK(has(cells, "0.50 <small class=\"range\">[\u22120.16, 1.16]</small>"));
}

TEST_CASE("parts_of_the_error_are_those_of_each_meaning") {
  std::vector<metric_row> rows;
  const auto add = [&](const std::string& meaning, double value) {
    for (const char* term :
         {"moebius.S", "moebius.D", "moebius.SD", "moebius.G", "moebius.SG", "moebius.DG",
          "moebius.SDG", "shapley.S", "shapley.D", "shapley.G", "total", "non_additivity"}) {
      rows.push_back({"frozen",
                      "factorial",
                      {},
                      1,
                      "",
                      "",
                      fmt::format("kl.{}.{}", meaning, term),
                      value,
                      {}});
    }
  };
  add("injection", 0.25);
  add("operation", 0.5);
  const std::string text = sim::frozen_over_seeds(three_seeds({rows, rows, rows}));
  CHECK(complaint_of(text) == "");
  CHECK(has(text, "<span>deadzone, injection</span> <span>+0.250 <small"));
  CHECK(has(text, "<span>deadzone, operation</span> <span>+0.500 <small"));
}

TEST_CASE("weights_are_equal_where_every_seed_measured_them_so") {
  std::vector<std::vector<metric_row>> rows;
  for (const double largest : {1.0, 1.0, 1.5}) {
    rows.push_back({train("mxfp4", "sampling/importance_sampling_ratio/mean", 1, 1),
                    train("mxfp4", "sampling/importance_sampling_ratio/min", 1, 1),
                    train("mxfp4", "sampling/importance_sampling_ratio/max", 1, largest),
                    train("mxfp4", "rollout_corr/exact_kl", 1, 0)});
  }
  const std::string words = "for every token of every step of every seed";
  CHECK_FALSE(has(sim::mismatch_over_seeds(three_seeds(rows)), words));
  rows.back() = rows.front();
  CHECK(has(sim::mismatch_over_seeds(three_seeds(rows)), words));
}

TEST_CASE("a_run_that_was_left_early_shows_its_steps_of_those_planned") {
  sim::seed_runs seeds = three_seeds(
      std::vector(3, std::vector{train("fp32", "reward", 1, 0), train("fp32", "reward", 2, 0)}));
  for (sim::run_data& run : seeds.runs) run.of.grpo.steps = 2;
  CHECK_FALSE(has(sim::how_it_was_run(seeds, {}), "2 of "));
  seeds.runs.back().of.grpo.steps = 5;
  CHECK(has(sim::how_it_was_run(seeds, {}), "2 of 5"));
}

TEST_CASE("curves_leave_out_arms_that_repeat_another_one_in_every_seed") {
  sim::seed_runs seeds;
  for (const std::uint64_t seed : {1, 2}) {
    const double twice = seed == 2 ? 0.5 : 0.25;  // as "once" in the first seed alone
    sim::run_data run =
        run_of(seed, {train("mxfp4", "entropy", 1, 0.25), train("always", "entropy", 1, 0.25),
                      train("once", "entropy", 1, twice)});
    for (const char* name : {"always", "once"}) run.of.arms.push_back({name, {}, {}, {}});
    seeds.runs.push_back(run);
  }
  const std::string curves = sim::curves_over_seeds(seeds);
  CHECK(has(curves, "another arm in every seed: always (as mxfp4)."));
}

TEST_CASE("a_page_over_seeds_is_well_formed_and_needs_nothing_outside_itself") {
  const std::string page =
      sim::page_of(with_cells(), "seeds", "", {"mxprism report <DIR>", "abc", "<CPU>"});
  CHECK(complaint_of(page) == "");
  CHECK(outside_of(page) == "");
  CHECK(page.find("<section id=") == page.find("<section id=\"cells\">"));
  for (const char* part : {"&lt;tiny&gt;", "mxprism report &lt;DIR&gt;", "commit abc",
                           "&lt;CPU&gt;", "digest 0", "digest 2"}) {
    CAPTURE(part);
    CHECK(has(page, part));
  }
}

TEST_CASE("a_page_over_seeds_without_figures_says_so") {
  const std::string page = sim::page_of(three_seeds({{train("fp32", "reward", 1, 0)},
                                                     {train("fp32", "reward", 1, 0)},
                                                     {train("fp32", "reward", 1, 0)}}),
                                        "seeds", "", {});
  CHECK(complaint_of(page) == "");
  CHECK(has(page, "No arm was evaluated under FP32 in every seed."));
  CHECK(has(page, "The factorial was not measured in every seed."));
}

/// A folder with runs of the default study, each under a seed and overrides of its own.
class run_folders {
 public:
  std::filesystem::path add(const std::string& name, std::uint64_t seed,
                            const std::string& override = "name=default") const {
    std::filesystem::create_directory(folder_.path() / name);
    const sim::study s = sim::read_study(default_study(), {fmt::format("seed={}", seed), override});
    folder_.write(name + "/study.toml", sim::resolved_toml(s));
    folder_.write(
        name + "/metrics.jsonl",
        R"({"phase":"train","arm":"fp32","step":1,"passes":"","layer":"","metric":"reward","value":0.5})");
    return folder_.path() / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  text_folder folder_;
};

std::string refusal_of(const std::vector<std::filesystem::path>& folders) {
  try {
    static_cast<void>(sim::read_seeds(folders));
  } catch (const sim::report_error& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("seeds_are_read_in_their_order_from_runs_and_from_folders_of_runs") {
  const run_folders runs;
  const auto ten = runs.add("seed-10", 10), two = runs.add("seed-2", 2);
  CHECK(sim::is_folder_of_seeds(runs.path()));
  CHECK_FALSE(sim::is_folder_of_seeds(ten));
  for (const auto& folders : {std::vector{runs.path()}, std::vector{ten, two}}) {
    const sim::seed_runs seeds = sim::read_seeds(folders);
    REQUIRE(seeds.runs.size() == 2);
    CHECK(seeds.runs[0].of.seed == 2);
    CHECK(seeds.runs[1].of.seed == 10);
  }
}

TEST_CASE("runs_of_different_studies_are_refused_by_the_key_that_differs") {
  const run_folders runs;
  const auto one = runs.add("a", 1), other = runs.add("b", 2, "grpo.learning_rate=1e-3");
  const std::string why = refusal_of({one, other});
  INFO(why);
  CHECK(has(why, other.string() + ": another study than " + one.string()));
  CHECK(has(why, "grpo.learning_rate"));
}

TEST_CASE("one_seed_alone_and_a_seed_twice_are_refused") {
  const run_folders runs;
  const auto one = runs.add("a", 1), again = runs.add("b", 1);
  CHECK(has(refusal_of({one}), "at least two seeds, found 1"));
  CHECK(has(refusal_of({one, again}), "seed 1 is in "));
}

}  // namespace

TEST_CASE("numbers_of_an_axis_stay_inside_its_drawing") {
  constexpr double width = 400, narrow_digit = 6.5;
  for (const auto& [low, high] : {std::pair{0.0, 5897760.0}, {-5897760.0, 0.0}, {0.0, 0.4}}) {
    const std::string chart = sim::draw({"", 0, {{"a", "", high, low, high}}});
    std::size_t numbers = 0;
    for (std::size_t at = chart.find("<text x=\""); at != std::string::npos;
         at = chart.find("<text x=\"", at + 1)) {
      const std::size_t begin = chart.find('>', at) + 1, end = chart.find('<', begin);
      std::string number = chart.substr(begin, end - begin);
      if (number.starts_with("\u2212")) number.replace(0, 3, "-");
      const double place = std::stod(chart.substr(at + 9)),
                   half = static_cast<double>(number.size()) * narrow_digit / 2;
      CAPTURE(number, place);
      CHECK(place - half >= 0);
      CHECK(place + half <= width);
      ++numbers;
    }
    CHECK(numbers > 2);
  }
}

TEST_CASE("outliers_are_means_over_seeds_compared_with_the_reference_under_the_same_factor") {
  const auto frozen = [](const std::string& arm, const std::string& metric, double value) {
    return metric_row{"frozen", arm, {}, 16, "", "", metric, value, {}};
  };
  std::vector<std::vector<metric_row>> rows;
  for (const double kl : {1.0, 2.0, 6.0}) {
    rows.push_back({frozen("fp32", "accuracy_sampled", 0.5), frozen("mxfp4", "kl", kl),
                    frozen("mxfp4", "accuracy_sampled", 0.5 - kl / 10)});
  }
  const std::string text = sim::outliers_over_seeds(three_seeds(rows));
  CHECK(complaint_of(text) == "");
  CHECK(text.find(">\u00D716</text>") != std::string::npos);
  CHECK(text.find("mxfp4, \u00D716: KL to FP32 3.0 [") != std::string::npos);
  CHECK(text.find(">3.00</text>") != std::string::npos);   // the mean of KL
  CHECK(text.find(">0.300</text>") != std::string::npos);  // and of the loss of accuracy
}

TEST_CASE("a_claims_card_shows_the_detectable_effect_where_it_is_open_and_the_range_of_a_spread") {
  const auto card = [](sim::claim_rule rule, double first) {
    sim::claims_plan plan = test::plan_of({test::claim("x", rule, {"a - b"})}, 3);
    plan.metrics[0].factor = 1;
    plan.claims[0].within = {2, 200};
    std::vector<sim::seed_metrics> runs;
    for (const double a : {first, 2.0, 6.0}) {
      runs.push_back(test::run_of(101 + runs.size(), {{"a", a}, {"b", 0}}));
    }
    return sim::claims_section(plan, test::decided(plan, runs));
  };
  CHECK(has(card(sim::claim_rule::positive, 1), ">detectable 8.6</small>"));
  CHECK_FALSE(has(card(sim::claim_rule::estimate, 1), ">detectable "));
  const std::string spread = card(sim::claim_rule::spread, 1);
  CHECK(has(spread, "range 2 to 200"));
  CHECK(has(spread, ">200</text>"));  // the axis ends with the shade
  CHECK_FALSE(has(spread, ">300</text>"));
}
