// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/systemc_bench.cpp: `bench` of the SystemC models, a program beside mxprism.
//   mx_systemc_bench [systemc.lt|systemc.cycles] [--json]
// Exit status: 0, 2 for words it does not know, 3 where a measurement failed.
#include "sim/cli/bench/systemc_bench.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <systemc>

#include "sim/cli/bench/bench_page.h"

/// The library's main() wants one; this program has its own.
int sc_main(int, char**) { return 0; }

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
  ::waitpid(child, &status, 0);
  if (!told || status != EXIT_SUCCESS) throw std::runtime_error("a measurement failed");
  return seen;
}

}  // namespace sim::cli

int main(int count, char** words) {
  using namespace sim::cli;
  std::string name;
  output form = output::text;
  bool known = true;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--json") {
      form = output::json;
    } else {
      known = known && name.empty() && (word == "systemc.lt" || word == "systemc.cycles");
      name = word;
    }
  }
  if (!known) {
    std::fputs("mx_systemc_bench [systemc.lt|systemc.cycles] [--json]\n", stderr);
    return 2;
  }
  try {
    std::vector<bench_result> results;
    // Children come first: a process with threads should not have any.
    if (name != "systemc.lt") results = bench_systemc_cycles();
    if (name != "systemc.cycles") {
      const std::vector<bench_result> lt = bench_systemc_lt();
      results.insert(results.begin(), lt.begin(), lt.end());
    }
    print_results(results, form);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mx_systemc_bench: error: %s\n", error.what());
    return 3;
  }
  return 0;
}
