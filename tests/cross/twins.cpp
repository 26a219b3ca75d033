// SPDX-License-Identifier: Apache-2.0
// tests/cross/twins.cpp: formats, rules, roundings and quantizations in the types of both sides.
#include "twins.h"

#include <deque>
#include <random>
#include <stdexcept>

#include "mx/block/names.h"

namespace cross {
namespace {

namespace of_core = mx::formats;
namespace of_golden = golden::formats;

const golden::number_format* element_of_golden(std::string_view name) {
  for (const golden::number_format* format : of_golden::elements()) {
    if (format->name() == name) return format;
  }
  throw std::invalid_argument("no twin of the element " + std::string(name));
}

std::vector<format_twins> make_element_formats() {
  std::vector<format_twins> list;
  for (const auto& element : mx::element_format_table) {
    list.push_back({std::string(element.name), element.value, element_of_golden(element.name)});
  }
  return list;
}

struct special_twins {
  mx::specials core;
  of_golden::special_codes reference;
};
constexpr special_twins special_codes[] = {
    {mx::specials::none, of_golden::special_codes::numbers},
    {mx::specials::top_code, of_golden::special_codes::one_nan},
    {mx::specials::ieee, of_golden::special_codes::infinity_and_nans},
    {mx::specials::fnuz, of_golden::special_codes::nan_of_minus_zero}};

std::vector<format_twins> make_drawn_elements() {
  static std::deque<golden::number_format> formats;  // whose addresses stay
  std::vector<format_twins> list;
  const auto add = [&](const mx::format& core, golden::number_format reference) {
    formats.push_back(std::move(reference));
    list.push_back({formats.back().name(), core, &formats.back()});
  };
  for (int width = 3; width <= 8; ++width) {
    add({1, width - 2, 1, mx::specials::none, mx::signedness::with_sign,
         mx::sign_form::twos_complement},
        of_golden::integer_format(width));
  }
  std::mt19937 random(8);
  const auto below = [&](int end) { return static_cast<int>(random() % unsigned(end)); };
  while (list.size() < 400) {
    const int exponent = 1 + below(6), fraction = below(8 - exponent);
    const int usual = (1 << (exponent - 1)) - 1, bias = below(2) == 0 ? usual : below(97) - 32;
    const special_twins& specials = special_codes[below(4)];
    if (exponent + fraction < 2) continue;
    if (specials.core == mx::specials::ieee && (exponent < 2 || fraction < 1)) continue;
    const std::string name = "e" + std::to_string(exponent) + "m" + std::to_string(fraction) + "@" +
                             std::to_string(bias) + " with specials " +
                             std::to_string(static_cast<int>(specials.core));
    add({exponent, fraction, bias, specials.core},
        of_golden::floating_format(name, {exponent, fraction, bias}, specials.reference));
  }
  return list;
}

std::vector<format_twins> make_scale_formats() {
  std::vector<format_twins> list;
  for (int k = 0; k <= 16; ++k) {
    list.push_back({"e8m" + std::to_string(k), of_core::e8m(k), &of_golden::e8m(k)});
  }
  list.push_back({"ue4m3", of_core::ue4m3, &of_golden::ue4m3()});
  list.push_back({"ue5m3", of_core::ue5m3, &of_golden::ue5m3()});
  list.push_back({"fp32", of_core::binary32, &of_golden::fp32()});
  return list;
}

golden::scale_rule reference_of(mx::scale_rule rule) {
  using core = mx::scale_rule;
  using reference = golden::scale_rule;
  switch (rule) {
    case core::floor:
      return reference::floor;
    case core::rceil:
      return reference::rceil;
    case core::ceil:
      return reference::ceil;
    case core::even:
      return reference::even;
    case core::floor6:
      return reference::floor6;
    case core::midmax:
      return reference::midmax;
    case core::overflow_aware:
      return reference::overflow_aware;
    case core::static_four:
      return reference::static_four;
    case core::ideal:
      return reference::ideal;
    case core::mse:
      return reference::mse;
    case core::quest:
      return reference::quest;
    case core::four_over_six_mse:
      return reference::four_over_six_mse;
    case core::four_over_six_mae:
      return reference::four_over_six_mae;
    case core::four_over_six_abs_max:
      return reference::four_over_six_abs_max;
  }
  throw std::invalid_argument("a rule without a twin");
}

std::vector<rule_twins> make_rules() {
  std::vector<rule_twins> list;
  for (const auto& rule : mx::scale_rule_table) {
    list.push_back({std::string(rule.name), rule.value, reference_of(rule.value)});
  }
  return list;
}

}  // namespace

const std::vector<format_twins>& element_formats() {
  static const std::vector<format_twins> list = make_element_formats();
  return list;
}

const std::vector<format_twins>& drawn_elements() {
  static const std::vector<format_twins> list = make_drawn_elements();
  return list;
}

const std::vector<format_twins>& scale_formats() {
  static const std::vector<format_twins> list = make_scale_formats();
  return list;
}

const std::vector<rule_twins>& rules() {
  static const std::vector<rule_twins> list = make_rules();
  return list;
}

const std::vector<rounding_twins>& roundings() {
  using core = mx::rounding;
  using reference = golden::rounding;
  static const std::vector<rounding_twins> list{
      {"ties to even", core::ties_to_even, reference::nearest_even},
      {"ties away", core::ties_away, reference::nearest_away},
      {"toward zero", core::toward_zero, reference::toward_zero},
      {"ties toward zero", core::ties_toward_zero, reference::nearest_zero},
      {"stochastic", core::stochastic, reference::stochastic}};
  return list;
}

mx::quantization quantization_twins::core(mx::tensor_scaling tensor, int rows, int columns) const {
  return {{element.core, scale.core, rows, columns, precision, tensor},
          rule.core,
          rounding.core,
          random};
}

golden::quantization quantization_twins::reference() const {
  const auto map =
      random.map == mx::byte_map::ptx ? golden::byte_map::ptx : golden::byte_map::te_soft;
  return {element.reference,
          is_exact() ? golden::unrounded : scale.reference,
          rule.reference,
          rounding.reference,
          {random.seed, random.bits, map}};
}

std::string quantization_twins::text() const {
  std::string message = element.name + ", scale " + (is_exact() ? "exact" : scale.name) +
                        ", rule " + rule.name + ", " + rounding.name;
  if (rounding.core == mx::rounding::stochastic) {
    message += ", " + std::to_string(random.bits) + " bits, seed " + std::to_string(random.seed);
  }
  return message;
}

golden::rational magnitude_of(const mx::unpacked& value) {
  return golden::rational(value.significand) * golden::power_of_two(value.exponent);
}

}  // namespace cross
