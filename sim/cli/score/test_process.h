// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/test_process.h: a user's test as a separate process with a time limit.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace sim::cli {

enum class test_end : unsigned char { accepted, rejected, signaled, timed_out };

/// How a test ended.
///   code       exit status, or the signal
///   last_line  of its output; may be empty
struct test_result {
  test_end end = test_end::accepted;
  int code = 0;
  std::string last_line;

  /// "exit status 1", "killed by signal 11", "ran out of time"
  [[nodiscard]] std::string text() const;
};

/// A command to run repeatedly: words without a shell, additions to the environment, a limit.
///   log  file for its output
struct test_command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;
  std::chrono::milliseconds limit;
  std::string log;

  /// Runs it in its own process group, without input, and kills what remains of the group.
  ///   errors  usage_error where the command cannot be started; std::system_error where its end was
  ///           lost; interruption
  [[nodiscard]] test_result run() const;
};

/// SIGINT, SIGTERM or SIGHUP arrived while a test ran; the test was killed.
struct interruption {
  int signal;
};

/// During its lifetime, these signals become interruptions of test_command::run.
class signals_held {
 public:
  signals_held();
  ~signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
};

}  // namespace sim::cli
