// SPDX-License-Identifier: Apache-2.0
// tests/kernels/backends_test.cpp: the cases that kernels/verify runs on a device, by the bodies on the
// CPU, against the core.
#include <algorithm>
#include <set>

#include "case_requests.h"
#include "catch.h"
#include "host_launch.h"

using namespace mx::kernels;

namespace {

kernels_test::host_answer served(const kernel_case& one, const case_memory& at) {
  switch (one.what) {
    case operation::quantize:
      return kernels_test::quantize(quantize_request_of(one, at));
    case operation::dequantize:
      return kernels_test::dequantize(dequantize_request_of(one, at));
    case operation::fake_quantize:
      return kernels_test::fake_quantize(fake_quantize_request_of(one, at));
    case operation::rotate_quantize:
      return kernels_test::rotate_quantize(rotate_request_of(one, at));
    case operation::decompose:
      return kernels_test::decompose(decompose_request_of(one, at));
  }
  return {};
}

std::vector<named_bytes> results_of_bodies(const kernel_case& one, const case_input& input) {
  std::vector<named_bytes> results = empty_results(one);
  // Vectors of bytes begin at multiples of 16, as memory of a device begins at multiples of 256.
  case_memory at{input.x.data(), input.codes.data(), input.scales.data(), &input.tensor_scale, {}};
  for (named_bytes& result : results) at.results.push_back(result.bytes.data());
  const kernels_test::host_answer answer = served(one, at);
  CHECK(sentence_of(answer.status) == "launched");
  CHECK(answer.kernels == one.kernels);
  return results;
}

}  // namespace

TEST_CASE("bodies_answer_every_case_as_the_core_does") {
  for (const kernel_case& one : case_table()) {
    CAPTURE(one.name);
    const case_input input = input_of(one);
    CHECK(difference_between(results_of_core(one, input), results_of_bodies(one, input)).empty());
  }
}

TEST_CASE("cases_have_names_of_their_own") {
  std::set<std::string> names;
  for (const kernel_case& one : case_table()) names.insert(one.name);
  CHECK(names.size() == case_table().size());
}

TEST_CASE("a_difference_is_told_by_array_and_byte") {
  const std::vector<named_bytes> right{{"a", {1, 2}}, {"b", {3}}},
      wrong{{"a", {1, 2}}, {"b", {0x1F}}};
  CHECK(difference_between(right, right).empty());
  CHECK(difference_between(right, wrong) == "b, byte 0: 0x1F instead of 0x03");
}

TEST_CASE("arrays_at_odd_addresses_take_the_core") {
  for (const kernel_case& one : case_table()) {
    const bool any_address = one.what == operation::decompose;  // an element a load
    if (one.kernels.ends_with("blocks") || any_address) continue;
    const case_input input = input_of(one);
    const std::vector<std::uint8_t>& from = input.x.empty() ? input.codes : input.x;
    const std::size_t by =
        one.what == operation::dequantize || one.type != mx::number_type::fp32 ? 2 : 4;
    std::vector<std::uint8_t> moved(from.size() + by);
    std::copy(from.begin(), from.end(), moved.begin() + static_cast<std::ptrdiff_t>(by));
    std::vector<named_bytes> results = empty_results(one);
    case_memory at{
        moved.data() + by, moved.data() + by, input.scales.data(), &input.tensor_scale, {}};
    for (named_bytes& result : results) at.results.push_back(result.bytes.data());
    CAPTURE(one.name);
    const std::string kernels = served(one, at).kernels;
    CHECK((kernels.starts_with("blocks") || kernels == "rotated blocks"));
    CHECK(difference_between(results_of_core(one, input), results).empty());
  }
}
