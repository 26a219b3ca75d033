// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/dot_case.cpp: a dot product given in numbers instead of codes.
#include "dot_case.h"

#include <utility>

#include "catch.h"
#include "golden/reference/formats.h"

namespace test {
namespace {

using golden::number_format;
using golden::rational;

golden::device_model known(const std::string& name) {
  const golden::device_model* found = golden::find_device_model(name);
  INFO(name);
  REQUIRE(found != nullptr);
  return *found;
}

// TF32 operands come as FP32 patterns.
std::uint32_t operand_bits(const number_format& format, const rational& value) {
  const std::uint32_t code = code_of(format, value);
  return &format == &golden::formats::tf32() ? code << 13 : code;
}

}  // namespace

dot_case::dot_case(golden::device_model model, std::size_t size)
    : model_(std::move(model)), a_(size, 0), b_(size, 0) {
  if (model_.formats.scale == nullptr) return;
  const std::uint32_t one = code_of(*model_.formats.scale, 1);
  scale_a_.assign(size / model_.block_size.value_or(size), one);
  scale_b_ = scale_a_;
}

dot_case::dot_case(const std::string& model, std::size_t size) : dot_case(known(model), size) {}

dot_case& dot_case::product(std::size_t k, const rational& a, const rational& b) {
  return codes(k, operand_bits(*model_.formats.a, a), operand_bits(*model_.formats.b, b));
}

dot_case& dot_case::codes(std::size_t k, std::uint32_t a, std::uint32_t b) {
  a_.at(k) = a;
  b_.at(k) = b;
  return *this;
}

dot_case& dot_case::all_codes(std::uint32_t a, std::uint32_t b) {
  for (std::size_t k = 0; k < a_.size(); ++k) codes(k, a, b);
  return *this;
}

dot_case& dot_case::addend(const rational& c) { return addend_bits(code_of(*model_.formats.c, c)); }

dot_case& dot_case::addend_bits(std::uint32_t c) {
  c_ = c;
  return *this;
}

dot_case& dot_case::scale(std::size_t block, std::uint32_t code_a, std::uint32_t code_b) {
  scale_a_.at(block) = code_a;
  scale_b_.at(block) = code_b;
  return *this;
}

std::uint32_t dot_case::result() const {
  return golden::dot(model_, {a_, b_, c_, scale_a_, scale_b_});
}

golden::device_model generic(const std::string& name, const number_format& element,
                             const number_format* scale) {
  const std::optional<golden::device_model> model =
      golden::generic_model(name, element, element, scale);
  REQUIRE(model.has_value());
  return *model;
}

std::uint32_t code_of(const number_format& format, const rational& value) {
  const rational magnitude = abs(value);
  const std::optional<std::uint32_t> code = format.last_not_above(magnitude);
  INFO(format.name() << " has no " << value);
  REQUIRE(code.has_value());
  REQUIRE(format.magnitude(*code) == magnitude);
  return format.with_sign(value < 0, *code);
}

std::uint32_t fp32_bits(const rational& value) { return code_of(golden::formats::fp32(), value); }
std::uint32_t fp16_bits(const rational& value) { return code_of(golden::formats::fp16(), value); }

}  // namespace test
