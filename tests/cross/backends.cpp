// SPDX-License-Identifier: Apache-2.0
// tests/cross/backends.cpp: table of all backends that must give the golden reference's bits.
#include "backends.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "mx/tensor/bulk.h"
#include "twins.h"
#include "unit/tensor/operand_lines.h"

namespace cross {
namespace {

// --- golden ---

// Golden's results for the last block, with which several operations begin.
struct remembered_block {
  words bits;
  golden::scale_rule rule = golden::scale_rule::floor;
  std::optional<golden::coded_block> coded;
  std::optional<std::vector<golden::error_parts>> parts;
};

void recall(remembered_block& memory, const operation& op, const floats& x) {
  if (memory.rule != op.rule || memory.bits != bits_of(x)) memory = {bits_of(x), op.rule, {}, {}};
}

const golden::coded_block& coded(remembered_block& memory, const floats& x) {
  if (!memory.coded) memory.coded = golden::quantize(x, memory.rule);
  return *memory.coded;
}

const std::vector<golden::error_parts>& parts(remembered_block& memory, const floats& x) {
  if (!memory.parts) memory.parts = golden::decompose(x, memory.rule);
  return *memory.parts;
}

words golden_codes(const golden::coded_block& block) {
  words result{block.scale};
  result.insert(result.end(), block.codes.begin(), block.codes.end());
  return result;
}

floats golden_correct(const operation& op, const floats& x) {
  if (op.alpha != 0.0F) return golden::outlier_fallback(x, op.rule, op.alpha, op.macro);
  return golden::macro_block_quantize(x, op.rule, op.macro.value());
}

words golden_perform(const operation& op, const floats& x, remembered_block& memory) {
  recall(memory, op, x);
  switch (op.verb) {
    case verb::codes:
      return golden_codes(coded(memory, x));
    case verb::quantize:
      return bits_of(golden::dequantize(coded(memory, x)));
    case verb::inject:
      return bits_of(golden::inject(x, parts(memory, x), op.parts));
    case verb::operate:
      return bits_of(golden::operate(x, op.rule, op.parts));
    case verb::correct:
      break;
  }
  return bits_of(golden_correct(op, x));
}

// --- mx ---

mx::scale_rule mx_rule(golden::scale_rule rule) {
  return std::find_if(rules().begin(), rules().end(),
                      [&](const rule_twins& twins) { return twins.reference == rule; })
      ->core;
}

mx::toggle mx_toggle(verb v) {
  if (v == verb::inject) return mx::toggle::injection;
  return v == verb::operate ? mx::toggle::operation : mx::toggle::none;
}

mx::operand mx_operand(const operation& op) {
  mx::operand f{mx::operand_numbers::coded};
  f.recipe.rules.rule = mx_rule(op.rule);
  f.toggle = mx_toggle(op.verb);
  f.parts = static_cast<mx::component>(op.parts);
  mx::corrections& c = f.recipe.corrections;
  if (op.macro) {
    c.macro_block = op.macro->elements;
    c.macro_bits = op.macro->fraction_bits;
  }
  if (op.alpha != 0) {
    c.fallback = mx::fallback_mode::all;
    c.alpha = op.alpha;
  }
  return f;
}

words core_codes(const operation& op, const floats& x) {
  const mx::mxfp4 block = mx::quantize(x.data(), mx_rule(op.rule));
  words result{block.scale.code};
  for (const mx::e2m1 element : block.elements) result.push_back(element.code);
  return result;
}

words core_perform(const operation& op, const floats& x) {
  if (op.verb == verb::codes) return core_codes(op, x);
  return bits_of(tests::line_by_core(mx_operand(op), x, {}, {}));
}

std::vector<golden::error_parts> core_decompose(const floats& x, golden::scale_rule rule) {
  const mx::unpacked amax = mx::extent_of(x.data(), mx::mxfp4::size).amax;
  const mx::e8m0 scale = mx::shared_scale<mx::formats::e2m1>(mx_rule(rule), amax);
  std::vector<golden::error_parts> result;
  for (const float value : x) {
    const mx::error_parts parts = mx::parts_of(mx::compare(mx::unpack(value), amax, scale));
    const golden::rational unit = golden::power_of_two(parts.exponent) / 12;
    result.push_back({parts.scale * unit, parts.deadzone * unit, parts.grid * unit,
                      parts.clip * unit, parts.scale_dead});
  }
  return result;
}

words bulk_perform(const std::string& instructions, const operation& op, const floats& x) {
  if (op.verb == verb::codes) return {};
  mx::use_instruction_set(instructions);
  floats out(x.size());
  const int count = static_cast<int>(x.size());
  mx::fake_quantize(mx_operand(op), mx::operand_rows{1, count, x.data(), count},
                    {out.data(), count});
  mx::use_instruction_set("");
  return bits_of(out);
}

std::vector<backend> make_backends() {
  std::vector<backend> table{{"mx core", core_perform, core_decompose}};
  for (const std::string& instructions : mx::instruction_sets()) {
    table.push_back({"mx bulk, " + instructions,
                     [instructions](const operation& op, const floats& x) {
                       return bulk_perform(instructions, op, x);
                     },
                     {}});
  }
  return table;
}

}  // namespace

words bits_of(const floats& values) {
  words bits;
  for (const float x : values) bits.push_back(golden::bits_of(x));
  return bits;
}

backend golden_backend() {
  const auto memory = std::make_shared<remembered_block>();
  return {"golden",
          [memory](const operation& op, const floats& x) { return golden_perform(op, x, *memory); },
          golden::decompose};
}

const std::vector<backend>& backends() {
  static const std::vector<backend> table = make_backends();
  return table;
}

}  // namespace cross
