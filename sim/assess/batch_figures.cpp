// SPDX-License-Identifier: Apache-2.0
// sim/assess/batch_figures.cpp: sums of batches as text, and as figures with standard errors.
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/assess/batch_sums.h"
#include "sim/study/shallow_json.h"
#include "sim/study/statistics.h"
#include "sim/train/checked_json.h"
#include "sim/train/gradient_comparison.h"

namespace sim {
namespace {

using nlohmann::ordered_json;

constexpr std::array restrictions{gradient_passes::all, gradient_passes::forward,
                                  gradient_passes::dgrad, gradient_passes::wgrad,
                                  gradient_passes::backward};

batch_sums sums_of(const ordered_json& j) {
  batch_sums sums;
  const ordered_json& d = j.at("distributions");
  const auto number = [&](const char* key) { return number_from(d.at(key)); };
  sums.of_distributions = {number("tokens"), number("cross_entropy"), number("kl"),
                           number("entropy"), number("agreeing")};
  for (const gradient_passes p : restrictions) {
    for (const auto& [part, v] : j.at("gradients").at(name_of(p)).items()) {
      sums.of_gradients[p][part] = {number_from(v.at(0)), number_from(v.at(1)),
                                    number_from(v.at(2))};
    }
  }
  return sums;
}

/// A mean a predicted token.
replicated mean_of(const std::vector<batch_sums>& batches, double distribution_sums::*figure) {
  return replicate(batches, [&](const std::vector<batch_sums>& all, std::size_t left_out) {
    double sum = 0, tokens = 0;
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (b == left_out) continue;
      sum += all[b].of_distributions.*figure;
      tokens += all[b].of_distributions.tokens;
    }
    return sum / tokens;
  });
}

/// The products of a part in every batch. Products between batches are not taken: they count as
/// those of gradients that are orthogonal from batch to batch.
gradient_comparison::share share_of(const std::vector<batch_sums>& batches, gradient_passes p,
                                    const std::string& part) {
  std::vector<gradient_comparison::products> products;
  for (const batch_sums& b : batches) {
    const gradient_sums& s = b.of_gradients.at(p).at(part);
    products.push_back({s.gr, s.gg, s.rr, s.gr, s.gr, s.gg, s.rr});
  }
  return gradient_comparison::share(std::move(products));
}

}  // namespace

std::string sums_text(const batch_sums& sums, const std::string& identity) {
  const distribution_sums& d = sums.of_distributions;
  ordered_json object{{"assessment", identity}};
  object["distributions"] = {{"tokens", json_number(d.tokens)},
                             {"cross_entropy", json_number(d.cross_entropy)},
                             {"kl", json_number(d.kl)},
                             {"entropy", json_number(d.entropy)},
                             {"agreeing", json_number(d.agreeing)}};
  for (const auto& [passes, parts] : sums.of_gradients) {
    for (const auto& [part, s] : parts) {
      object["gradients"][name_of(passes)][part] = {json_number(s.gr), json_number(s.gg),
                                                    json_number(s.rr)};
    }
  }
  return checked_text(std::move(object));
}

std::optional<batch_sums> sums_in(std::string_view text, const std::string& identity) {
  auto object = shallow_json<ordered_json>(text);
  try {
    object = without_checksum(std::move(object));
    if (object.at("assessment") != identity) return std::nullopt;
    return sums_of(object);
  } catch (const nlohmann::json::exception&) {
    throw json_error("lacks what it should have, or has it in another form");
  }
}

std::vector<metric_row> rows_of(const std::string& arm, const std::vector<batch_sums>& batches) {
  std::vector<metric_row> rows;
  const auto row = [&](const char* metric, const std::string& passes, const std::string& layer,
                       const replicated& figure) {
    const estimate e = jackknife(figure);
    rows.push_back(
        {"frozen", arm, std::nullopt, 1, passes, layer, metric, e.value, e.standard_error});
  };
  row("cross_entropy", "", "", mean_of(batches, &distribution_sums::cross_entropy));
  row("kl", "", "", mean_of(batches, &distribution_sums::kl));
  row("entropy", "", "", mean_of(batches, &distribution_sums::entropy));
  row("greedy_agreement", "", "", mean_of(batches, &distribution_sums::agreeing));
  for (const auto& [passes, parts] : batches.front().of_gradients) {
    const auto part_rows = [&, p = passes](const std::string& layer,
                                           const gradient_comparison::share& share) {
      row("gradient_cosine", name_of(p), layer, share.cosine());
      row("gradient_projection", name_of(p), layer, share.projection());
      row("gradient_log2_norm", name_of(p), layer, share.log2_norm());
    };
    std::optional<gradient_comparison::share> all;
    for (const auto& [part, unused] : parts) {
      const gradient_comparison::share share = share_of(batches, passes, part);
      if (all) {
        *all += share;
      } else {
        all = share;
      }
      part_rows(part, share);
    }
    part_rows("all", *all);
  }
  return rows;
}

}  // namespace sim
