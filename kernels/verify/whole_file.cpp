// SPDX-License-Identifier: Apache-2.0
// kernels/verify/whole_file.cpp: writes beside the file, then renames.
#include "whole_file.h"

#include <fstream>
#include <stdexcept>

namespace mx::kernels {

void write_file(const std::filesystem::path& path, const std::string& text,
                const std::vector<std::uint8_t>& bytes) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream out(partial, std::ios::binary);
  out << text;
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out.good()) throw std::runtime_error(partial.string() + ": cannot be written");
  out.close();
  std::filesystem::rename(partial, path);
}

}  // namespace mx::kernels
