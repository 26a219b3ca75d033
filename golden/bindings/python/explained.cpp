// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/explained.cpp: one block's quantization with every step, as the command
// `mxprism explain` records it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "golden/bindings/python/module.h"
#include "golden/bindings/python/recipe_words.h"
#include "golden/explain/explained_block.h"
#include "mx/block/names.h"

namespace python {
namespace {

using namespace nanobind::literals;
using golden::explain::explained_block;
using golden::explain::explained_element;

/// A finite number as (significand, exponent): significand * 2^exponent.
nb::tuple exact(const mx::unpacked& value) {
  const auto significand = nb::cast(value.significand);
  return nb::make_tuple(value.negative ? -significand : nb::object(significand), value.exponent);
}

nb::dict element_of(const explained_block& b, const explained_element& e) {
  nb::dict d;
  d["x"] = e.x, d["code"] = e.code, d["value"] = e.value;
  d["decision"] = golden::explain::name_of(b, e.why);
  d["lower"] = mx::to_binary32(mx::decode(b.q.format.element, e.lower));
  d["upper"] = mx::to_binary32(mx::decode(b.q.format.element, e.upper));
  d["random"] = e.draw.random, d["cut"] = e.draw.cut;
  return d;
}

nb::dict dict_of(const explained_block& b) {
  nb::dict d;
  d["scale_rule"] = std::string(mx::name_in(mx::scale_rule_table, b.q.rule));
  d["rounding"] = std::string(mx::name_in(mx::rounding_table, b.q.rounding));
  d["special"] = b.scale.special;
  d["amax"] = exact(b.extent.amax);
  d["scale_code"] = b.is_stored() ? nb::cast(b.scale.code) : nb::none();
  d["scale"] = nb::make_tuple(exact(b.scale.ratio.numerator), exact(b.scale.ratio.denominator));
  d["exponent"] = b.exponent;
  d["tensor_scale"] = b.tensor_scale;
  nb::list elements;
  for (const explained_element& e : b.elements) elements.append(element_of(b, e));
  d["elements"] = elements;
  return d;
}

nb::dict explained(const std::vector<double>& numbers, const std::string& format,
                   const std::optional<std::string>& scale_rule,
                   const std::optional<std::string>& rounding,
                   const std::optional<std::uint64_t>& seed, const std::optional<int>& random_bits,
                   const std::optional<std::string>& byte_map) {
  mx::recipe_words words;
  words.format = format;
  words.scale_rule = scale_rule;
  words.rounding = rounding;
  words.byte_map = byte_map;
  words.seed = seed;
  words.random_bits = random_bits;
  const mx::recipe r = recipe_of(words);
  if (!r.is_plain()) {
    throw nb::value_error("format: explain shows one block alone; leave what follows the first +");
  }
  if (numbers.size() > static_cast<std::size_t>(r.format().size())) {
    throw nb::value_error(("`values` has " + std::to_string(numbers.size()) +
                           " numbers; a block holds " + std::to_string(r.format().size()))
                              .c_str());
  }
  std::vector<float> x;
  for (const double number : numbers) x.push_back(static_cast<float>(number));
  return dict_of(golden::explain::explained(x, r.rules));
}

}  // namespace

void add_explained(bound_module& module) {
  module.def("explained", &explained, "x"_a, "format"_a, "scale_rule"_a.none(), "rounding"_a.none(),
             "seed"_a.none(), "random_bits"_a.none(), "byte_map"_a.none(),
             nb::sig("def explained(x: list[float], format: str, scale_rule: str | None, rounding: "
                     "str | None, seed: int | None, random_bits: int | None, byte_map: str | None) "
                     "-> dict[str, typing.Any]"),
             "The steps of one block; numbers as (significand, exponent).");
}

}  // namespace python
