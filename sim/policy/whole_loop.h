// SPDX-License-Identifier: Apache-2.0
// sim/policy/whole_loop.h: a parallel loop that completes every call, even where one throws.
#pragma once
#include <cstddef>
#include <functional>

namespace sim {

/// Calls work(0) to work(count - 1), each once, on the threads of the pool.
///   returns  when every call has ended. No call shares a cancellation context with another or with
///            the caller: an exception in one stops neither the others nor the loops inside them
///   errors   the exception of the lowest index that threw
void whole_loop(std::ptrdiff_t count, const std::function<void(std::ptrdiff_t)>& work);

}  // namespace sim
