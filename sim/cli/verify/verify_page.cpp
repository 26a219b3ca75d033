// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_page.cpp: a diagnosis of tensors as a page.
#include <fmt/format.h>

#include "golden/io/counted.h"
#include "golden/validator/tensor/numbers.h"
#include "sim/cli/verify/verify_report.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

std::string verdict_text(const gv::diagnosis& d) {
  const auto number = [](std::uint64_t n) { return grouped_text(static_cast<long long>(n)); };
  const std::string padding =
      d.padding() == 0
          ? ""
          : fmt::format(" and {} of padding", golden::io::counted(d.padding(), "code"));
  const std::string text = paragraph(
      fmt::format("{} of {} elements of {}{} differ.", number(d.mismatches() - d.padding()),
                  number(d.elements()), golden::io::counted(d.tensors.size(), "tensor"), padding));
  return text + lines(gv::reasons_text(d));
}

std::string tensor_scale_cell(const gv::comparison& c) {
  if (c.tensor_scales_agree) return "";
  return c.tensor_scale ? escaped(gv::text_of(*c.tensor_scale)) : "differs";
}

std::string tensors_table(const gv::diagnosis& d) {
  html_table table({"tensor", "elements", "differ", "codes", "scales", "tensor scale", "where"});
  for (const gv::tensor_result& r : d.tensors) {
    const auto number = [](std::uint64_t n) { return grouped_text(static_cast<long long>(n)); };
    table.row({code(r.name), number(r.elements), number(r.mismatches()), number(r.found.codes),
               number(r.found.scales), tensor_scale_cell(r.found),
               r.fits ? escaped(gv::where_text(r)) : "sizes are not those of the format"});
  }
  return table.html();
}

/// The scale, the first code, or both: what differs in a block.
std::vector<std::string> differing_parts(const gv::difference& first) {
  std::vector<std::string> parts;
  if (first.of_scale) {
    parts.push_back(
        fmt::format("scale {:#x} instead of {:#x}", first.found_scale, first.expected_scale));
  }
  if (first.of_code) {
    parts.push_back(fmt::format("at position {} code {:#x} instead of {:#x}", first.position,
                                first.found_code, first.expected_code));
  }
  return parts;
}

/// The input of the block that differs first, element by element; empty without one.
std::string block_table(const gv::diagnosis& d) {
  if (d.verdict == gv::verdict::exact) return "";
  const gv::tensor_result& r = d.tensors[d.first_differing()];
  if (!r.fits || !r.found.first || r.found.first->block_bits.empty()) return "";
  const gv::difference& first = *r.found.first;
  if (!first.of_scale && !first.of_code) return "";
  html_table table({"position", "input"});
  for (std::size_t i = 0; i < first.block_bits.size(); ++i) {
    const std::string position = fmt::format("{}", i);
    table.row({first.of_code && i == first.position ? strong(position) : position,
               code(gv::number_text(r.type, first.block_bits[i]))});
  }
  return paragraph(fmt::format("Block {} of {}: {}.", first.block, code(r.name),
                               fmt::join(differing_parts(first), "; "))) +
         table.html();
}

}  // namespace

std::string report_page(const gv::diagnosis& d, const std::string& source) {
  const std::string title = fmt::format("Verdict: {}", name_of(d.verdict));
  std::vector<named_section> sections{
      {"verdict", "Verdict", section("verdict", "What differs, and why", verdict_text(d))},
      {"tensors", "Tensors", section("tensors", "Tensors", tensors_table(d))}};
  if (const std::string block = block_table(d); !block.empty()) {
    sections.push_back({"block", "First block", section("block", "The first block", block)});
  }
  return titled_page(title, source, sections);
}

}  // namespace sim::cli
