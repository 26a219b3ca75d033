// SPDX-License-Identifier: Apache-2.0
// sim/train/kl_matrix.cpp: see kl_matrix.h.
#include "sim/train/kl_matrix.h"

#include <fmt/format.h>

#include <vector>

#include "sim/policy/element_functions.h"
#include "sim/study/toggle_cells.h"

namespace sim {
namespace {

constexpr std::size_t parts = 3, whole = 3;

/// Errors of one policy at a token, less their mean under p.
std::vector<double> centered_errors(const std::vector<float>& p, const float* log_p,
                                    const float* log_q) {
  std::vector<double> errors(p.size());
  double mean = 0;
  for (std::size_t v = 0; v < p.size(); ++v) {
    errors[v] = double{log_q[v]} - double{log_p[v]};
    mean += double{p[v]} * errors[v];
  }
  for (double& e : errors) e -= mean;
  return errors;
}

double half_covariance(const std::vector<float>& p, const std::vector<double>& a,
                       const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t v = 0; v < p.size(); ++v) sum += double{p[v]} * a[v] * b[v];
  return sum / 2;
}

}  // namespace

void add_fisher_products(int width, const float* log_p,
                         const std::array<const float*, erring_policies>& log_q,
                         fisher_sums& sums) {
  std::vector<float> p(static_cast<std::size_t>(width));
  exponential(width, log_p, p.data());
  std::array<std::vector<double>, erring_policies> errors;
  for (std::size_t i = 0; i < erring_policies; ++i) {
    errors[i] = centered_errors(p, log_p, log_q[i]);
  }
  for (std::size_t i = 0; i < erring_policies; ++i) {
    for (std::size_t j = i; j < erring_policies; ++j) {
      const double term = half_covariance(p, errors[i], errors[j]);
      sums[i][j] += term;
      if (i != j) sums[j][i] += term;
    }
  }
}

namespace {

struct batch_forms {
  fisher_sums sums{};
  int tokens = 0;
};

/// Sums over the tokens of one frozen batch.
batch_forms forms_of(const setting& s, const frozen_reference& reference,
                     const std::array<const arm*, erring_policies>& arms,
                     const std::vector<float>& weights, gradient_computer& policy, std::size_t b) {
  std::array<std::vector<float>, erring_policies> log_q;
  for (std::size_t i = 0; i < erring_policies; ++i) {
    const pass_products products =
        s.at_step(arms[i]->formats, stream::frozen_operands, static_cast<int>(b)).of(pass::rollout);
    log_q[i] =
        policy.score(products, prepare_forward(s.table, weights, products), reference.batches[b])
            .log_distributions;
  }
  const int width = s.table.shape().vocabulary;
  const std::vector<float>& log_p = reference.log_distributions[b];
  batch_forms result;
  for (std::size_t at = 0; at < log_p.size(); at += static_cast<std::size_t>(width)) {
    std::array<const float*, erring_policies> token{};
    for (std::size_t i = 0; i < erring_policies; ++i) token[i] = log_q[i].data() + at;
    add_fisher_products(width, log_p.data() + at, token, result.sums);
    ++result.tokens;
  }
  return result;
}

/// A weighted sum of entries, a token.
using entry_weights = std::array<std::array<int, erring_policies>, erring_policies>;

replicated mean_of_entries(const std::vector<batch_forms>& batches, const entry_weights& of) {
  return replicate(batches, [&](const std::vector<batch_forms>& all, std::size_t left_out) {
    double sum = 0, tokens = 0;
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (b == left_out) continue;
      for (std::size_t i = 0; i < erring_policies; ++i) {
        for (std::size_t j = 0; j < erring_policies; ++j) sum += of[i][j] * all[b].sums[i][j];
      }
      tokens += all[b].tokens;
    }
    return sum / tokens;
  });
}

void add_matrix(const toggle_cells& meaning, const std::vector<batch_forms>& batches,
                cell_figures& figures) {
  constexpr std::array<char, parts> letters{'S', 'D', 'G'};
  const auto add = [&](const std::string& name, const entry_weights& of) {
    figures[{fmt::format("kl_matrix.{}.{}", meaning.meaning, name), "", ""}] =
        mean_of_entries(batches, of);
  };
  // A part that is the identity alone has no error, and so no row.
  const auto errs = [&](std::size_t i) {
    return std::string_view(meaning.part(i)) != meaning.reference();
  };
  entry_weights all{};
  for (std::size_t i = 0; i < parts; ++i) {
    entry_weights row{};
    for (std::size_t j = 0; j < parts; ++j) {
      const int there = errs(i) && errs(j) ? 1 : 0;
      row[i][j] = all[i][j] = there;
      entry_weights one{};
      one[i][j] = there;
      if (j >= i) add(fmt::format("{}.{}", letters[i], letters[j]), one);
    }
    add(fmt::format("row.{}", letters[i]), row);
  }
  add("sum", all);
}

}  // namespace

cell_figures kl_matrix(const setting& s, const frozen_reference& reference, const arm& a,
                       const std::vector<float>& weights) {
  const toggle_cells& injection = both_meanings.front();
  if (a.name != injection.whole()) return {};
  std::array<const arm*, erring_policies> arms{};
  for (std::size_t i = 0; i < parts; ++i) {
    arms[i] = cell_arm(s.constants, injection, std::size_t{1} << i);
  }
  arms[whole] = &a;
  if (std::ranges::find(arms, nullptr) != arms.end()) return {};
  gradient_computer policy(s);
  std::vector<batch_forms> batches;
  for (std::size_t b = 0; b < reference.batches.size(); ++b) {
    batches.push_back(forms_of(s, reference, arms, weights, policy, b));
  }
  cell_figures figures;
  for (const toggle_cells& meaning : both_meanings) add_matrix(meaning, batches, figures);
  entry_weights of_whole{};
  of_whole[whole][whole] = 1;
  figures[{"kl_matrix.whole", "", ""}] = mean_of_entries(batches, of_whole);
  return figures;
}

}  // namespace sim
