// SPDX-License-Identifier: Apache-2.0
// tests/train/frozen_test.cpp: sim/train/frozen.h: figures at frozen weights against their
// definitions, computed here directly.
#include "sim/train/frozen.h"

#include <cmath>
#include <map>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/report/metrics.h"
#include "sim/train/evaluation.h"
#include "sim/train/gradient_bias.h"
#include "sim/train/gradient_comparison.h"
#include "sim/train/grpo.h"
#include "sim/train/run.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::gradient_passes;
using sim::setting;
constexpr gradient_passes all_restrictions[] = {gradient_passes::all, gradient_passes::forward,
                                                gradient_passes::dgrad, gradient_passes::wgrad,
                                                gradient_passes::backward};

const setting& tiny() {
  static const setting s(test::tiny_study());
  return s;
}

const sim::frozen_reference& reference() {
  static const sim::frozen_reference r = [] {
    return sim::make_reference(tiny(), sim::warmed_up_policy(tiny()).weights);
  }();
  return r;
}

const sim::arm& arm(const std::string& name) {
  for (const sim::arm& a : tiny().constants.arms) {
    if (a.name == name) return a;
  }
  throw std::out_of_range(name);
}

TEST_CASE("a_gradient_of_zero_has_neither_a_direction_nor_a_size") {
  const std::vector<floats> none(2, floats(16)), some(2, floats(16, .5F));
  const auto beside = [](const std::vector<floats>& g, const std::vector<floats>& r) {
    return sim::gradient_comparison(g, r).over(0, 16);
  };
  CHECK(std::isnan(beside(none, some).cosine().full));
  CHECK(std::isnan(beside(none, some).log2_norm().full));
  CHECK(std::isnan(beside(some, none).log2_norm().full));
  CHECK(beside(some, some).log2_norm().full == 0);
}

TEST_CASE("a_restriction_keeps_the_formats_of_its_passes_alone") {
  const sim::arithmetic mxfp4 = arm("mxfp4").formats;
  for (const gradient_passes p : all_restrictions) {
    const sim::arithmetic r = sim::restricted(mxfp4, p);
    const bool all = p == gradient_passes::all, backward = p == gradient_passes::backward;
    INFO(sim::name_of(p));
    CHECK((r.forward == mxfp4.forward) == (all || p == gradient_passes::forward));
    CHECK((r.dgrad == mxfp4.dgrad) == (all || backward || p == gradient_passes::dgrad));
    CHECK((r.wgrad == mxfp4.wgrad) == (all || backward || p == gradient_passes::wgrad));
  }
}

TEST_CASE("the_reference_cell_agrees_with_itself_exactly_with_any_outliers") {
  for (const int factor : {1, 4}) {
    const auto detail = factor == 1 ? sim::gradient_detail::full : sim::gradient_detail::whole;
    const auto cell = sim::measure_cell(tiny(), reference(), arm("fp32"), factor, detail);
    for (const auto& [key, figure] : cell) {
      INFO(key.metric << " " << key.passes << " " << key.layer << " x" << factor);
      if (key.metric == "gradient_log2_norm") CHECK(figure.full == 0);
      const bool gradient = key.metric == "gradient_cosine" || key.metric == "gradient_projection";
      if (key.metric != "kl" && !gradient) continue;
      CHECK(figure.full == (gradient ? 1.0 : 0.0));
      for (const double v : figure.without) CHECK(v == (gradient ? 1.0 : 0.0));
    }
    const std::size_t gradients = factor == 1 ? 3 * 5 * 2 : 3;  // one layer, and all of them
    CHECK(cell.size() == gradients + 4);
  }
}

/// An arithmetic in a frozen batch.
sim::step_arithmetic at_batch(const sim::arithmetic& formats, std::size_t batch) {
  return tiny().at_step(formats, sim::stream::frozen_operands, static_cast<int>(batch));
}

/// Gradient of the frozen batch's policy-gradient loss in an arithmetic.
floats gradient_of(const sim::step_arithmetic& formats, std::size_t batch,
                   const sim::frozen_reference& from = reference()) {
  const auto& sequences = from.batches[batch];
  const auto& weights = from.weights;
  int tokens = 0;
  for (const sim::sequence& q : sequences) tokens += q.response();
  const float share = 1.0F / static_cast<float>(tokens);
  sim::gradient_computer gradient(tiny());
  return gradient(formats,
                  sim::prepare_forward(tiny().table, weights, formats.of(sim::pass::forward)),
                  sim::prepare_backward(tiny().table, weights, formats), sequences,
                  [&](int i, int, const sim::token_outcome&) {
                    return share * from.advantage[batch][static_cast<std::size_t>(i)];
                  });
}

double inner(const floats& a, const floats& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

floats sum_of(const floats& a, const floats& b) {
  floats sum = a;
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  return sum;
}

TEST_CASE("cosine_and_projection_are_those_of_gradients_computed_one_restriction_at_a_time") {
  for (const char* name : {"mxfp4", "mbs+of+aqn", "inj-s", "drawn"}) {
    const sim::arm a = std::string(name) == "drawn" ? test::drawn_arm() : arm(name);
    const auto cell = sim::measure_cell(tiny(), reference(), a, 1, sim::gradient_detail::full);
    const floats plain = sum_of(reference().gradients[0], reference().gradients[1]);
    REQUIRE(inner(plain, plain) > 0);
    for (const gradient_passes p : all_restrictions) {
      const sim::arithmetic formats = sim::restricted(a.formats, p);
      const floats first = gradient_of(at_batch(formats, 0), 0),
                   second = gradient_of(at_batch(formats, 1), 1), both = sum_of(first, second);
      const auto cosine = [](const floats& g, const floats& r) {
        return inner(g, r) / std::sqrt(inner(g, g) * inner(r, r));
      };
      const sim::replicated& found = cell.at({"gradient_cosine", sim::name_of(p), "all"});
      const sim::replicated& projected = cell.at({"gradient_projection", sim::name_of(p), "all"});
      INFO(name << ", " << sim::name_of(p));
      CHECK(found.full == Approx(cosine(both, plain)).epsilon(1e-6));
      CHECK(projected.full == Approx(inner(both, plain) / inner(plain, plain)).epsilon(1e-6));
      const sim::replicated& length = cell.at({"gradient_log2_norm", sim::name_of(p), "all"});
      CHECK(length.full ==
            Approx(std::log2(inner(both, both) / inner(plain, plain)) / 2).margin(1e-6));
      CHECK(length.without[0] ==
            Approx(std::log2(inner(second, second) /
                             inner(reference().gradients[1], reference().gradients[1])) /
                   2)
                .margin(1e-6));
      REQUIRE(found.without.size() == 2);
      CHECK(found.without[0] == Approx(cosine(second, reference().gradients[1])).epsilon(1e-5));
      CHECK(found.without[1] == Approx(cosine(first, reference().gradients[0])).epsilon(1e-5));
      CHECK(found.full < 1.0);
    }
  }
}

/// The tiny study with so many frozen batches that its gradient stands out of their noise.
const sim::setting& long_study() {
  static const setting s = [] {
    sim::study of = test::tiny_study();
    of.measurement.frozen_batches = 16;
    return setting(of);
  }();
  return s;
}

TEST_CASE("bias_and_variance_are_those_of_gradients_computed_one_restriction_at_a_time") {
  const auto from = sim::make_reference(long_study(), reference().weights);
  const sim::arm& a = arm("mxfp4");
  const auto cell = sim::measure_cell(long_study(), from, a, 1, sim::gradient_detail::full);
  for (const gradient_passes p : all_restrictions) {
    std::vector<floats> gradients;
    for (std::size_t b = 0; b < from.batches.size(); ++b) {
      gradients.push_back(gradient_of(at_batch(sim::restricted(a.formats, p), b), b, from));
    }
    const auto expected =
        sim::gradient_bias(gradients, from.gradients).over(0, tiny().table.count());
    const auto require = [&](const char* metric, const std::optional<sim::replicated>& figure) {
      INFO(metric << ", " << sim::name_of(p));
      REQUIRE(figure.has_value());
      CHECK(cell.at({metric, sim::name_of(p), "all"}).full == Approx(figure->full).epsilon(1e-6));
      CHECK(cell.at({metric, sim::name_of(p), "all"}).without.size() == 16);
      CHECK(cell.contains({metric, sim::name_of(p), "0"}));
    };
    require("gradient_bias_squared", expected.bias_squared());
    require("gradient_error_variance", expected.error_variance());
  }
}

TEST_CASE("the_reference_has_no_bias_in_any_bit") {
  const auto from = sim::make_reference(long_study(), reference().weights);
  const auto cell =
      sim::measure_cell(long_study(), from, arm("fp32"), 1, sim::gradient_detail::full);
  for (const gradient_passes p : all_restrictions) {
    for (const char* metric : {"gradient_bias_squared", "gradient_error_variance"}) {
      const sim::replicated& figure = cell.at({metric, sim::name_of(p), "all"});
      CHECK(figure.full == 0);
      for (const double v : figure.without) CHECK(v == 0);
    }
  }
}

TEST_CASE("demonstrations_have_a_gradient_at_initial_weights_and_are_not_those_of_the_warm_up") {
  sim::study s = test::tiny_study();
  const auto gradient_squared = [](const setting& at) {
    const auto r = sim::make_reference(at, sim::initial_weights(at.table, 1));
    return inner(r.gradients[0], r.gradients[0]);
  };
  CHECK(gradient_squared(setting(s)) == 0);  // no rollout is right
  s.measurement.frozen_tokens = sim::frozen_tokens::demonstrations;
  CHECK(gradient_squared(setting(s)) > 0);
  const setting at(s);
  const auto r = sim::make_reference(at, sim::initial_weights(at.table, 1));
  REQUIRE(r.batches.size() == 2);
  CHECK(r.batches[0].size() == static_cast<std::size_t>(s.warm_up.sequences));
  for (const float a : r.advantage[0]) CHECK(a == 1.0F);
  CHECK(r.batches[0][0].tokens != sim::demonstrations(at, 0)[0].tokens);
  CHECK(r.batches[0][0].tokens == sim::demonstrations(at, 0x800000)[0].tokens);
  CHECK(r.batches[1][0].tokens == sim::demonstrations(at, 0x800001)[0].tokens);
}

TEST_CASE("kl_and_entropy_are_means_over_the_response_tokens_of_the_replayed_rollouts") {
  const sim::arm& a = arm("mxfp4");
  const auto cell = sim::measure_cell(tiny(), reference(), a, 1, sim::gradient_detail::whole);
  const sim::forward_weights plain = sim::prepare_forward(tiny().table, reference().weights, {});
  double kl = 0, entropy = 0;
  int tokens = 0;
  for (std::size_t b = 0; b < reference().batches.size(); ++b) {
    const auto& batch = reference().batches[b];
    const sim::pass_products products = at_batch(a.formats, b).of(sim::pass::rollout);
    const auto quantized = sim::prepare_forward(tiny().table, reference().weights, products);
    sim::decoder p(tiny().table, tiny().rope), q(tiny().table, tiny().rope);
    p.take(batch);
    q.take(batch);
    p.forward(quantized, products);
    q.forward(plain, {});
    for (int i = 0; i < static_cast<int>(batch.size()); ++i) {
      for (int t = 0; t < batch[static_cast<std::size_t>(i)].response(); ++t, ++tokens) {
        for (int v = 0; v < 32; ++v) {
          const double log_p = double{p.log_distribution(i, t)[v]};
          kl += std::exp(log_p) * (log_p - double{q.log_distribution(i, t)[v]});
          entropy -= std::exp(log_p) * log_p;
        }
      }
    }
  }
  CHECK(cell.at({"kl", "", ""}).full == Approx(kl / tokens).epsilon(1e-4));
  CHECK(cell.at({"entropy", "", ""}).full == Approx(entropy / tokens).epsilon(1e-5));
  CHECK(kl > 0);
}

TEST_CASE("accuracies_of_a_cell_are_those_of_its_rollout_arithmetic") {
  for (const char* name : {"fp32", "mxfp4-rollout"}) {
    const auto cell =
        sim::measure_cell(tiny(), reference(), arm(name), 1, sim::gradient_detail::whole);
    const auto accuracy = [&](sim::decoding how) {
      return sim::accuracy(tiny(), arm(name).formats, {reference().weights, {}, 0}, how);
    };
    CHECK(cell.at({"accuracy_greedy", "", ""}).full == accuracy(sim::decoding::greedy));
    CHECK(cell.at({"accuracy_sampled", "", ""}).full == accuracy(sim::decoding::sampled));
  }
}

TEST_CASE("outliers_change_a_quantized_cell") {
  const auto plain =
      sim::measure_cell(tiny(), reference(), arm("mxfp4"), 1, sim::gradient_detail::whole);
  const auto outliers =
      sim::measure_cell(tiny(), reference(), arm("mxfp4"), 4, sim::gradient_detail::whole);
  CHECK(plain.at({"kl", "", ""}).full != outliers.at({"kl", "", ""}).full);
}

TEST_CASE("noise_shows_in_the_divergence_of_an_aqn_cell_but_not_in_its_gradient") {
  sim::arm quiet = arm("mbs+of+aqn");
  quiet.noise = sim::rollout_noise::none;
  const auto noisy_cell = sim::measure_cell(tiny(), reference(), arm("mbs+of+aqn"), 1,
                                            sim::gradient_detail::full),
             quiet_cell =
                 sim::measure_cell(tiny(), reference(), quiet, 1, sim::gradient_detail::full);
  for (const auto& [key, figure] : noisy_cell) {
    const bool same = figure.full == quiet_cell.at(key).full;
    INFO(key.metric << " " << key.passes);
    if (key.metric == "kl" || key.metric == "entropy") {
      CHECK_FALSE(same);
    } else {
      CHECK(same);
    }
  }
}

/// The arms of every cell, by name, with the parts of plain MXFP4 under one scale rule.
sim::study study_of_cells(mx::scale_rule whole) {
  sim::study s;
  s.arms = {{"fp32", {}}};
  const auto add = [&](const char* name, mx::toggle toggle, int parts) {
    mx::operand f = test::mxfp4();
    if (toggle == mx::toggle::none) f.recipe.rules.rule = whole;
    f.toggle = toggle;
    f.parts = static_cast<mx::component>(parts);
    s.arms.push_back({name, test::everywhere(f)});
  };
  const mx::toggle injection = mx::toggle::injection, operation = mx::toggle::operation;
  add("inj-s", injection, 1), add("inj-d", injection, 2), add("inj-sd", injection, 3);
  add("inj-g", injection, 4), add("inj-sg", injection, 5), add("inj-dg", injection, 6);
  add("op-sd", operation, 3), add("op-sg", operation, 5);
  add("mxfp4", mx::toggle::none, 15);
  return s;
}

/// A cell that holds one figure, the same without each batch.
sim::cell_figures cell_of(const sim::cell_key& key, double value) {
  return {{key, {value, {value, value}}}};
}

std::map<std::string, double> values_of(const std::vector<sim::metric_row>& rows) {
  std::map<std::string, double> result;
  for (const sim::metric_row& row : rows) {
    CHECK(row.arm == "factorial");
    CHECK(row.phase == "frozen");
    CHECK(row.outliers == 4);
    result[row.metric] = row.value;
  }
  return result;
}

TEST_CASE("the_factorial_tells_both_meanings_of_a_toggle_apart") {
  const sim::cell_key kl{"kl", "", ""};
  std::map<std::string, sim::cell_figures> cells;
  const std::pair<const char*, double> figures[] = {
      {"fp32", 0},   {"inj-s", 1},   {"inj-d", 2}, {"inj-sd", 4}, {"inj-g", 8},
      {"inj-sg", 9}, {"inj-dg", 10}, {"op-sd", 5}, {"op-sg", 12}, {"mxfp4", 16}};
  for (const auto& [name, value] : figures) cells[name] = cell_of(kl, value);
  const sim::study s = study_of_cells(mx::scale_rule::rceil);
  const auto values = values_of(sim::factorial_rows(s, cells, 4));
  CHECK(values.at("kl.injection.total") == Approx(16));
  CHECK(values.at("kl.operation.total") == Approx(16));
  CHECK(values.at("kl.injection.moebius.S") == Approx(1));
  CHECK(values.at("kl.operation.moebius.S") == Approx(0).margin(1e-12));  // S alone is the identity
  CHECK(values.at("kl.injection.moebius.SD") == Approx(4 - 1 - 2));
  CHECK(values.at("kl.operation.moebius.SD") == Approx(5 - 0 - 2));
  CHECK(values.at("kl.operation.moebius.SG") == Approx(12 - 0 - 8));
  for (const std::string meaning : {"injection", "operation"}) {
    double sum = 0;
    for (const char* part : {"S", "D", "G"}) sum += values.at("kl." + meaning + ".shapley." + part);
    CHECK(sum == Approx(16));
  }
  const auto without_operation = [&](const sim::study& of) {
    const auto found = values_of(sim::factorial_rows(of, cells, 4));
    return found.contains("kl.injection.total") && !found.contains("kl.operation.total");
  };
  sim::study other = s;
  other.arms[8].formats.wgrad.data.parts = mx::component::grid;  // op-sg
  CHECK(without_operation(other));
  CHECK(sim::factorial_rows(study_of_cells(mx::scale_rule::floor), cells, 4).empty());
  cells.erase("op-sg");
  CHECK(without_operation(s));
  cells.erase("mxfp4");
  CHECK(sim::factorial_rows(s, cells, 4).empty());
}

TEST_CASE("a_run_has_the_factorial_of_its_cells_under_every_factor") {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 12;
  s.arms = study_of_cells(mx::scale_rule::rceil).arms;
  for (sim::arm& a : s.arms) a.training = sim::arm_training::none;
  s.outliers.factors = {1, 4};
  const test::scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
  const sim::metrics found = sim::read_metrics(scratch / "run" / "metrics.jsonl");
  std::map<int, double> totals;
  for (const int factor : s.outliers.factors) {
    const auto kl = [&](const char* arm) { return found.frozen(arm, "kl", {factor})->value; };
    for (const char* meaning : {"injection", "operation"}) {
      const auto terms = found.terms("kl", meaning, factor);
      REQUIRE(terms);
      totals[factor] = terms->total.value;
      CHECK(totals[factor] == Approx(kl("mxfp4") - kl("fp32")));
    }
  }
  CHECK(totals.at(1) != totals.at(4));
}

TEST_CASE("energies_are_measured_for_plain_mxfp4_and_their_shares_add_up") {
  CHECK(sim::component_energies(tiny(), reference(), arm("fp32")).empty());
  CHECK(sim::component_energies(tiny(), reference(), arm("inj-s")).empty());
  CHECK(sim::component_energies(tiny(), reference(), arm("mxfp4-rollout")).empty());
  const auto rows = sim::component_energies(tiny(), reference(), arm("mxfp4"));
  REQUIRE_FALSE(rows.empty());
  int finite = 0;
  for (const sim::metric_row& row : rows) {
    CHECK(row.phase == "frozen");
    CHECK(row.arm == "mxfp4");
    CHECK(row.metric.starts_with("energy."));
    finite += std::isfinite(row.value) ? 1 : 0;
    if (row.metric.ends_with(".clip")) CHECK(row.value == 0.0);  // rceil
    if (row.metric.ends_with("identity_violations")) CHECK(row.value == 0.0);
    if (row.metric.ends_with("deadzone_grid")) CHECK(row.value == 0.0);
    if (row.metric.ends_with("total_over_floor")) CHECK(row.value > 1.0);
  }
  CHECK(finite == static_cast<int>(rows.size()));
}

/// Whole error over the floor, by role, over all layers.
std::map<std::string, double> over_floor(const sim::arm& a) {
  std::map<std::string, double> result;
  for (const sim::metric_row& row : sim::component_energies(tiny(), reference(), a)) {
    if (row.layer == "all" && row.metric.ends_with("total_over_floor")) {
      result[row.metric] = row.value;
    }
  }
  return result;
}

sim::arm recipe_arm(const mx::block_format& format, mx::scale_rule rule) {
  return {"recipe", test::everywhere({mx::operand_numbers::coded, {{format, rule}}}), {}, {}};
}

TEST_CASE("the_error_of_a_recipe_over_the_floor_is_that_of_mxfp4s_parts") {
  // The same values under a tensor core's model: measured as a recipe, and not by its parts.
  sim::arm modelled = arm("mxfp4");
  for (sim::pass_format* f : {&modelled.formats.rollout, &modelled.formats.forward,
                              &modelled.formats.dgrad, &modelled.formats.wgrad}) {
    f->model = mx::model_named("blackwell.mxf4");
  }
  const auto by_parts = over_floor(arm("mxfp4")), whole = over_floor(modelled);
  REQUIRE(by_parts.size() == 6);
  REQUIRE(whole.size() == 6);
  for (const auto& [role, value] : by_parts) CHECK(whole.at(role) == Approx(value).epsilon(1e-9));
}

TEST_CASE("eight_fraction_bits_of_scale_reach_the_floor_and_the_best_of_many_scales_goes_below") {
  const mx::block_format fine{mx::formats::e2m1, mx::formats::e8m(8), 1, 32};
  const auto e8m8 = over_floor(recipe_arm(fine, mx::scale_rule::rceil));
  REQUIRE(e8m8.size() == 6);
  for (const auto& [role, value] : e8m8) {
    INFO(role);
    CHECK(value == Approx(1).margin(.01));
  }
  for (const auto& [role, value] : over_floor(recipe_arm(fine, mx::scale_rule::mse))) {
    INFO(role);
    CHECK(value < e8m8.at(role));
  }
}

TEST_CASE("arms_of_several_formats_noise_or_random_rounding_have_no_error_over_the_floor") {
  CHECK(over_floor(arm("inj-s")).empty());
  CHECK(over_floor(arm("mbs+of+aqn")).empty());
  CHECK(over_floor(arm("mxfp4-rollout")).empty());
  CHECK(over_floor(test::drawn_arm()).empty());
}

}  // namespace
