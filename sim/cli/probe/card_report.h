// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/card_report.h: a card as text and as JSON.
#pragma once
#include <string>
#include <vector>

#include "golden/probe/variant_card.h"
#include "sim/cli/terminal/command.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

/// A card and its inputs.
///   read, missing  tensors of the input with and without output
struct card_report {
  std::string kernel_out, format;
  std::vector<std::string> read, missing;
  golden::probe::variant_card card;
};

void print(const card_report& c, output form);

}  // namespace sim::cli
