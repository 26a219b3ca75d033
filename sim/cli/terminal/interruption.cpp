// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/interruption.cpp: termination by a signal.
#include "sim/cli/terminal/interruption.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>

#include "golden/io/unfinished.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void end_on_signal(int number) {
  golden::io::remove_unfinished_files();
  ::_exit(128 + number);
}

namespace {

bool is_lack_of_memory() noexcept {
  try {
    if (const std::exception_ptr ended = std::current_exception()) std::rethrow_exception(ended);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
  return false;
}

[[noreturn]] void end_terminated() noexcept {
  if (!is_lack_of_memory()) std::abort();
  golden::io::remove_unfinished_files();
  for (const std::string_view words :
       {std::string_view("mxprism: error: "), not_enough_memory, std::string_view("\n")}) {
    static_cast<void>(::write(STDERR_FILENO, words.data(), words.size()) < 0);
  }
  ::_exit(exit_status::bad_input);
}

}  // namespace

void end_on_lost_memory() noexcept { std::set_terminate(end_terminated); }

void end_without_temporary_files() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction how {};
    ::sigaction(number, nullptr, &how);
    if (how.sa_handler == SIG_IGN) continue;
    how = {};
    how.sa_handler = end_on_signal;
    ::sigaction(number, &how, nullptr);
  }
}

}  // namespace sim::cli
