// SPDX-License-Identifier: Apache-2.0
// sim/assess/assessment.cpp: arms run side by side on one batch at a time, whose FP32 gradient they
// share. No result depends on the scheduling.
#include "sim/assess/assessment.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "golden/io/file.h"
#include "golden/io/replaced_file.h"
#include "sim/assess/assessment_page.h"
#include "sim/assess/batch_sums.h"
#include "sim/policy/whole_loop.h"
#include "sim/study/sha256.h"
#include "sim/study/shallow_json.h"
#include "sim/study/study_file.h"
#include "sim/train/cell.h"
#include "sim/train/folder_lock.h"
#include "sim/train/limited_threads.h"
#include "sim/train/metric_files.h"
#include "sim/train/run.h"
#include "sim/train/thread_limit.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

class assessment {
 public:
  explicit assessment(const assessment_request& request)
      : request_(request),
        setting_(request.plan.of),
        identity_(identity_of(request.plan)),
        batches_(batches_of(request.plan.texts, request.plan.batch)) {
    open_folder();
  }

  assessment_end run() {
    const std::vector<arm>& arms = setting_.constants.arms;
    total_ = static_cast<int>((batches_.size() + 1) * arms.size());
    const frozen_reference reference = reference_of_texts();
    const forward_weights forward = prepare_forward(setting_.table, reference.weights, {});
    const backward_weights backward = prepare_backward(setting_.table, reference.weights, {});
    const plain_policy policy{reference.weights, forward, backward};
    std::vector<std::vector<batch_sums>> sums(arms.size());
    for (std::size_t b = 0; b < batches_.size() && !stopping(); ++b) measure(b, policy, sums);
    std::vector<metric_row> rows;
    for (std::size_t a = 0; a < arms.size() && !stopping(); ++a) {
      const auto append = [&](const std::vector<metric_row>& more) {
        rows.insert(rows.end(), more.begin(), more.end());
      };
      append(rows_of(arms[a].name, sums[a]));
      append(energies_of(arms[a], reference));
    }
    if (stopping()) return assessment_end::stopped;
    write_results(rows);
    return assessment_end::finished;
  }

 private:
  [[nodiscard]] bool stopping() const { return request_.stop != nullptr && *request_.stop != 0; }

  void tell_piece() {
    const std::scoped_lock lock(telling_);
    ++done_;
    if (request_.report) request_.report(done_, total_);
  }

  void open_folder() {
    std::error_code failure;
    fs::create_directories(request_.folder / "pieces", failure);
    if (failure) {
      throw run_error("{}: cannot be made: {}", request_.folder.string(), failure.message());
    }
    lock_ = std::make_unique<folder_lock>(request_.folder);
    golden::io::remove_abandoned_files(request_.folder);
    golden::io::remove_abandoned_files(request_.folder / "pieces");
    const fs::path file = request_.folder / "pieces" / "identity";
    if (!fs::exists(file)) return golden::io::write_text(file, identity_);
    if (golden::io::read_text(file.string()) == identity_) return;
    throw run_error(
        "{}: holds an assessment of another policy, other arms or other texts; choose another "
        "folder "
        "with -o",
        request_.folder.string());
  }

  [[nodiscard]] fs::path piece_file(const std::string& what, const arm& a) const {
    return request_.folder / "pieces" / fmt::format("{}-{}.json", what, a.name);
  }
  [[nodiscard]] fs::path batch_file(std::size_t b, const arm& a) const {
    return piece_file(std::to_string(b), a);
  }

  /// What `parse` makes of a finished piece; no value where there is none.
  template <class Parse>
  auto held(const fs::path& file, const Parse& parse) const -> decltype(parse("")) {
    if (!fs::exists(file)) return std::nullopt;
    try {
      return parse(golden::io::read_text(file.string(), golden::io::longest_data));
    } catch (const json_error& e) {
      throw golden::io::file_error(
          file.string(),
          fmt::format("is damaged: it {}; remove the file, and it is measured again", e.what()));
    }
  }
  [[nodiscard]] std::optional<batch_sums> held_sums(std::size_t b, const arm& a) const {
    return held(batch_file(b, a), [&](const std::string& t) { return sums_in(t, identity_); });
  }

  /// One batch under every arm that the folder lacks.
  void measure(std::size_t b, const plain_policy& policy,
               std::vector<std::vector<batch_sums>>& sums) {
    const std::vector<arm>& arms = setting_.constants.arms;
    std::vector<std::optional<batch_sums>> found;
    for (const arm& a : arms) {
      found.push_back(held_sums(b, a));
      if (found.back()) tell_piece();
    }
    if (std::ranges::any_of(found, [](const auto& f) { return !f; })) {
      const batch_measurement measured(setting_, policy, batches_[b], static_cast<int>(b));
      whole_loop(std::ssize(arms), [&](std::ptrdiff_t at) {
        const auto i = static_cast<std::size_t>(at);
        if (found[i] || stopping()) return;
        found[i] = measured.under(arms[i]);
        golden::io::write_text(batch_file(b, arms[i]), sums_text(*found[i], identity_));
        tell_piece();
      });
    }
    if (stopping()) return;
    for (std::size_t i = 0; i < arms.size(); ++i) sums[i].push_back(std::move(*found[i]));
  }

  /// The first batch in FP32, whose operands' energies are measured.
  frozen_reference reference_of_texts() {
    frozen_reference r;
    r.weights = *setting_.table.shape().source.weights;
    r.batches = {batches_.front()};
    r.advantage = {std::vector<float>(batches_.front().size(), 1.0F)};
    return r;
  }

  std::vector<metric_row> energies_of(const arm& a, const frozen_reference& reference) {
    const fs::path file = piece_file("energies", a);
    auto found =
        held(file, [&](const std::string& text) { return cell_in(text, a.name, 1, identity_); });
    if (!found) {
      found = cell{{}, component_energies(setting_, reference, a)};
      golden::io::write_text(file, cell_text(*found, identity_));
    }
    tell_piece();
    return std::move(found->energies);
  }

  void write_results(const std::vector<metric_row>& rows) const {
    const study& s = request_.plan.of;
    golden::io::write_text(request_.folder / "metrics.csv", metrics_csv(rows, s.seed));
    golden::io::write_text(request_.folder / "metrics.jsonl", metrics_jsonl(rows, s.seed));
    golden::io::write_text(request_.folder / "study.toml", resolved_toml(s));
    golden::io::write_text(request_.folder / "assessment.html",
                           assessment_page(request_.plan, metrics(rows)));
  }

  const assessment_request& request_;
  setting setting_;
  std::string identity_;
  std::vector<std::vector<sequence>> batches_;
  std::unique_ptr<folder_lock> lock_;
  std::mutex telling_;
  int done_ = 0, total_ = 0;
};

}  // namespace

std::string identity_of(const assessment_plan& plan) {
  return sha256_of(fmt::format("{} {} {} {}", study_hash(plan.of), plan.texts.sha256,
                               plan.texts.texts.size(), plan.batch));
}

assessment_end assess(const assessment_request& request) {
  return on_threads(threads_of(request.plan.of.run), [&] { return assessment(request).run(); });
}

}  // namespace sim
