// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/systemc_bench.cpp: `bench` of the SystemC models, a separate program.
//   mx_systemc_bench [systemc.lt|systemc.cycles] [--json]
// Exit status: 0, 2 for unknown arguments, 3 where a measurement failed.
#include "sim/cli/bench/systemc_bench.h"

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <systemc>

/// Required by the library's main(); this program has its own.
int sc_main(int, char**) { return 0; }

int main(int count, char** words) {
  using namespace sim::cli;
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignored it would hide the ends of our children
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
    // Children first: a process with threads should not fork.
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
