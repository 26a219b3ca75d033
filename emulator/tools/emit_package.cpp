// SPDX-License-Identifier: Apache-2.0
// emulator/tools/emit_package.cpp: writes mx_pkg.sv for hardware (formats, constants and values
// derived from them) and the modules under the emulator's names: mx_dot_models.sv,
// mx_quantizer_models.sv. `--check` only reports whether they are current.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "settled_file.h"
#include "verilog_parts.h"
#include "verilog_text.h"

namespace {

namespace fs = std::filesystem;

std::string package_text() {
  return verilog::head(
             "mx_pkg.sv: formats, constants of models and what follows from them, as the emulator "
             "has them.") +
         "/* verilator lint_off UNUSEDPARAM */\n"
         "/* verilator lint_off UNUSEDSIGNAL */\n"
         "package mx_pkg;\n\n" +
         verilog::formats_text() + verilog::models_text() + std::string(verilog::dot_functions) +
         verilog::quantizer_text() + "\nendpackage\n";
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool checking = arguments.size() == 2 && arguments[1] == "--check";
  if (arguments.empty() || arguments.size() > 2 || (arguments.size() == 2 && !checking)) {
    std::cerr << "usage: emit_package VERILOG_FOLDER [--check]\n";
    return 2;
  }
  const fs::path folder = arguments[0];
  const settled as = checking ? settled::compared : settled::written;
  const std::string remedy = "run emit_package VERILOG_FOLDER";
  int late = settle(folder / "mx_pkg.sv", package_text(), as, remedy);
  late |= settle(folder / "mx_dot_models.sv", verilog::models_file(), as, remedy);
  late |= settle(folder / "mx_quantizer_models.sv", verilog::quantizer_file(), as, remedy);
  return late;
}
