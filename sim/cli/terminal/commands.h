// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/commands.h: the subcommands, each defined in NAME_command.cpp of its folder.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

// Each declares its options to the parser, and assigns the requested work to `chosen`.
void add_formats(CLI::App& program, action& chosen);
void add_explain(CLI::App& program, action& chosen);
void add_quantize(CLI::App& program, action& chosen);
void add_dequantize(CLI::App& program, action& chosen);
void add_decompose(CLI::App& program, action& chosen);
void add_dot(CLI::App& program, action& chosen);
void add_gemm(CLI::App& program, action& chosen);
void add_verify(CLI::App& program, action& chosen);
void add_probe(CLI::App& program, action& chosen);
void add_vectors(CLI::App& program, action& chosen);
void add_score(CLI::App& program, action& chosen);
void add_train(CLI::App& program, action& chosen);
void add_assess(CLI::App& program, action& chosen);
void add_export(CLI::App& program, action& chosen);
void add_cost(CLI::App& program, action& chosen);
void add_repro(CLI::App& program, action& chosen);
void add_report(CLI::App& program, action& chosen);
void add_sweep(CLI::App& program, action& chosen);
void add_bench(CLI::App& program, action& chosen);

}  // namespace sim::cli
