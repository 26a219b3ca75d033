// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/interruption.cpp: termination by a signal.
#include "sim/cli/terminal/interruption.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

#include "golden/io/unfinished.h"

namespace sim::cli {

void end_on_signal(int number) {
  golden::io::remove_unfinished_files();
  ::_exit(128 + number);
}

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
