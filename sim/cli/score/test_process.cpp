// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/test_process.cpp: starts a process group, waits for it, kills it.
#include "sim/cli/score/test_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "golden/io/file.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::array caught{SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t signal_that_came = 0;
std::array<struct sigaction, caught.size()> earlier;

void remember_signal(int number) { signal_that_came = number; }

void expect_started(int error, const std::string& program) {
  if (error == 0) return;
  throw usage_error("the test command {} cannot be started: {}", golden::io::printable(program),
                    std::strerror(error));
}

/// The settings of posix_spawn, freed with the object.
class spawn_settings {
 public:
  explicit spawn_settings(const std::string& log) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int number : caught) sigaddset(&defaults, number);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_settings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// Pointers to the words, with a terminating null.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

/// A started process, the leader of its group; the destructor kills the whole group.
class process_group {
 public:
  process_group(const test_command& command) {
    std::vector<std::string> words = command.words,
                             environment = environment_with(command.environment);
    const spawn_settings settings(command.log);
    expect_started(posix_spawnp(&first_, words[0].c_str(), settings.files(), settings.attributes(),
                                pointers_to(words).data(), pointers_to(environment).data()),
                   words[0]);
  }
  // The leader is reaped only after the group is killed, so its id is not reused before. One that
  // is lost has been reaped, and its id may be a stranger's.
  ~process_group() {
    if (first_ == lost) return;
    kill(-first_, SIGKILL);
    while (waitpid(first_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;

  /// Whether the leader has ended; `how` is then set.
  ///   errors  std::system_error: its end was lost, as where the program ignores SIGCHLD
  [[nodiscard]] bool has_ended(siginfo_t& how) {
    how.si_pid = 0;
    if (waitid(P_PID, static_cast<id_t>(first_), &how, WEXITED | WNOHANG | WNOWAIT) == 0) {
      return how.si_pid != 0;
    }
    const int error = errno;
    first_ = lost;
    throw std::system_error(error, std::generic_category(), "the end of the test was lost");
  }

 private:
  static constexpr pid_t lost = 0;
  pid_t first_ = lost;
};

test_result result_of(const siginfo_t& how) {
  if (how.si_code != CLD_EXITED) return {test_end::signaled, how.si_status, {}};
  return {how.si_status == 0 ? test_end::accepted : test_end::rejected, how.si_status, {}};
}

test_result waited_for(process_group& group, std::chrono::milliseconds limit) {
  constexpr auto longest_pause = std::chrono::microseconds(20000);
  const auto start = clock::now();
  auto pause = std::chrono::microseconds(200);
  siginfo_t how;
  while (!group.has_ended(how)) {
    if (signal_that_came != 0) throw interruption{signal_that_came};
    if (clock::now() - start > limit) return {test_end::timed_out, 0, {}};
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
  return result_of(how);
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line.substr(0, 200);
  }
  return last;
}

}  // namespace

std::string test_result::text() const {
  if (end == test_end::timed_out) return "ran out of time";
  return fmt::format("{} {}", end == test_end::signaled ? "killed by signal" : "exit status", code);
}

test_result test_command::run() const {
  test_result result = [this] {
    process_group group(*this);
    return waited_for(group, limit);
  }();
  result.last_line = last_line_of(log);
  return result;
}

signals_held::signals_held() {
  signal_that_came = 0;
  struct sigaction remember = {};
  remember.sa_handler = remember_signal;
  for (std::size_t i = 0; i < caught.size(); ++i) sigaction(caught[i], &remember, &earlier[i]);
}

signals_held::~signals_held() {
  for (std::size_t i = 0; i < caught.size(); ++i) sigaction(caught[i], &earlier[i], nullptr);
}

}  // namespace sim::cli
