// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/kernel_test.cpp: observed habits of kernels other than another rule:
// scales for several blocks, rows that were never written, other NaN codes, other random bits.
#include <algorithm>
#include <cmath>

#include "catch.h"
#include "golden/validator/tensor/stochastic_neighbours.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

namespace formats = mx::block_formats;

/// Whether a diagnosis is one change of a dimension to `found`.
bool is_found(const diagnosis& d, dimension what, const std::string& found) {
  if (!d.explanation) return false;
  const auto says = [&](const explanation& h) {
    return h.changes.size() == 1 &&
           h.changes.front() == change{name_of(what), h.changes.front().expected, found};
  };
  return says(*d.explanation) || std::any_of(d.ambiguous.begin(), d.ambiguous.end(),
                                             [&](const rival& r) { return says(r.what); });
}

TEST_CASE("a scale for several blocks is found by how many, and by whose numbers it is made of") {
  for (const mx::block_format& f : {formats::mxfp4, formats::mxfp8_e4m3, formats::nvfp4}) {
    const std::string size = std::to_string(f.columns);
    validator_case kernel({rows_of(f, 5)});
    for (const std::uint64_t blocks : {2U, 4U, 8U}) {
      hypothesis r = plain(f);
      r.share.blocks = blocks;
      kernel.run_kernel(r);
      CHECK(is_found(kernel.judge(plain(f)), dimension::block_size,
                     size + ", a scale for " + std::to_string(blocks) +
                         " of them, taken from them all and written for each"));
      r.share.source = share_source::first;
      kernel.run_kernel(r);
      CHECK(is_found(kernel.judge(plain(f)), dimension::block_size,
                     size + ", a scale for " + std::to_string(blocks) +
                         " of them, taken from the first and written for each"));
    }
  }
}

TEST_CASE(
    "rows stored in the order that kernels take are found, of codes and scales or of one of them") {
  for (const mx::block_format& f : {formats::mxfp4, formats::nvfp4}) {
    validator_case kernel({rows_of(f, 64)});
    const auto expect = [&](const row_order& rows, const std::string& found) {
      hypothesis r = plain(f);
      r.rows = rows;
      kernel.run_kernel(r);
      CHECK(is_found(kernel.judge(plain(f)), dimension::row_order, found));
      r.recipe.layout = mx::scale_layout::blocked_128x4;
      kernel.run_kernel(r);
      hypothesis declared = plain(f);
      declared.recipe.layout = r.recipe.layout;
      CHECK(is_found(kernel.judge(declared), dimension::row_order, found));
    };
    expect({.shuffled = 16}, "shuffled in groups of 16");
    expect({.shuffled = 32}, "shuffled in groups of 32");
    expect({.shuffled = 32, .reach = row_reach::codes}, "shuffled in groups of 32, of codes alone");
    expect({row_halves::interleaved, 0, row_reach::scales}, "halves by turns, of scales alone");
    expect({row_halves::separated}, "even rows before odd ones");
    expect({row_halves::interleaved, 32}, "halves by turns, then shuffled in groups of 32");
  }
}

TEST_CASE("a shared scale is that of the larger block, at both blocks") {
  const mx::block_format f = formats::mxfp4;
  probe_input two{"two blocks", {1, 64}, std::vector<float>(64, 0.5F)};
  two.values[40] = 24.0F;
  validator_case kernel({two});
  hypothesis r = plain(f);
  r.share.blocks = 2;
  kernel.run_kernel(r);
  // floor: 24 = 1.5 * 2^4, and emax is 2.
  CHECK(kernel.output(0).scales == std::vector<std::uint8_t>{129, 129});
  CHECK(kernel.output(0).codes[20] == 0x07);  // 24 / 4 = 6 beside 0.5 / 4 = 0.125, which is 0
  r.share.source = share_source::first;
  kernel.run_kernel(r);
  CHECK(kernel.output(0).scales == std::vector<std::uint8_t>{124, 124});
  CHECK(kernel.output(0).codes[20] == 0x67);  // saturated beside 0.5 * 8 = 4
}

TEST_CASE("the scale of a square tile that is written for each row is found") {
  const mx::block_format f = formats::nvfp4;
  validator_case kernel({rows_of(f, 40)});
  hypothesis r = plain(f);
  r.share.rows = 16;
  kernel.run_kernel(r);
  const diagnosis d = kernel.judge(plain(f));
  CHECK(is_found(d, dimension::block_size,
                 "16, a scale for 16x1 of them, taken from them all and written for each"));
  for (std::size_t row = 0; row < 40; ++row) {
    const auto at = [&](std::size_t line) { return kernel.output(0).scales[line * 8 + 3]; };
    CHECK(at(row) == at(row / 16 * 16));
  }
}

TEST_CASE("tiles of scales begin anew in each matrix, and end with its rows") {
  const mx::block_format f = formats::mxfp4;
  probe_input two = rows_of(f, 80);
  // The last tile of the first matrix and the first one of the second have maxima of their own.
  two.values[38 * two.shape[1] + 70] = 0x1p14F;
  two.values[70 * two.shape[1] + 70] = 0x1p9F;
  two.shape = {2, 40, two.shape[1]};
  validator_case kernel({two});
  hypothesis r = plain(f);
  r.axes = 3;
  r.share.rows = 32;
  kernel.run_kernel(r);
  for (const std::size_t first : {0U, 32U, 40U, 72U}) {
    const std::size_t end = first % 40 == 0 ? first + 32 : first + 8;
    std::uint8_t largest = 0;
    hypothesis alone = plain(f);
    alone.axes = 3;
    validator_case right({two});
    right.run_kernel(alone);
    for (std::size_t row = first; row < end; ++row) {
      largest = std::max(largest, right.output(0).scales[row * 8 + 2]);
    }
    for (std::size_t row = first; row < end; ++row) {
      REQUIRE(kernel.output(0).scales[row * 8 + 2] == largest);
    }
  }
}

TEST_CASE("scales written for each begin anew in each row") {
  const mx::block_format f = formats::mxfp4;
  probe_input six = rows_of(f, 4);
  six.shape = {5, 6 * 32};
  six.values.resize(5 * 6 * 32);
  validator_case kernel({six});
  kernel.run_kernel(plain(f));
  std::vector<std::uint8_t>& scales = kernel.output(0).scales;
  for (std::size_t k = 0; k < scales.size(); ++k) scales[k] = scales[k / 6 * 6 + k % 6 / 4 * 4];
  CHECK(is_found(kernel.judge(plain(f)), dimension::scale_layout,
                 "linear, the first scale of every 4 written for each"));
}

TEST_CASE("the first of several scales written for each is a matter of where scales lie") {
  const mx::block_format f = formats::mxfp4;
  validator_case kernel({rows_of(f, 3)});
  kernel.run_kernel(plain(f));
  std::vector<std::uint8_t>& scales = kernel.output(0).scales;
  for (std::size_t k = 0; k < scales.size(); ++k) scales[k] = scales[k / 4 * 4];
  CHECK(is_found(kernel.judge(plain(f)), dimension::scale_layout,
                 "linear, the first scale of every 4 written for each"));
}

/// Overwrites the last rows of a linear output.
void fill_rows(rendered& out, std::uint64_t rows, std::uint64_t unwritten, std::uint8_t codes,
               std::optional<std::uint8_t> scales) {
  const auto from = [&](std::vector<std::uint8_t>& bytes) {
    return bytes.end() - static_cast<std::ptrdiff_t>(bytes.size() / rows * unwritten);
  };
  std::fill(from(out.codes), out.codes.end(), codes);
  if (scales) std::fill(from(out.scales), out.scales.end(), *scales);
}

TEST_CASE("rows that were not written are found by the byte that lies there") {
  const mx::block_format f = formats::mxfp4;
  struct unwritten {
    std::uint8_t codes;
    std::optional<std::uint8_t> scales;
    const char* found;
  };
  for (const unwritten& u :
       {unwritten{0, 0, "the last 5 rows: bytes of codes are 0x00, scales 0x00"},
        unwritten{0, {}, "the last 5 rows: bytes of codes are 0x00, scales intact"},
        unwritten{0xCD, 0xCD, "the last 5 rows: bytes of codes are 0xcd, scales 0xcd"},
        unwritten{0xFF, 0x7F, "the last 5 rows: bytes of codes are 0xff, scales 0x7f"}}) {
    validator_case kernel({rows_of(f, 37)});
    kernel.run_kernel(plain(f));
    fill_rows(kernel.output(0), 37, 5, u.codes, u.scales);
    CHECK(is_found(kernel.judge(plain(f)), dimension::dropped_tail, u.found));
    kernel.output(0).codes[500] ^= 1;
    CHECK(kernel.judge(plain(f)).verdict == verdict::unexplained);
  }
}

TEST_CASE("rows that are left over by whole tiles are told so where tensors have different ones") {
  const mx::block_format f = formats::mxfp8_e4m3;
  validator_case kernel({rows_of(f, 37), rows_of(f, 64), rows_of(f, 55)});
  kernel.run_kernel(plain(f));
  fill_rows(kernel.output(0), 37, 5, 0, 0);
  fill_rows(kernel.output(2), 55, 23, 0, 0);
  const diagnosis d = kernel.judge(plain(f));
  CHECK(is_found(d, dimension::dropped_tail,
                 "rows that whole tiles of 16 leave over: bytes of codes are 0x00, scales 0x00") ==
        false);
  CHECK(is_found(d, dimension::dropped_tail,
                 "rows that whole tiles of 32 leave over: bytes of codes are 0x00, scales 0x00"));
}

TEST_CASE("rows that hold those of the tile before are found") {
  const mx::block_format f = formats::nvfp4;
  validator_case kernel({rows_of(f, 21)});
  kernel.run_kernel(plain(f));
  rendered& out = kernel.output(0);
  const std::size_t codes = out.codes.size() / 21, scales = out.scales.size() / 21;
  for (std::size_t row = 16; row < 21; ++row) {
    std::copy_n(out.codes.begin() + static_cast<std::ptrdiff_t>((row - 8) * codes), codes,
                out.codes.begin() + static_cast<std::ptrdiff_t>(row * codes));
    std::copy_n(out.scales.begin() + static_cast<std::ptrdiff_t>((row - 8) * scales), scales,
                out.scales.begin() + static_cast<std::ptrdiff_t>(row * scales));
  }
  CHECK(is_found(kernel.judge(plain(f)), dimension::dropped_tail,
                 "rows that whole tiles of 8 leave over hold those of the tile before"));
}

TEST_CASE("NaN by other codes that decode equal is found, and an Inf that stays one") {
  const mx::block_format f = formats::mxfp8_e5m2;
  validator_case kernel({with_specials(f)});
  for (const nan_code nan : {nan_code::all_bits, nan_code::quiet, nan_code::lowest}) {
    for (const infinity_code infinity : {infinity_code::saturated, infinity_code::kept}) {
      hypothesis r = plain(f);
      r.specials = {special_scale::of_finite, special_scale::of_finite,
                    special_codes::nan_keeps_sign, nan, infinity};
      kernel.run_kernel(r);
      const std::vector<std::uint8_t>& codes = kernel.output(0).codes;
      const std::uint8_t expected[] = {0x7F, 0x7E, 0x7D};
      CHECK(codes[3] == expected[static_cast<int>(nan)]);
      CHECK(codes[256 + 5] == (expected[static_cast<int>(nan)] | 0x80));
      CHECK(codes[512 + 70] == (infinity == infinity_code::kept ? 0x7C : 0x7B));
      const diagnosis d = kernel.judge(plain(f));
      REQUIRE(d.explanation);
      CHECK(d.explanation->kernel == r);
      CHECK(d.explanation->changes.front().dimension == name_of(dimension::nan_rule));
    }
  }
}

TEST_CASE(
    "elements that exceed the largest become NaN or Inf where a conversion does not saturate") {
  // Under `floor` an amax in [1, 2) has the scale 2^-emax. E4M3: 464 is the tie above 448; E5M2:
  // 61440 is that above 57344. A tie goes to the even code: 448 has one, 57344 not.
  struct expectation {
    mx::block_format format;
    float tie;
    std::uint8_t largest, beyond;
    const char* words;
  };
  for (const expectation& e : {expectation{formats::mxfp8_e4m3, 464.0F / 256, 0x7E, 0x7F,
                                           "nearest-even, NaN beyond the largest"},
                               expectation{formats::mxfp8_e5m2, 61440.0F / 32768, 0x7B, 0x7C,
                                           "nearest-even, Inf beyond the largest"}}) {
    const bool even = (e.largest & 1) == 0;
    probe_input one{"beyond", {1, 32}, std::vector<float>(32, 0.5F)};
    one.values[3] = std::nextafter(e.tie, 2.0F);
    one.values[4] = e.tie;
    one.values[5] = -1.96875F;
    one.values[6] = std::nextafter(e.tie, 0.0F);
    validator_case kernel({one});
    hypothesis r = plain(e.format);
    r.overflow = overflow_code::special;
    kernel.run_kernel(r);
    const std::vector<std::uint8_t>& codes = kernel.output(0).codes;
    CHECK(codes[3] == e.beyond);
    CHECK(codes[4] == (even ? e.largest : e.beyond));
    CHECK(codes[5] == (e.beyond | 0x80));
    CHECK(codes[6] == e.largest);
    const diagnosis d = kernel.judge(plain(e.format));
    REQUIRE(d.explanation);
    CHECK(d.explanation->kernel == r);
    CHECK(is_found(d, dimension::element_rounding, e.words));
  }
}

TEST_CASE("a quotient of element and scale that is rounded to 16 bits first is found") {
  const mx::block_format f = formats::nvfp4;
  probe_input one = rows_of(f, 64);
  validator_case kernel({one});
  for (const precision p : {precision::bfloat16, precision::binary16}) {
    hypothesis r = plain(f);
    r.input = {p, rounded_for::quotients};
    kernel.run_kernel(r);
    const diagnosis d = kernel.judge(plain(f));
    REQUIRE(d.explanation);
    CHECK(d.explanation->kernel == r);
  }
}

/// Hypotheses of the presets of NVFP4.
std::vector<hypothesis> presets_of_nvfp4() {
  std::vector<hypothesis> list;
  for (const mx::variant_entry& v : mx::variant_table) {
    hypothesis r = plain(formats::nvfp4);
    r.follow(&v);
    if (order_of(v) != nullptr && is_possible(r)) list.push_back(r);
  }
  return list;
}

bool tells(const hypothesis& a, const hypothesis& b, const std::vector<float>& row) {
  validator_case kernel({{"row", {1, row.size()}, row}});
  kernel.run_kernel(a);
  const rendered of_a = kernel.output(0);
  kernel.run_kernel(b);
  const rendered& of_b = kernel.output(0);
  return of_a.codes != of_b.codes || of_a.scales != of_b.scales;
}

TEST_CASE("the numbers of a telling probe tell presets of a tensor scale apart as one row") {
  const std::vector<hypothesis> presets = presets_of_nvfp4();
  REQUIRE(presets.size() > 10);
  int numbers = 0;
  for (std::size_t k = 1; k < presets.size(); ++k) {
    const auto probe = telling(presets[k - 1], presets[k], mx::number_type::fp32);
    if (!probe || probe->block.empty()) continue;
    ++numbers;
    INFO(presets[k - 1].variant()->about.name << " and " << presets[k].variant()->about.name);
    CHECK(tells(presets[k - 1], presets[k], probe->block));
  }
  CHECK(numbers > 5);
}

TEST_CASE("the sign of NaN is found in elements of E4M3 and in scales of UE4M3") {
  validator_case kernel({with_specials(formats::mxfp8_e4m3)});
  for (const special_codes codes : {special_codes::nan_to_largest, special_codes::nan_keeps_sign,
                                    special_codes::nan_negative}) {
    hypothesis r = plain(formats::mxfp8_e4m3);
    r.specials = {special_scale::largest, special_scale::largest, codes};
    kernel.run_kernel(r);
    CHECK(kernel.output(0).codes[3] == (codes == special_codes::nan_negative ? 0xFF : 0x7F));
    const diagnosis d = kernel.judge(plain(formats::mxfp8_e4m3));
    REQUIRE(d.explanation);
    CHECK(d.explanation->kernel == r);
  }
  validator_case scales({with_specials(formats::nvfp4)});
  scales.run_kernel(plain(formats::nvfp4));
  for (std::uint8_t& scale : scales.output(0).scales) scale = scale == 0x7F ? 0xFF : scale;
  CHECK(is_found(scales.judge(plain(formats::nvfp4)), dimension::nan_rule,
                 "scale with NaN: NaN with a sign, with Inf: NaN with a sign; all codes 0"));
}

TEST_CASE("another seed, another stream and other bits of the words are found") {
  const mx::block_format f = formats::mxfp4;
  validator_case kernel({rows_of(f, 16)});
  const hypothesis declared = drawn_with(f, {7, 8, mx::byte_map::ptx, 0});
  // Wider parts of the same word give nearly always the same codes as narrower ones.
  const auto found = [&](const mx::random_source& from) {
    kernel.run_kernel(drawn_with(f, from));
    const diagnosis d = kernel.judge(declared, 2);
    const auto is_it = [&](const explanation& h) { return h.kernel.recipe.rules.random == from; };
    return d.explanation &&
           (is_it(*d.explanation) || std::any_of(d.ambiguous.begin(), d.ambiguous.end(),
                                                 [&](const rival& r) { return is_it(r.what); }));
  };
  CHECK(found({1234, 8, mx::byte_map::ptx, 0}));
  CHECK(found({7, 8, mx::byte_map::te_soft, 0}));
  CHECK(found({7, 16, mx::byte_map::ptx, 0}));
  CHECK(found({7, 8, mx::byte_map::ptx, 3}));
}

constexpr const char* unknown_bits =
    "stochastic: each code is one of both neighbours, the upper one as often as is due; seed not "
    "found";

TEST_CASE("a seed that is not found leaves neighbours and how often they are taken") {
  for (const mx::block_format& f : {formats::mxfp4, formats::mxfp8_e5m2, formats::nvfp4}) {
    validator_case kernel({rows_of(f, 16)});
    const hypothesis declared = drawn_with(f, {7, 8, mx::byte_map::ptx, 0});
    for (const int bits : {8, 24}) {
      kernel.run_kernel(drawn_with(f, {0x123456789ABC, bits, mx::byte_map::ptx, 0}));
      CHECK(is_found(kernel.judge(declared, 2), dimension::element_rounding, unknown_bits));
      CHECK(is_found(kernel.judge(plain(f), 1), dimension::element_rounding, unknown_bits));
    }
    kernel.output(0).scales[9] ^= 1;
    CHECK(kernel.judge(declared, 1).verdict == verdict::unexplained);
    kernel.output(0).scales[9] ^= 1;
    kernel.output(0).codes[0] ^= 0x88;
    CHECK(kernel.judge(declared, 1).verdict == verdict::unexplained);
  }
}

TEST_CASE("beside the blocks that are counted every other one is looked at too") {
  const mx::block_format f = formats::mxfp4;
  validator_case kernel({rows_of(f, 300)});
  const hypothesis declared = drawn_with(f, {7, 8, mx::byte_map::ptx, 0});
  kernel.run_kernel(drawn_with(f, {0x123456789ABC, 8, mx::byte_map::ptx, 0}));
  CHECK(is_found(kernel.judge(declared), dimension::element_rounding, unknown_bits));
  for (const std::size_t block : {0U, 1U, 2U, 1001U, 2399U}) {
    kernel.output(0).codes[16 * block] ^= 0x88;
    CHECK(kernel.judge(declared).verdict == verdict::unexplained);
    kernel.output(0).codes[16 * block] ^= 0x88;
  }
}

TEST_CASE(
    "a rounding that looks at the number is no stochastic one, whatever single byte is wrong") {
  const mx::block_format f = formats::mxfp8_e4m3;
  validator_case kernel({rows_of(f, 16)});
  using enum mx::rounding;
  for (const mx::rounding how : {ties_to_even, ties_away, toward_zero, away_from_zero}) {
    hypothesis r = plain(f);
    r.recipe.rules.rounding = how;
    kernel.run_kernel(r);
    // Beside the first wrong code the neighbours are still the only candidates.
    hypothesis other = r;
    other.recipe.rules.rounding = how == toward_zero ? away_from_zero : toward_zero;
    validator_case one({rows_of(f, 16)});
    one.run_kernel(other);
    std::vector<std::uint8_t>& codes = kernel.output(0).codes;
    std::size_t k = 1000;
    while (codes[k] == one.output(0).codes[k]) ++k;
    codes[k] = one.output(0).codes[k];
    CHECK(kernel.judge(plain(f), 1).verdict == verdict::unexplained);
  }
}

TEST_CASE("draws are due where upper neighbours come as often as their probabilities say") {
  const auto counted = [](auto is_upper) {
    neighbour_counts counts;
    for (std::uint32_t k = 0; k < 4096; ++k) {
      const mx::philox_counter word = mx::philox(5, {{k, 0, 0, 0}});
      const auto p = static_cast<std::int64_t>(word.word[0] % 256);
      counts.add(static_cast<std::uint8_t>(k % 7), p,
                 is_upper(p, static_cast<std::int64_t>(word.word[1] % 256)));
    }
    return counts.are_due();
  };
  CHECK(counted([](std::int64_t p, std::int64_t drawn) { return drawn < p; }));
  CHECK_FALSE(counted([](std::int64_t p, std::int64_t drawn) { return drawn < p + 24; }));
  CHECK_FALSE(counted([](std::int64_t p, std::int64_t drawn) { return drawn + 24 < p; }));
  CHECK_FALSE(counted([](std::int64_t p, std::int64_t) { return p > 128; }));
  CHECK_FALSE(counted([](std::int64_t, std::int64_t drawn) { return drawn < 128; }));
  CHECK_FALSE(counted([](std::int64_t, std::int64_t) { return false; }));
  CHECK_FALSE(counted([](std::int64_t, std::int64_t) { return true; }));
}

TEST_CASE("few elements settle nothing about random bits") {
  const mx::block_format f = formats::mxfp4;
  probe_input one = rows_of(f, 1);
  one.shape = {1, 32};
  one.values.resize(32);
  validator_case kernel({one});
  kernel.run_kernel(drawn_with(f, {0x123456789ABC, 8, mx::byte_map::ptx, 0}));
  const diagnosis d = kernel.judge(drawn_with(f, {7, 8, mx::byte_map::ptx, 0}), 1);
  CHECK_FALSE(is_found(d, dimension::element_rounding, unknown_bits));
}

TEST_CASE("a stochastic preset's random bits are held to its neighbours") {
  const mx::block_format f = formats::nvfp4;
  const mx::variant_entry* preset = nullptr;
  for (const mx::variant_entry& v : mx::variant_table) {
    if (v.about.name == "te.nvfp4-stochastic") preset = &v;
  }
  REQUIRE(preset != nullptr);
  hypothesis declared = plain(f);
  declared.follow(preset);
  validator_case kernel({rows_of(f, 16)});
  kernel.run_kernel(declared);
  CHECK(kernel.judge(declared, 1).verdict == verdict::exact);
  hypothesis other = declared;
  other.recipe.rules.random.seed = 7;
  CHECK(is_found(kernel.judge(other, 1), dimension::element_rounding,
                 "stochastic, seed 0, 8 bits, ptx"));
  const subject s = kernel.subjects().front();
  extent_memory extents;
  const prediction p(declared, s, extents);
  for (std::uint64_t b = 0; b < p.where().blocks(); ++b) {
    predicted_block made;
    for (std::uint32_t k = 0; k < 16; ++k) {
      made.drawn.push_back(mx::philox(11, {{k, static_cast<std::uint32_t>(b), 0, 0}}).word[2] &
                           255);
    }
    p.make(b, made);
    for (std::size_t k = 0; k < 16; k += 2) {
      kernel.output(0).codes[8 * b + k / 2] =
          static_cast<std::uint8_t>(made.codes[k] | made.codes[k + 1] << 4);
    }
  }
  CHECK(is_found(kernel.judge(declared, 2), dimension::element_rounding, unknown_bits));
  kernel.output(0).codes[77] ^= 0x80;
  CHECK(kernel.judge(declared, 1).verdict == verdict::unexplained);
}

}  // namespace
}  // namespace golden::validator
