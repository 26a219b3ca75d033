// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/variant.cpp: presets by name, and the format that is requested of one.
#include <stdexcept>

#include "mx/presets/variants.h"
#include "mx/spelling.h"

namespace mx {
namespace {

std::string formats_of(const variant_entry& entry) {
  std::string names;
  for (const block_format& f : entry.about.formats) {
    names += (names.empty() ? "" : " ") + spelling_of(f);
  }
  return names;
}

/// A preset with one format treats the same blocks under another tensor bound as that format.
bool differs_in_bound_alone(const block_format& asked, block_format own) {
  own.tensor = asked.tensor;
  own.bound = asked.bound;
  own.precision = asked.precision;
  return own == asked;
}

}  // namespace

const variant_entry& variant_spelled(std::string_view name) {
  if (const variant_entry* entry = variant_named(name)) return *entry;
  std::vector<std::string_view> names;
  for (const variant_entry& entry : variant_table) names.push_back(entry.about.name);
  throw_unknown("variant", name, names);
}

block_format format_of_variant(const variant_entry& entry,
                               const std::optional<spelled_format>& asked) {
  const auto formats = entry.about.formats;
  if (!asked) return formats.front();
  if (*asked == spelled_format{asked->format}) {
    if (covers(entry.about, asked->format)) return asked->format;
    if (formats.size() == 1 && differs_in_bound_alone(asked->format, formats.front())) {
      return formats.front();
    }
  }
  throw std::invalid_argument(std::string(entry.about.name) + " does not quantize to " +
                              spelling_of(*asked) + "; it has: " + formats_of(entry));
}

}  // namespace mx
