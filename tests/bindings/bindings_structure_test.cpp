// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_structure_test.cpp: the memory layout of structures is the published one,
// and callers built against an older or later library are accepted.
#include <cstddef>
#include <new>
#include <string>

#include "catch.h"
#include "golden/bindings/arguments.h"

namespace {

/// A structure that grew: `later` was added after the first library.
struct grown {
  std::uint64_t struct_size, first, later;
};
/// The same structure as a caller of a later library knows it.
struct grown_again {
  grown now;
  std::uint64_t latest;
};

constexpr bindings::publication published(const grown*) { return {"grown", 16}; }

}  // namespace

static_assert(sizeof(mx_error) == 24 && sizeof(mx_shape) == 16 && sizeof(mx_numbers) == 24);
static_assert(sizeof(mx_coded) == 136 && offsetof(mx_coded, residual_codes) == 88);
static_assert(sizeof(mx_format_facts) == 48 && offsetof(mx_format_facts, product_ready) == 44);
static_assert(sizeof(mx_energy) == 168 && offsetof(mx_energy, elements) == 120);
static_assert(sizeof(mx_model_facts) == 64 && offsetof(mx_model_facts, addend_bits) == 56);
static_assert(sizeof(mx_words) == 120 && offsetof(mx_words, d) == 104);
static_assert(sizeof(mx_factor) == 64 && offsetof(mx_factor, scales) == 32);
static_assert(sizeof(mx_tile) == 208 && offsetof(mx_tile, c_stride) == 192);
static_assert(sizeof(mx_plan) == 48 && offsetof(mx_plan, output_rounding) == 40);
static_assert(sizeof(mx_matrix) == 48 && offsetof(mx_matrix, line_bytes) == 24);
static_assert(sizeof(mx_product) == 160 && offsetof(mx_product, d) == 144);
static_assert(sizeof(mx_search) == 16 && sizeof(mx_change) == 32);
static_assert(sizeof(mx_verdict_facts) == 112 && offsetof(mx_verdict_facts, text) == 96);
static_assert(sizeof(mx_explanation) == 56 && offsetof(mx_explanation, probe_block) == 40);
static_assert(sizeof(mx_difference) == 96 && offsetof(mx_difference, block_bits) == 72);
static_assert(sizeof(mx_places) == 392 && offsetof(mx_places, pattern) == 384);
static_assert(sizeof(mx_candidate) == 64 && offsetof(mx_candidate, is_declared) == 48);
static_assert(sizeof(mx_distinction) == 40 && sizeof(mx_bound) == 40);
static_assert(sizeof(mx_breach) == 64 && offsetof(mx_breach, found) == 56);
static_assert(mx_status_internal == 5 && mx_number_bf16 == 2 && mx_codes_words == 3);

TEST_CASE("an_older_caller_gives_and_gets_what_it_knows") {
  grown s{16, 1, 2};
  const grown read = bindings::read(&s);
  CHECK((read.struct_size == 16 && read.first == 1 && read.later == 0));
  bindings::write(&s, grown{0, 5, 6});
  CHECK((s.struct_size == 16 && s.first == 5 && s.later == 2));
}

TEST_CASE("a_later_caller_is_understood_where_it_asks_for_nothing_later") {
  grown_again s{{sizeof s, 1, 2}, 0};
  CHECK(bindings::read(&s.now).later == 2);
  s.latest = 3;
  CHECK_THROWS_AS(bindings::read(&s.now), bindings::refused);
  bindings::write(&s.now, grown{0, 5, 6});
  CHECK((s.now.struct_size == sizeof s && s.now.later == 6 && s.latest == 3));
}

TEST_CASE("sizes_that_nobody_meant_are_refused") {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{15}, std::uint64_t{4097}}) {
    grown s{size, 1, 2};
    CHECK_THROWS_AS(bindings::read(&s), bindings::refused);
    CHECK_THROWS_AS(bindings::write(&s, s), bindings::refused);
  }
  CHECK_THROWS_AS(bindings::read(static_cast<grown*>(nullptr)), bindings::refused);
}

TEST_CASE("whatever_is_thrown_becomes_a_status_and_a_sentence") {
  char text[8] = "xxxxxxx";
  mx_error error{text, sizeof text, 99};
  const auto status_of = [&](const auto& thrown) {
    return bindings::guarded(&error, [&] { throw thrown; });
  };
  CHECK(status_of(std::bad_alloc()) == mx_status_no_memory);
  CHECK(status_of(std::length_error("long")) == mx_status_no_memory);
  CHECK(status_of(std::invalid_argument("wrong")) == mx_status_bad_argument);
  CHECK((std::string(text) == "wrong" && error.length == 5));
  CHECK(status_of(std::runtime_error("unforeseen")) == mx_status_internal);
  CHECK((std::string(text) == "unfores" && error.length == 10));
  CHECK(status_of(1) == mx_status_internal);
  CHECK(status_of(bindings::refused(mx_status_unsupported, "a\tb")) == mx_status_unsupported);
  CHECK(std::string(text) == "a?b");
  CHECK(bindings::guarded(&error, [] {}) == mx_status_ok);
  CHECK((error.length == 0 && text[0] == '\0'));
  mx_error without_text{nullptr, 5, 0};
  CHECK(bindings::guarded(&without_text, [] { throw 1; }) == mx_status_internal);
  CHECK(without_text.length > 0);
  CHECK(bindings::guarded(nullptr, [] { throw 1; }) == mx_status_internal);
}

TEST_CASE("products_of_sizes_end_before_they_overflow") {
  CHECK(bindings::product(1ULL << 30, (1ULL << 30) - 1) == (1ULL << 60) - (1ULL << 30));
  CHECK_THROWS_AS(bindings::product(1ULL << 30, 1ULL << 30), bindings::refused);
  CHECK_THROWS_AS(bindings::product(~0ULL, ~0ULL), bindings::refused);
  CHECK(bindings::product(0, ~0ULL) == 0);
}
