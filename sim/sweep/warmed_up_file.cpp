// SPDX-License-Identifier: Apache-2.0
// sim/sweep/warmed_up_file.cpp: see warmed_up_file.h.
#include "sim/sweep/warmed_up_file.h"

#include <fmt/format.h>

#include <optional>

#include "sim/pretrained/starting_policy.h"
#include "sim/study/study_file.h"
#include "sim/train/checkpoint.h"
#include "sim/train/divergence.h"
#include "sim/train/warm_up.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

shared_weights shared(std::vector<float> weights) {
  return std::make_shared<const std::vector<float>>(std::move(weights));
}

training_state trained(const setting& s) {
  try {
    return warmed_up_policy(s);
  } catch (const divergence& d) {
    throw input_error("the warm-up diverged: {}; lower warm_up.learning_rate", d.what());
  }
}

/// The weights of a file; none where it is absent or damaged: it is written anew.
std::optional<std::vector<float>> kept_in(const fs::path& file, const parameter_table& table,
                                          const std::string& hash) {
  try {
    auto held = load_checkpoint(file, table, hash);
    return held ? std::optional(std::move(held->state.weights)) : std::nullopt;
  } catch (const golden::io::file_error&) {
    return {};
  }
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw input_error("{}: cannot be made: {}", folder.string(), failure.message());
}

}  // namespace

shared_weights warmed_up(const study& s, const fs::path& folder) {
  const setting of(s);
  if (s.warm_up.steps == 0) {
    if (s.policy.source.weights) return s.policy.source.weights;
    return shared(starting_weights(of.table, s.seed));
  }
  const std::string hash = study_hash(s);
  const fs::path file = folder / fmt::format("warm-up-{}.safetensors", hash.substr(0, 16));
  if (auto held = kept_in(file, of.table, hash)) return shared(std::move(*held));
  checkpoint c{trained(of), {}, {}};
  c.state.optimizer = {};  // training starts with fresh moments
  make_folder(folder);
  save_checkpoint(file, of.table, hash, c);
  return shared(std::move(c.state.weights));
}

}  // namespace sim
