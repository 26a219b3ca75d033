// SPDX-License-Identifier: Apache-2.0
// sim/train/failures.h: collects errors of independent pieces of a run while the others go on.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace sim {

/// Exceptions of independent pieces, by piece. Any thread may add one.
class failures {
 public:
  /// Runs a piece, and stores the exception that ends it.
  ///   index  of the piece: the lowest come first in the message
  ///   name   prefix of its error in raise()
  void guard(std::size_t index, const std::string& name, const std::function<void()>& work);

  [[nodiscard]] bool any() const noexcept { return any_.load(); }

  /// Throws all stored exceptions as one error, if there are any.
  ///   run_error           every piece met bad input, a limit, or a failure of the system
  ///   std::runtime_error  one of them met a bug of this program
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
