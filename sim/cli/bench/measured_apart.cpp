// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/measured_apart.cpp: a child process that sends a number through a pipe.
#include "sim/cli/bench/measured_apart.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace sim::cli {

double measured_apart(const std::function<double()>& measure) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("there is no pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("there is no process for a measurement");
  if (child == 0) {
    const double seen = measure();
    const bool told = ::write(ends[1], &seen, sizeof seen) == sizeof seen;
    ::_exit(told ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  double seen = 0;
  ::close(ends[1]);
  const bool told = ::read(ends[0], &seen, sizeof seen) == sizeof seen;
  ::close(ends[0]);
  int status = 0;
  const bool ended = ::waitpid(child, &status, 0) == child;
  if (!told || !ended || status != EXIT_SUCCESS) throw std::runtime_error("a measurement failed");
  return seen;
}

}  // namespace sim::cli
