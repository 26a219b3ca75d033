// SPDX-License-Identifier: Apache-2.0
// kernels/verify/group_runner.cpp: processes of groups.
#include "group_runner.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "case_log.h"

extern char** environ;

namespace mx::kernels {
namespace {

/// Waits for a child; its status, as waitpid gives it.
int status_at_end_of(pid_t child, const std::string& program) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    throw std::runtime_error(program + ": its end was lost: " + std::strerror(errno));
  }
  return status;
}

}  // namespace

void keep_ends_of_children() { std::signal(SIGCHLD, SIG_DFL); }

int ran(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t before;
  posix_spawn_file_actions_init(&before);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&before, folder.c_str());
  pid_t child = 0;
  const int error =
      posix_spawn(&child, arguments.front(), &before, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&before);
  if (error != 0) throw std::runtime_error(words.front() + ": " + std::strerror(error));
  const int status = status_at_end_of(child, words.front());
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_group(const std::string& group, const std::function<int()>& process,
              const std::filesystem::path& log, std::ostream& out) {
  std::size_t before = case_log(log).records().size();
  while (true) {
    const int status = process();
    const std::size_t after = case_log(log).records().size();
    if (is_group_done(status)) return status;
    if (after == before) {
      out << group << ": given up, its process ended by status " << status << " before any case\n";
      return status;
    }
    before = after;
  }
}

}  // namespace mx::kernels
