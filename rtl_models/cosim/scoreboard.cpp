// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/scoreboard.cpp: any two backends on the same operands, compared in order.
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {

template <class Operands, class Result>
std::string board<Operands, Result>::run(std::uint32_t first, std::uint32_t count) {
  open_.clear();
  left_given_ = right_given_ = 0;
  std::uint32_t next = first;
  for (int idle = 0; next != first + count || !open_.empty(); ++idle) {
    fill(next, first + count);
    const std::size_t before = left_given_ + right_given_;
    around_.advance();
    pull();
    if (left_given_ + right_given_ != before) idle = 0;
    if (std::string message = compare(); !message.empty()) return message;
    if (idle < patience) continue;
    const std::string& who = left_given_ <= right_given_ ? left_.label() : right_.label();
    const std::uint32_t number = open_.front().number;
    return who + " gives no " + noun() + " " + std::to_string(number) + "\n" + replay(number);
  }
  return "";
}

template <class Operands, class Result>
void board<Operands, Result>::fill(std::uint32_t& next, std::uint32_t end) {
  for (; next != end && open_.size() < window; ++next) {
    open_.push_back({next, around_.operands_of(next), {}, {}});
    left_.push(open_.back().operands);
    right_.push(open_.back().operands);
  }
}

template <class Operands, class Result>
void board<Operands, Result>::pull() {
  for (; left_given_ < open_.size(); ++left_given_) {
    if (!(open_[left_given_].left = left_.pull())) break;
  }
  for (; right_given_ < open_.size(); ++right_given_) {
    if (!(open_[right_given_].right = right_.pull())) break;
  }
}

template <class Operands, class Result>
std::string board<Operands, Result>::compare() {
  for (; left_given_ > 0 && right_given_ > 0; --left_given_, --right_given_) {
    if (std::string message = difference(open_.front()); !message.empty()) return message;
    open_.pop_front();
  }
  for (const side* of : {&left_, &right_}) {
    if (!of->errors().empty()) return of->errors().front() + "\n";
  }
  return "";
}

template class board<tile, tile_result>;
template class board<quantizer_operands, quantized_block>;

}  // namespace hardware
