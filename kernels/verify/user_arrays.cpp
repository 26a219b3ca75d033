// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_arrays.cpp: allocates arrays, and checks what was written.
#include "user_arrays.h"

#include <algorithm>
#include <stdexcept>

namespace mx::kernels {
namespace {

/// The first byte from `first` on at which two arrays differ; their size if there is none.
std::size_t changed(const std::vector<std::uint8_t>& before, const std::vector<std::uint8_t>& after,
                    std::size_t first) {
  const auto from = static_cast<std::ptrdiff_t>(first);
  const auto found = std::mismatch(before.begin() + from, before.end(), after.begin() + from);
  return static_cast<std::size_t>(found.first - before.begin());
}

}  // namespace

const user_arrays::array& user_arrays::added(const std::string& name,
                                             const std::vector<std::uint8_t>& bytes, access use) {
  std::vector<std::uint8_t> before = bytes;
  before.resize(bytes.size() + guard_bytes, guard);
  void* at = memory_.allocate(before.size());
  const std::shared_ptr<void> owner(at, memory_.release);
  memory_.fill(at, before.data(), before.size());
  return arrays_.emplace_back(array{name, std::move(before), use, owner, at});
}

std::vector<std::uint8_t> user_arrays::checked(const array& one) const {
  std::vector<std::uint8_t> after(one.before.size());
  memory_.fetch(after.data(), one.at, after.size());
  const std::size_t bytes = after.size() - guard_bytes;
  const std::size_t wrong = changed(one.before, after, one.use == access::read ? 0 : bytes);
  if (wrong < bytes) {
    throw std::runtime_error(one.name + " is an input, and its byte " + std::to_string(wrong) +
                             " was written");
  }
  if (wrong < after.size()) {
    throw std::runtime_error(one.name + " has " + std::to_string(bytes) + " bytes, and byte " +
                             std::to_string(wrong) + " was written");
  }
  after.resize(bytes);
  return after;
}

std::vector<std::vector<std::uint8_t>> user_arrays::fetched() const {
  std::vector<std::vector<std::uint8_t>> results;
  for (const array& one : arrays_) {
    std::vector<std::uint8_t> bytes = checked(one);
    if (one.use == access::written && one.name != "workspace") results.push_back(std::move(bytes));
  }
  return results;
}

}  // namespace mx::kernels
