// SPDX-License-Identifier: Apache-2.0
// sim/train/failures.h: what ended some of the pieces of a run, while the others go on.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace sim {

/// Exceptions of pieces that do not depend on each other, by piece. Any thread may add one.
class failures {
 public:
  /// Does the work of a piece, and keeps the exception that ends it.
  ///   index  its place among the pieces: the lowest come first in the message
  ///   name   begins what raise() says of it
  void guard(std::size_t index, const std::string& name, const std::function<void()>& work);

  [[nodiscard]] bool any() const noexcept { return any_.load(); }

  /// Throws all that was kept as one error, if anything was.
  ///   run_error           every piece met bad input, a full disk or a limit
  ///   std::runtime_error  one of them met a bug of ours
  void raise() const;

 private:
  struct failure {
    std::string name;
    std::exception_ptr cause;
  };

  std::atomic<bool> any_ = false;
  std::mutex keeping_;
  std::map<std::size_t, failure> kept_;
};

}  // namespace sim
