// SPDX-License-Identifier: Apache-2.0
// sim/ranks/agreement_of_ranks.cpp: see agreement_of_ranks.h.
#include "sim/ranks/agreement_of_ranks.h"

#include <algorithm>
#include <exception>

namespace sim {
namespace {

/// First byte of what rank 0 sends.
constexpr char result_mark = 'r', failure_mark = 'f';

std::string message_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown failure of rank 0";
  }
}

}  // namespace

std::string from_rank_0(const rank_group& ranks, const std::function<std::string()>& work) {
  if (ranks.size() == 1) return work();
  std::string mine;
  std::exception_ptr failure;
  if (ranks.rank() == 0) {
    try {
      mine = result_mark + work();
    } catch (...) {
      failure = std::current_exception();
      mine = failure_mark + message_of(failure);
    }
  }
  const std::string sent = std::move(ranks.gather(mine).front());
  if (failure != nullptr) std::rethrow_exception(failure);
  if (sent.front() == failure_mark) throw rank_error(sent.substr(1));
  return sent.substr(1);
}

void on_rank_0(const rank_group& ranks, const std::function<void()>& work) {
  static_cast<void>(from_rank_0(ranks, [&] {
    work();
    return std::string();
  }));
}

bool any_rank(const rank_group& ranks, bool here) {
  if (ranks.size() == 1) return here;
  const std::vector<std::string> all = ranks.gather(here ? "1" : "");
  return std::ranges::any_of(all, [](const std::string& one) { return !one.empty(); });
}

void expect_equal(const rank_group& ranks, std::string_view thing, std::string_view value,
                  std::string_view remedy) {
  if (ranks.size() == 1) return;
  const std::vector<std::string> all = ranks.gather(value);
  const auto other = std::ranges::find_if(all, [&](const auto& v) { return v != all.front(); });
  if (other == all.end()) return;
  throw rank_error("rank 0 has {} {}, rank {} has {}; {}", thing, all.front(), other - all.begin(),
                   *other, remedy);
}

}  // namespace sim
