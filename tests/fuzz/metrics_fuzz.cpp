// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/metrics_fuzz.cpp: any text as metrics.jsonl. Accepted text can be printed as a table.
#include "sim/report/metrics.h"

#include "memory_path.h"
#include "sim/report/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::memory_path file(data, size);
  try {
    const sim::metrics figures = sim::read_metrics(file.name());
    fuzz::require(!figures.rows().empty(), "metrics have a row");
    static_cast<void>(sim::terminal_table(figures));
  } catch (const sim::report_error& error) {
    const std::string message = error.what();
    fuzz::require(message.starts_with(file.name() + ":"), "a refusal begins with the file");
    fuzz::require(message.size() < 1000, "a refusal is short");
  }
  return 0;
}
