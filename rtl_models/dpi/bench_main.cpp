// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/bench_main.cpp: runs a Verilated testbench until it finishes. Compiled for each
// testbench with its class as MX_DPI_BENCH, and the headers that Verilator generated for it.
//   exit status  0: it finished; 1: it failed
#include MX_DPI_BENCH_HEADER
#include MX_DPI_BENCH_IMPORTS  // in one file with mx_dpi.h: both declare the same functions

#include "rtl_models/dpi/mx_dpi.h"

int main(int count, char** words) {
  VerilatedContext context;
  context.fatalOnError(false);  // $fatal ends the run, not the process by a signal
  context.commandArgs(count, words);
  MX_DPI_BENCH bench(&context);
  while (!context.gotFinish()) {
    bench.eval();
    if (!bench.eventsPending()) break;
    context.time(bench.nextTimeSlot());
  }
  bench.final();
  return context.gotFinish() && !context.gotError() ? 0 : 1;
}
