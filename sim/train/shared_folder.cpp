// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_folder.cpp: see shared_folder.h.
#include "sim/train/shared_folder.h"

#include <memory>

#include "sim/ranks/agreement_of_ranks.h"
#include "sim/study/study_file.h"
#include "sim/train/kept_checkpoints.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

/// The bytes of a file; none where it is missing.
std::string bytes_in(const fs::path& file) {
  if (!fs::exists(file)) return "";
  const auto mapped = mapped_checkpoint(file);
  return {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()};
}

}  // namespace

shared_folder::shared_folder(const rank_group& ranks, const fs::path& path, const study& s,
                             existing_run existing, int last_step)
    : ranks_(ranks), path_(path), hash_(sim::study_hash(s)) {
  const std::string finished = from_rank_0(ranks, [&] {
    folder_.emplace(path, s, existing, last_step);
    return std::string(folder_->finished() ? "finished" : "");
  });
  finished_ = !finished.empty();
}

fs::path shared_folder::checkpoint_file(const std::string& name) const {
  return checkpoint_path(path_, name);
}

fs::path shared_folder::cell_file(const std::string& arm, int factor) const {
  return cell_path(path_, arm, factor);
}

std::optional<checkpoint> shared_folder::load_checkpoint(const std::string& name,
                                                         const parameter_table& table) const {
  const fs::path file = checkpoint_file(name);
  if (ranks_.size() == 1) return sim::load_checkpoint(newest_checkpoint(file), table, hash_);
  // Other ranks may not see the folder.
  const std::string newest = from_rank_0(ranks_, [&] { return newest_checkpoint(file).string(); });
  const auto bytes =
      std::make_shared<const std::string>(from_rank_0(ranks_, [&] { return bytes_in(newest); }));
  if (bytes->empty()) return std::nullopt;
  const golden::io::byte_view view(reinterpret_cast<const std::uint8_t*>(bytes->data()),
                                   bytes->size());
  return checkpoint_in(view, bytes, newest, table, hash_);
}

void shared_folder::save_checkpoint(const std::string& name, const parameter_table& table,
                                    const checkpoint& c, int kept) const {
  on_rank_0(ranks_, [&] {
    const fs::path file = checkpoint_file(name);
    sim::save_checkpoint(file, table, hash_, c);
    keep_checkpoint(file, c.state.step, kept);
  });
}

std::optional<cell> shared_folder::load_cell(const std::string& arm, int factor) const {
  if (ranks_.size() == 1) return folder_->load_cell(arm, factor);
  const std::string text = from_rank_0(ranks_, [&] {
    const auto found = folder_->load_cell(arm, factor);
    return found ? cell_text(*found, hash_) : std::string();
  });
  if (text.empty()) return std::nullopt;
  return cell_in(text, arm, factor, hash_);
}

void shared_folder::save_cell(const std::string& arm, int factor, const cell& c) const {
  on_rank_0(ranks_, [&] { folder_->save_cell(arm, factor, c); });
}

void shared_folder::write_metrics(const std::vector<metric_row>& rows,
                                  const std::vector<hash_row>& hashes, std::uint64_t seed) const {
  on_rank_0(ranks_, [&] { folder_->write_metrics(rows, hashes, seed); });
}

void shared_folder::write_metrics_unless_fewer(const std::vector<metric_row>& rows,
                                               const std::vector<hash_row>& hashes,
                                               std::uint64_t seed) const {
  on_rank_0(ranks_, [&] {
    if (rows.size() >= folder_->metric_rows()) folder_->write_metrics(rows, hashes, seed);
  });
}

void shared_folder::mark_unfinished() const {
  on_rank_0(ranks_, [&] { folder_->mark_unfinished(); });
}

void shared_folder::mark_finished(int last_step) const {
  on_rank_0(ranks_, [&] { folder_->mark_finished(last_step); });
}

}  // namespace sim
