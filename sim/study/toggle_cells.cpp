// SPDX-License-Identifier: Apache-2.0
// sim/study/toggle_cells.cpp: see toggle_cells.h.
#include "sim/study/toggle_cells.h"

#include <fmt/format.h>

namespace sim {
namespace {

constexpr std::size_t of_scale = 1, of_whole = cells - 1;

/// A scale that is never below amax / 6: else clipping is a fourth part of the error.
bool never_clips(mx::scale_rule rule) {
  return rule == mx::scale_rule::rceil || rule == mx::scale_rule::ceil;
}

bool is_divided(const mx::operand& f) {
  if (f.numbers == mx::operand_numbers::fp32) return true;
  const mx::scale_rule rule = f.recipe.rules.rule;
  return never_clips(rule) &&
         f == mx::operand{mx::operand_numbers::coded, {{mx::block_formats::mxfp4, rule}}};
}

/// Every operand of an arithmetic, by reference.
template <class Arithmetic, class Visit>
void for_each_operand(Arithmetic& formats, const Visit& visit) {
  for (auto* f : {&formats.rollout, &formats.forward, &formats.dgrad, &formats.wgrad}) {
    visit(f->data);
    visit(f->other);
    visit(f->exempt.format);
    for (auto& rule : f->rules) visit(rule.format);
  }
}

bool is_whole(const arm& a) {
  bool divided = a.noise == rollout_noise::none;
  for_each_operand(a.formats, [&](const mx::operand& f) { divided = divided && is_divided(f); });
  return divided;
}

/// The whole's arithmetic with the parts of a cell alone. Operation with the scale alone is the
/// identity, and without the scale it is injection.
arithmetic formats_of_cell(const arm& whole, const toggle_cells& meaning, std::size_t cell) {
  const bool by_operation = &meaning != &both_meanings.front() && (cell & of_scale) != 0;
  if (cell == of_whole) return whole.formats;
  if (cell == 0 || (by_operation && cell == of_scale)) return {};
  arithmetic formats = whole.formats;
  for_each_operand(formats, [&](mx::operand& f) {
    if (!f.is_coded()) return;
    f.toggle = by_operation ? mx::toggle::operation : mx::toggle::injection;
    f.parts = static_cast<mx::component>(cell);
  });
  return formats;
}
static_assert(static_cast<std::size_t>(mx::component::scale) == of_scale &&
              static_cast<std::size_t>(mx::component::deadzone) == 2 &&
              static_cast<std::size_t>(mx::component::grid) == 4);

bool is_cell(const arm& a, const arm& whole, const toggle_cells& meaning, std::size_t cell) {
  return a.noise == rollout_noise::none && a.formats == formats_of_cell(whole, meaning, cell);
}

}  // namespace

const arm* cell_arm(const study& s, const toggle_cells& meaning, std::size_t cell) {
  const arm *whole = find_arm(s, meaning.whole()), *a = find_arm(s, meaning.arms[cell]);
  if (whole == nullptr || a == nullptr || !is_whole(*whole)) return nullptr;
  return is_cell(*a, *whole, meaning, cell) ? a : nullptr;
}

std::string why_not_compared(const study& s) {
  const char* name = both_meanings.front().whole();
  const arm* whole = find_arm(s, name);
  if (whole == nullptr) return "";
  std::vector<std::string> parts, others;
  for (const toggle_cells& meaning : both_meanings) {
    for (std::size_t cell = 1; cell < of_whole; ++cell) {
      const arm* a = find_arm(s, meaning.arms[cell]);
      if (a == nullptr || a->name == meaning.reference()) continue;
      parts.push_back(a->name);
      const bool told = std::ranges::find(others, a->name) != others.end();
      if (!told && !is_cell(*a, *whole, meaning, cell)) others.push_back(a->name);
    }
  }
  if (parts.empty()) return "";
  if (!is_whole(*whole)) {
    return fmt::format(
        "scale, deadzone and grid are the whole error of plain MXFP4 under rceil or ceil alone, "
        "and "
        "arm '{}' has another format",
        name);
  }
  if (others.empty()) return "";
  return fmt::format("{} is not the format of arm '{}' with the parts of the error of that name",
                     fmt::join(others, ", "), name);
}

}  // namespace sim
