// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/storage.cpp: how codes and scales lie in a file, by the names of --packing and
// --layout.
#include "sim/cli/rules/storage.h"

#include <stdexcept>
#include <string>

#include "mx/spelling.h"

namespace sim::cli {

storage storage_of(const storage_options& options, mx::nibble_order usual) {
  storage result{{mx::code_packing::packed, usual}, mx::scale_layout::linear};
  try {
    if (options.packing) {
      result.codes = mx::value_named(code_storage_table, "packing", *options.packing);
    }
    if (options.layout) {
      result.layout = mx::value_named(mx::scale_layout_table, "layout", *options.layout);
    }
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(std::string("--packing, --layout: ") + wrong.what());
  }
  return result;
}

bool is_halved(const mx::block_format& f, const code_storage& how) {
  return how.packing == mx::code_packing::packed && f.element.width() == 4;
}

}  // namespace sim::cli
