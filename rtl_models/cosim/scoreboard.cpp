// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/scoreboard.cpp: any two tensor cores on the same tiles, compared in order.
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {

std::string scoreboard::run(std::uint32_t first, std::uint32_t count) {
  open_.clear();
  left_given_ = right_given_ = 0;
  std::uint32_t next = first;
  for (int idle = 0; next != first + count || !open_.empty(); ++idle) {
    fill(next, first + count);
    const std::size_t before = left_given_ + right_given_;
    around_.advance();
    pull();
    if (left_given_ + right_given_ != before) idle = 0;
    if (std::string told = compare(); !told.empty()) return told;
    if (idle < patience) continue;
    const std::string& who = left_given_ <= right_given_ ? left_.label() : right_.label();
    return who + " gives no D of tile " + std::to_string(open_.front().number) +
           "\n  replay: " + around_.replay + " --first " + std::to_string(open_.front().number) +
           " --tiles 1\n";
  }
  return "";
}

void scoreboard::fill(std::uint32_t& next, std::uint32_t end) {
  for (; next != end && open_.size() < window; ++next) {
    open_.push_back({next, around_.tile_of(next), {}, {}});
    left_.push(open_.back().operands);
    right_.push(open_.back().operands);
  }
}

void scoreboard::pull() {
  for (; left_given_ < open_.size(); ++left_given_) {
    if (!(open_[left_given_].left = left_.pull())) break;
  }
  for (; right_given_ < open_.size(); ++right_given_) {
    if (!(open_[right_given_].right = right_.pull())) break;
  }
}

std::string scoreboard::compare() {
  for (; left_given_ > 0 && right_given_ > 0; --left_given_, --right_given_) {
    if (std::string told = difference(open_.front()); !told.empty()) return told;
    open_.pop_front();
  }
  for (const tile_backend* side : {&left_, &right_}) {
    if (!side->errors().empty()) return side->errors().front() + "\n";
  }
  return "";
}

std::string scoreboard::difference(const entry& oldest) const {
  for (int i = 0; i < tile_shape::elements; ++i) {
    const std::uint32_t left = (*oldest.left)[static_cast<std::size_t>(i)];
    const std::uint32_t right = (*oldest.right)[static_cast<std::size_t>(i)];
    if (left == right) continue;
    return mismatch_text({oldest.number, i, around_.replay}, oldest.operands, left_.label(), left,
                         right_.label(), right);
  }
  return "";
}

}  // namespace hardware
