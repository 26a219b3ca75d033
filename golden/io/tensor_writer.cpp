// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_writer.cpp: writes a tensor file piece by piece, whole or not at all.
#include "golden/io/tensor_writer.h"

#include <algorithm>

#include "golden/io/file_kind.h"

namespace golden::io {

std::uint64_t byte_count(const tensor_plan& plan, const std::string& source) {
  return byte_count(tensor{plan.name, plan.type, plan.shape, {}, source});
}

tensor_writer::tensor_writer(std::string path, std::vector<tensor_plan> plans,
                             const metadata& notes)
    : path_(std::move(path)), plans_(std::move(plans)) {
  file_frame frame = kind_of(path_).frame(plans_, notes, path_);
  gaps_ = std::move(frame.gaps);
  file_.emplace(path_);
  file_->write(frame.prefix);
  enter_tensor();
  pass_complete_tensors();
}

void tensor_writer::append(byte_view bytes) {
  while (!bytes.empty()) {
    if (current_ == plans_.size()) {
      throw file_error(
          path_, "was given " + std::to_string(bytes.size()) + " bytes more than its tensors take");
    }
    const auto count = std::min<std::uint64_t>(bytes.size(), size_ - written_);
    file_->write(bytes.first(count));
    written_ += count;
    bytes = bytes.subspan(count);
    pass_complete_tensors();
  }
}

void tensor_writer::finish() {
  if (current_ != plans_.size()) {
    throw file_error(
        path_, plans_[current_].name,
        "was given " + std::to_string(written_) + " of its " + std::to_string(size_) + " bytes");
  }
  file_->take_the_place_of_target();
  file_.reset();
}

void tensor_writer::enter_tensor() {
  written_ = 0;
  size_ = current_ == plans_.size() ? 0 : byte_count(plans_[current_], path_);
}

void tensor_writer::pass_complete_tensors() {
  while (current_ < plans_.size() && written_ == size_) {
    file_->write(std::vector<std::uint8_t>(gaps_[current_]));
    ++current_;
    enter_tensor();
  }
}

}  // namespace golden::io
