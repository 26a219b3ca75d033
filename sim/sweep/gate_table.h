// SPDX-License-Identifier: Apache-2.0
// sim/sweep/gate_table.h: gates of a product's hardware and its depth, from the synthesized designs
// of rtl_models/area/area.csv.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "mx/dot/gemm.h"

namespace sim {

///   counted       of a design with these formats, scale, block and window
///   interpolated  linear in the window's bits between two designs that differ in these alone
enum class gate_source : std::uint8_t { counted, interpolated };

///   gates  NAND2 equivalents a product, registers included
///   depth  gates on the longest path between flip-flops or ports
struct gate_figure {
  double gates = 0, depth = 0;
  gate_source source = gate_source::counted;
};

/// Gates of a plan's dot product; none where no design has its formats, or only one beside another
/// window.
///   model  its name
[[nodiscard]] std::optional<gate_figure> gates_of(std::string_view model,
                                                  const mx::gemm_plan& plan);

/// The text of area.csv.
[[nodiscard]] std::string_view area_csv() noexcept;

}  // namespace sim
