// SPDX-License-Identifier: Apache-2.0
// golden/bindings/product_arguments.cpp: a caller's product, validated and in core types.
#include "golden/bindings/product_arguments.h"

#include <algorithm>
#include <string>

#include "mx/dot/plan_names.h"
#include "mx/spelling.h"

namespace bindings {
namespace {

constexpr std::uint64_t longest = std::uint64_t{1} << 30;

constexpr mx::code_storage storages[] = {mx::code_storage::pairs, mx::code_storage::bytes,
                                         mx::code_storage::halves, mx::code_storage::words};

// The enumerators are indices of the tables of names.
static_assert(mx::split_order_table[mx_split_pairwise].value == mx::split_order::pairwise);
static_assert(mx::c_entry_table[mx_c_epilogue].value == mx::c_entry::epilogue);
static_assert(mx::output_table[mx_number_fp16].value == mx::formats::binary16);
static_assert(mx::output_table[mx_number_bf16].value == mx::formats::bfloat16);
static_assert(mx::output_rounding_table[mx_rounding_nearest_away].value == mx::rounding::ties_away);
static_assert(mx::output_rounding_table[mx_rounding_nearest_zero].value ==
              mx::rounding::ties_toward_zero);
static_assert(mx::output_rounding_table[mx_rounding_toward_zero].value ==
              mx::rounding::toward_zero);

/// Bytes of a line of codes.
std::uint64_t line_of(mx::code_storage storage, std::uint64_t k) {
  if (storage == mx::code_storage::pairs) return k / 2 + k % 2;
  return product(k, storage == mx::code_storage::bytes    ? 1
                    : storage == mx::code_storage::halves ? 2
                                                          : 4);
}

/// Refuses codes with bits above their format's, line by line.
void expect_narrow_lines(const mx::dot_model& m, const mx::format& f, const mx::gemm_operand& o,
                         std::uint64_t lines, std::uint64_t k, const char* name) {
  if (o.storage == mx::code_storage::pairs) return;
  const auto* first = static_cast<const unsigned char*>(o.codes);
  for (std::uint64_t i = 0; i < lines; ++i) {
    expect_narrow(first + i * static_cast<std::uint64_t>(o.line_bytes), k, line_of(o.storage, 1),
                  code_bits(m, f), name);
  }
}

/// Refuses a storage in which codes of so many bits have no room.
void expect_room(mx::code_storage storage, int bits, const char* name) {
  const int room =
      storage == mx::code_storage::pairs ? 4 : 8 * static_cast<int>(line_of(storage, 1));
  if (bits <= room) return;
  throw refused(mx_status_bad_argument, std::string(name) + ": its codes have " +
                                            std::to_string(bits) + " bits, and each is stored in " +
                                            std::to_string(room) + "; store them in a wider type");
}

/// A factor, without a look at its codes.
mx::gemm_operand placed_operand(const mx::dot_model& m, const mx::format& f, const mx_matrix& in,
                                std::uint64_t lines, std::uint64_t k, const char* name) {
  mx::gemm_operand o;
  o.storage = chosen(storages, in.storage, "the storage of codes is out of range");
  expect_room(o.storage, code_bits(m, f), name);
  const std::uint64_t packed = line_of(o.storage, k);
  const std::uint64_t distance = in.line_bytes == 0 ? packed : in.line_bytes;
  require(distance >= packed, "line_bytes: lines of codes would overlap");
  const std::uint64_t before = lines > 0 ? product(lines - 1, distance) : 0;
  const std::uint64_t needed = lines > 0 ? before + packed : 0;
  // Lines with gaps may have a gap after the last one too.
  const std::uint64_t behind = lines > 0 ? distance - packed : 0;
  const bool whole = in.codes.bytes >= needed && in.codes.bytes - needed <= behind;
  expect_bytes(in.codes.data, whole ? needed : in.codes.bytes, needed, name);
  const std::string of_scales = std::string("scale_") + name;
  expect_bytes(in.scales, product(lines, blocks_of(m, k)), of_scales.c_str());
  expect_aligned(in.codes.data, line_of(o.storage, 1), name);
  require(distance % line_of(o.storage, 1) == 0, "line_bytes: is not a multiple of a code's bytes");
  o.codes = in.codes.data;
  o.line_bytes = static_cast<std::int64_t>(distance);
  o.scales = static_cast<const std::uint8_t*>(in.scales.data);
  return o;
}

/// The words of C, or null for none.
const std::uint32_t* addends_of(const mx::dot_model& m, const mx_buffer& c,
                                std::uint64_t elements) {
  if (c.data == nullptr && c.bytes == 0) return nullptr;
  expect_bytes(c, product(elements, 4), "c");
  expect_aligned(c.data, 4, "c");
  expect_narrow(c.data, elements, 4, m.sum.result.width(), "c");
  return static_cast<const std::uint32_t*>(c.data);
}

}  // namespace

mx_plan default_plan(const mx::dot_model& m) {
  const auto output =
      std::ranges::find(mx::output_table, m.sum.result, &mx::named<mx::format>::value);
  mx_plan plan = {};
  plan.struct_size = sizeof plan;
  plan.alpha = plan.tensor_scale_a = plan.tensor_scale_b = 1;
  plan.split_k = 1;
  plan.output = static_cast<std::int32_t>(output - mx::output_table.begin());
  return plan;
}

mx::sum_factors factors_of(const mx_plan* requested) {
  if (requested == nullptr) return {};
  const mx_plan p = read(requested);
  return {p.alpha, p.tensor_scale_a, p.tensor_scale_b};
}

mx::gemm_plan plan_of(const mx::dot_model& m, const mx_plan* requested) {
  const mx_plan p = requested == nullptr ? default_plan(m) : read(requested);
  mx::gemm_plan plan{.model = m};
  plan.promote = p.promote;
  plan.split_k = p.split_k;
  plan.split_order = chosen(mx::split_order_table, p.split_order, "split_order is out of range");
  plan.c_entry = chosen(mx::c_entry_table, p.c_entry, "c_entry is out of range");
  plan.output = chosen(mx::output_table, p.output, "output is out of range");
  plan.output_rounding =
      chosen(mx::output_rounding_table, p.output_rounding, "output_rounding is out of range");
  plan.alpha = mx::combined(factors_of(requested));
  const mx::gemm_refusal why = mx::refusal_of(plan);
  if (why == mx::gemm_refusal::none) return plan;
  const bool is_number = why == mx::gemm_refusal::promote || why == mx::gemm_refusal::split_k;
  throw refused(is_number ? mx_status_bad_argument : mx_status_unsupported,
                mx::sentence_of(why, plan));
}

placed_factors placed_factors_of(const mx::dot_model& m, const mx_product& p) {
  require(p.m <= longest && p.n <= longest && p.k <= longest, "a size is above 2^30");
  return {{static_cast<std::int64_t>(p.m), static_cast<std::int64_t>(p.n),
           static_cast<std::int64_t>(p.k)},
          placed_operand(m, m.a, p.a, p.m, p.k, "a"),
          placed_operand(m, m.b, p.b, p.n, p.k, "b")};
}

product_arguments product_of(const mx::dot_model& m, const mx_product* product) {
  const mx_product p = read(product);
  product_arguments made;
  static_cast<placed_factors&>(made) = placed_factors_of(m, p);
  expect_narrow_lines(m, m.a, made.a, p.m, p.k, "a");
  expect_narrow_lines(m, m.b, made.b, p.n, p.k, "b");
  const std::uint64_t elements = bindings::product(p.m, p.n);
  made.c = addends_of(m, p.c, elements);
  expect_bytes(p.d, bindings::product(elements, 4), "d");
  expect_aligned(p.d.data, 4, "d");
  made.d = static_cast<std::uint32_t*>(p.d.data);
  return made;
}

}  // namespace bindings
