// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/backends_test.cpp: names and differences of cases; arrays at odd addresses.
#include <algorithm>
#include <set>

#include "bodies_backend.h"
#include "catch.h"
#include "gapped_cases.h"
#include "large_cases.h"

using namespace mx::kernels;
using kernels_test::served;

TEST_CASE("cases_have_names_of_their_own") {
  std::set<std::string> names;
  std::size_t count = 0;
  const auto add = [&](const auto& table) {
    for (const auto& one : table) names.insert(one.name);
    count += table.size();
  };
  add(case_table()), add(gapped_case_table()), add(large_case_table());
  add(product_table()), add(gapped_product_table()), add(large_product_table());
  add(corrected_table()), add(large_corrected_table());
  CHECK(names.size() == count);
}

TEST_CASE("a_difference_is_told_by_array_and_byte") {
  const std::vector<named_bytes> right{{"a", {1, 2}}, {"b", {3}}},
      wrong{{"a", {1, 2}}, {"b", {0x1F}}};
  CHECK(difference_between(right, right).empty());
  CHECK(difference_between(right, wrong) == "b, byte 0: 0x1F instead of 0x03");
}

TEST_CASE("arrays_at_odd_addresses_take_the_core") {
  for (const kernel_case& one : case_table()) {
    const bool any_address = one.what == operation::decompose;  // decompose_test.cpp
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
