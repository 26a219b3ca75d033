// SPDX-License-Identifier: Apache-2.0
// tests/cross/twins.cpp: formats, rules, roundings and quantizations in the words of both sides.
#include "twins.h"

namespace cross {
namespace {

namespace of_core = mx::formats;
namespace of_golden = golden::formats;

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

}  // namespace

const std::vector<format_twins>& element_formats() {
  static const std::vector<format_twins> list{
      {"e2m1", of_core::e2m1, &of_golden::e2m1()},
      {"e2m3", of_core::e2m3, &of_golden::e2m3()},
      {"e3m2", of_core::e3m2, &of_golden::e3m2()},
      {"e4m3", of_core::e4m3, &of_golden::e4m3()},
      {"e5m2", of_core::e5m2, &of_golden::e5m2()},
      {"int8", of_core::int8, &of_golden::int8()},
      {"e4m3fnuz", of_core::e4m3fnuz, &of_golden::e4m3fnuz()},
      {"e5m2fnuz", of_core::e5m2fnuz, &of_golden::e5m2fnuz()}};
  return list;
}

const std::vector<format_twins>& scale_formats() {
  static const std::vector<format_twins> list = make_scale_formats();
  return list;
}

const std::vector<rule_twins>& rules() {
  using core = mx::scale_rule;
  using reference = golden::scale_rule;
  static const std::vector<rule_twins> list{
      {"floor", core::floor, reference::floor},
      {"rceil", core::rceil, reference::rceil},
      {"ceil", core::ceil, reference::ceil},
      {"even", core::even, reference::even},
      {"floor6", core::floor6, reference::floor6},
      {"midmax", core::midmax, reference::midmax},
      {"overflow_aware", core::overflow_aware, reference::overflow_aware},
      {"static_four", core::static_four, reference::static_four},
      {"ideal", core::ideal, reference::ideal},
      {"mse", core::mse, reference::mse},
      {"quest", core::quest, reference::quest},
      {"four_over_six_mse", core::four_over_six_mse, reference::four_over_six_mse},
      {"four_over_six_mae", core::four_over_six_mae, reference::four_over_six_mae},
      {"four_over_six_abs_max", core::four_over_six_abs_max, reference::four_over_six_abs_max}};
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
