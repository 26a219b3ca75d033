// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/matrix_test.cpp: the output of every preset, declared as every other
// preset.
#include <tbb/parallel_for.h>

#include <cstdio>
#include <string>

#include "catch.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

///   '.' named   'a' ambiguous with the right one   '=' the same bytes   'X' wrong or unexplained
using cell = char;

std::vector<const mx::variant_entry*> presets_of(const mx::block_format& f) {
  std::vector<const mx::variant_entry*> list;
  for (const mx::variant_entry& v : mx::variant_table) {
    const bool quantizes =
        v.family == mx::variant_family::mx || v.family == mx::variant_family::nvfp4;
    const bool drawn = v.family == mx::variant_family::nvfp4 &&
                       mx::nvfp4_presets::all[v.index].element.rounding == mx::rounding::stochastic;
    if (quantizes && !drawn && mx::covers(v.about, f)) list.push_back(&v);
  }
  return list;
}

hypothesis recipe_of(const mx::variant_entry& v, const mx::block_format& f) {
  hypothesis r = plain(f);
  r.follow(&v);
  r.recipe.codes.nibbles = v.about.packing;
  return r;
}

/// Whether an explanation has one change: of the preset, or of one property of the declared one.
bool is_of_presets(const explanation& h, const mx::variant_entry& declared) {
  if (h.changes.size() != 1) return false;
  return h.changes.front().dimension == name_of(dimension::variant) ||
         h.kernel.variant() == &declared;
}

bool names(const explanation& h, const mx::variant_entry& v) {
  return h.changes.size() == 1 && h.changes.front().dimension == name_of(dimension::variant) &&
         h.changes.front().found == v.about.name;
}

cell judged(const diagnosis& d, const mx::variant_entry& actual) {
  if (d.verdict == verdict::exact) return '=';
  if (!d.explanation) return 'X';
  if (names(*d.explanation, actual)) return d.ambiguous.empty() ? '.' : 'a';
  for (const rival& r : d.ambiguous) {
    if (names(r.what, actual)) return 'a';
  }
  return 'X';
}

struct tally {
  int pairs = 0, same = 0, right = 0, ambiguous = 0, wrong = 0;
  int dimension_named = 0;
};

std::string row_of(const mx::block_format& f, const mx::variant_entry& actual,
                   const std::vector<const mx::variant_entry*>& presets, tally& sum) {
  validator_case kernel(probe_candidates(f));
  kernel.writes_tensor_scales = false;
  kernel.run_kernel(recipe_of(actual, f));
  std::string row(presets.size(), '-');
  std::vector<char> named(presets.size(), 0);
  tbb::parallel_for(std::size_t{0}, presets.size(), [&](std::size_t k) {
    if (presets[k] == &actual) return;
    const diagnosis d = kernel.judge(recipe_of(*presets[k], f));
    row[k] = judged(d, actual);
    named[k] = d.explanation && is_of_presets(*d.explanation, *presets[k]) ? 1 : 0;
  });
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] == '-') continue;
    ++sum.pairs;
    sum.same += row[k] == '=' ? 1 : 0;
    sum.right += row[k] == '.' ? 1 : 0;
    sum.ambiguous += row[k] == 'a' ? 1 : 0;
    sum.wrong += row[k] == 'X' ? 1 : 0;
    if (row[k] != '=') sum.dimension_named += named[k];
  }
  return row;
}

void check_matrix(const char* name, const mx::block_format& f) {
  const std::vector<const mx::variant_entry*> presets = presets_of(f);
  tally sum;
  std::printf("\n%s: a row is the kernel, a column what was declared, in the same order\n", name);
  for (const mx::variant_entry* actual : presets) {
    const std::string row = row_of(f, *actual, presets, sum);
    std::printf("%-38.*s %s\n", static_cast<int>(actual->about.name.size()),
                actual->about.name.data(), row.c_str());
  }
  const int distinct = sum.pairs - sum.same;
  std::printf(
      "%d pairs, %d with the same bytes; of %d: %d named alone, %d among equals, %d wrong; "
      "dimension right in %d\n",
      sum.pairs, sum.same, distinct, sum.right, sum.ambiguous, sum.wrong, sum.dimension_named);
  CHECK(sum.wrong == 0);
  CHECK(sum.dimension_named * 100 >= distinct * 98);
}

TEST_CASE("every preset declared as every other is named, or among equals: MXFP4") {
  check_matrix("mxfp4", mx::block_formats::mxfp4);
}
TEST_CASE("every preset declared as every other is named, or among equals: MXFP6 and MXFP8") {
  check_matrix("mxfp6-e2m3", mx::block_formats::mxfp6_e2m3);
  check_matrix("mxfp6-e3m2", mx::block_formats::mxfp6_e3m2);
  check_matrix("mxfp8-e4m3", mx::block_formats::mxfp8_e4m3);
  check_matrix("mxfp8-e5m2", mx::block_formats::mxfp8_e5m2);
  check_matrix("mxint8", mx::block_formats::mxint8);
}
TEST_CASE("every preset declared as every other is named, or among equals: NVFP4") {
  check_matrix("nvfp4", mx::block_formats::nvfp4);
  check_matrix("nvfp4 without a tensor scale", mx::nvfp4_presets::no_tensor.front());
  check_matrix("nvfp4 with a bound of 256", mx::nvfp4_presets::of_256.front());
  check_matrix("nvfp4 in tiles", mx::block_formats::nvfp4_2d);
}

}  // namespace
}  // namespace golden::validator
