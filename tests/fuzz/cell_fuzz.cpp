// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/cell_fuzz.cpp: any text as a cell, unchanged and with a valid checksum. An accepted
// cell, written and read again, is the same cell.
#include "require.h"
#include "sim/study/sha256.h"
#include "sim/study/shallow_json.h"
#include "sim/train/cell.h"

namespace {

std::optional<sim::cell> read(std::string_view text) {
  return sim::cell_in(text, "arm", 4, "study");
}

void check(std::string_view text) {
  const std::optional<sim::cell> found = read(text);
  if (!found) return;
  const std::string written = sim::cell_text(*found, "study");
  const std::optional<sim::cell> again = read(written);
  fuzz::require(again.has_value(), "a cell that was written is read");
  fuzz::require(sim::cell_text(*again, "study") == written, "a cell is written as itself");
}

/// An object with the checksum that it would need.
std::string summed(std::string_view text) {
  auto object = sim::shallow_json<nlohmann::ordered_json>(text);
  if (!object.is_object()) throw sim::json_error("is no JSON object");
  object.erase("sha256");
  object["sha256"] = sim::sha256_of(object.dump());
  return object.dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(text);
  } catch (const sim::json_error&) {
  }
  try {
    check(summed(text));
  } catch (const sim::json_error&) {
  }
  return 0;
}
