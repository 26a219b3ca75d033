// SPDX-License-Identifier: Apache-2.0
// emulator/tools/settled_file.h: writes a generated file, or compares it with its expected text.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

enum class settled : std::uint8_t { written, compared };

/// Returns 0 if the file contains the text, or it was written; else 1, after a line on the error
/// stream that ends with the remedy.
inline int settle(const std::filesystem::path& file, const std::string& wanted, settled as,
                  const std::string& remedy) {
  if (as == settled::written) {
    std::ofstream out(file, std::ios::binary);
    out << wanted << std::flush;
    if (out.good()) return 0;
    std::cerr << file.string() << " cannot be written\n";
    return 1;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string held{std::istreambuf_iterator<char>(in), {}};
  if (held == wanted) return 0;
  std::cerr << file.string() << " is out of date; " << remedy << "\n";
  return 1;
}
