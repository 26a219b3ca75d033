// SPDX-License-Identifier: Apache-2.0
// tests/study/verdicts_test.cpp: the words agree, disagree and not resolved on the page of a run,
// from metric files with known effects.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catch.h"
#include "sim/report/report.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

/// Shapley values of scale, deadzone and grid under both meanings, with their standard error.
struct parts {
  std::array<double, 3> injection, operation;
  double error = 0.01;
};

std::string row(const std::string& arm, const std::string& metric, double value, double error,
                int outliers) {
  return fmt::format(
      R"({{"phase":"frozen","arm":"{}","seed":1,"step":null,"outliers":{},"passes":"all",)"
      R"("layer":"","metric":"{}","value":{},"standard_error":{}}})"
      "\n",
      arm, outliers, metric, value, error);
}

std::string factorial(const std::string& figure, const parts& p, int outliers = 1) {
  constexpr std::array<const char*, 3> names{"S", "D", "G"};
  std::string text;
  for (const auto& [meaning, values] :
       {std::pair{"injection", p.injection}, std::pair{"operation", p.operation}}) {
    const std::string prefix = figure + "." + meaning + ".";
    for (const char* term : {"S", "D", "G", "SD", "SG", "DG", "SDG"}) {
      text += row("factorial", prefix + "moebius." + term, 0.05, p.error, outliers);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      text += row("factorial", prefix + "shapley." + names[i], values[i], p.error, outliers);
    }
    text += row("factorial", prefix + "total", values[0] + values[1] + values[2], 0.01, outliers);
    text += row("factorial", prefix + "non_additivity", 0.4, p.error, outliers);
  }
  return text;
}

std::string page_of(const std::string& metrics, const std::vector<std::string>& overrides = {}) {
  const text_folder folder;
  folder.write("study.toml", sim::resolved_toml(sim::read_study(default_study(), overrides)));
  folder.write("metrics.jsonl", row("fp32", "kl", 0, 0.01, 1) + metrics);
  sim::write_report(folder.path());
  return folder.read("report.html");
}

std::string card(const std::string& page, const std::string& topic) {
  const std::size_t begin = page.find("<h3>" + topic + "</h3>");
  const std::size_t end = std::min(page.find("<h3>", begin + 1), page.find("The verdicts", begin));
  return page.substr(begin, end - begin);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

constexpr parts grid_in_both{{0.02, 0.02, 0.4}, {0.01, 0.02, 0.3}};
constexpr parts scale_then_grid{{0.49, 0.04, 0.002}, {0.08, 0.06, 0.39}};
constexpr parts scale_then_noise{{0.49, 0.04, 0.002}, {0.2, 0.06, 0.2}, 0.06};

}  // namespace

TEST_CASE("both_meanings_that_show_the_same_part_agree") {
  const std::string text = card(page_of(factorial("entropy", grid_in_both)), "Entropy");
  CHECK(holds(text, "class=\"chip yes\">\u00D71: agree<"));
  CHECK(holds(text, "Both meanings of a toggle name <b>grid noise</b>"));
  CHECK_FALSE(holds(text, "disagree"));
}

TEST_CASE("both_meanings_that_show_another_part_agree_that_the_claim_is_refuted") {
  const std::string text = card(page_of(factorial("kl", grid_in_both)), "Rollout quality");
  CHECK(holds(text, "class=\"chip against\">\u00D71: agree: refuted<"));
}

TEST_CASE("meanings_that_show_the_reverse_disagree") {
  const std::string text = card(page_of(factorial("entropy", scale_then_grid)), "Entropy");
  CHECK(holds(text, "class=\"chip open\">\u00D71: disagree<"));
  CHECK(holds(text, "The meanings of a toggle disagree"));
  CHECK(holds(text, "injection names scale bias (+0.490"));
  CHECK(holds(text, "operation names grid noise (+0.390"));
}

TEST_CASE("missing_significance_is_printed_as_not_resolved") {
  const std::string text = card(page_of(factorial("entropy", scale_then_noise)), "Entropy");
  CHECK(holds(text, "class=\"chip no\">\u00D71: not resolved<"));
  CHECK(holds(text, "Not resolved"));
  CHECK(holds(text, "injection names scale bias (+0.49"));
  CHECK(holds(text, "operation leaves it open"));
  CHECK_FALSE(holds(text, "disagree"));
}

TEST_CASE("each_outlier_factor_has_its_own_verdict") {
  const std::string text =
      card(page_of(factorial("entropy", grid_in_both) + factorial("entropy", scale_then_grid, 16)),
           "Entropy");
  CHECK(holds(text, "\u00D71: agree<"));
  CHECK(holds(text, "\u00D716: disagree<"));
}

TEST_CASE("the_factors_of_outlier_channels_are_those_of_the_study") {
  const std::string metrics = factorial("entropy", grid_in_both);
  CHECK(holds(page_of(metrics), " \u00D74, \u00D716: with outlier channels of that factor."));
  const std::string one = page_of(metrics, {"outliers.factors=[1, 8]"});
  CHECK(holds(one, " \u00D78: with outlier channels of that factor."));
  CHECK_FALSE(holds(one, "\u00D716"));
  const std::string none = page_of(metrics, {"outliers.factors=[1]"});
  CHECK(holds(none, "is taken as the sum of both errors.<"));
}

TEST_CASE("explanations_of_the_verdicts_and_of_one_seed_stand_on_the_page_once") {
  std::string metrics;
  for (const char* figure : {"kl", "entropy", "accuracy_sampled", "accuracy_greedy",
                             "gradient_cosine", "gradient_projection"}) {
    for (const int outliers : {1, 4, 16}) {
      metrics += factorial(figure, scale_then_grid, outliers);
    }
  }
  for (const char* arm : {"fp32", "mxfp4"}) {
    metrics += fmt::format(
        R"({{"phase":"train","arm":"{}","step":1,"passes":"","layer":"","metric":"reward","value":0.5}})"
        "\n",
        arm);
  }
  const std::string page = page_of(metrics);
  CHECK(times(page, "illustration") == 1);
  CHECK(times(page, "less than a fifth") == 1);
  // The sentence of a deciding figure, for three claims; elsewhere words.
  CHECK(times(page, "The meanings of a toggle disagree") == 3);
  CHECK_FALSE(holds(page, "depends on the meaning"));
}
