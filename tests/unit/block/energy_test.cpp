// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/energy_test.cpp: the parts' energies: known blocks, hard blocks, Gaussian
// tensors.
#include "mx/block/energy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "catch.h"
#include "mx/number/philox.h"

namespace {

using mx::error_energy;
using mx::scale_rule;

constexpr int block_size = mx::mxfp4::size;

error_energy energy_of_one(const std::vector<float>& x, scale_rule rule) {
  mx::energy_share share;
  share.add(x.data(), static_cast<int>(x.size()), rule);
  return share.finished();
}

/// Energies of whole blocks, share by share.
error_energy energy_of_blocks(const std::vector<float>& x, scale_rule rule) {
  std::vector<error_energy> shares;
  mx::energy_share share;
  for (std::size_t first = 0; first < x.size(); first += block_size) {
    share.add(x.data() + first, block_size, rule);
    if (share.counts.blocks < mx::blocks_a_share(block_size)) continue;
    shares.push_back(share.finished());
    share = mx::energy_share();
  }
  shares.push_back(share.finished());
  return mx::sum_of_shares(shares.data(), static_cast<std::int64_t>(shares.size()));
}

/// Standard normal numbers by Box and Muller, each from its own random words.
std::vector<float> normal_numbers(std::uint32_t stream, int count) {
  std::vector<float> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const mx::philox_counter random =
        mx::philox(2026, {{stream, static_cast<std::uint32_t>(i), 0, 0}});
    const double u = (random.word[0] + 0.5) * 0x1p-32, v = (random.word[1] + 0.5) * 0x1p-32;
    out[i] = static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
  }
  return out;
}

double cosine(double product, double a, double b) { return product / std::sqrt(a * b); }

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Rows of 32: hard blocks of every kind, and random ones over the whole range of FP32.
std::vector<float> hard_blocks() {
  std::vector<float> x;
  for (const float amax :
       {0x1p-149F, 0x1p-140F, 0x1p-126F, 1.0F, 3.9999998F, 4.0F, 6.0F, 6.0000005F, 7.0F, 7.9999995F,
        8.0F, 0x1p127F, std::numeric_limits<float>::max()}) {
    for (int i = 0; i < block_size; ++i) {
      const float ratio = static_cast<float>(i) / 31.0F;
      x.push_back((i % 2 == 0 ? amax : -amax) * (i == 31 ? 1.0F : i < 16 ? ratio : ratio / 24.0F));
    }
  }
  x.resize(x.size() + block_size, -0.0F);
  for (std::uint32_t i = 0; i < 300 * block_size; ++i) {
    const mx::philox_counter random = mx::philox(7, {{i, 0, 0, 0}});
    const std::uint32_t block = i / block_size;
    // Close exponents in most blocks; any bits in every tenth.
    const std::uint32_t field = (block * 37 + random.word[1] % 9) % 255;
    const std::uint32_t bits = (random.word[0] & 0x807FFFFF) | field << 23;
    x.push_back(mx::float_of(block % 10 == 0 ? random.word[2] : bits));
  }
  return x;
}

}  // namespace

TEST_CASE("energies of a block that can be checked by hand") {
  // rceil: s = 2, s* = 7/6. Q(7) = 8 and Q*(7) = 7; Q(0.5) = 0 (a tie) and Q*(0.5) = s* / 2.
  const error_energy e = energy_of_one({7.0F, 0.5F, 0.25F}, scale_rule::rceil);
  CHECK(e.elements == 3);
  CHECK(e.blocks == 1);
  CHECK(e.dead == 1);         // 0.25 < 7/24
  CHECK(e.dead_actual == 2);  // and 0.5, by the coarser scale alone
  CHECK(e.identity_violations == 0);
  CHECK(e.sums.total == 1.0 + 0.25 + 0.0625);
  CHECK(e.sums.scale == Approx(1.0 + 49.0 / 144));
  CHECK(e.sums.scale_dead == Approx(49.0 / 144));
  CHECK(e.sums.deadzone == 0.0625);
  CHECK(e.sums.grid == Approx(1.0 / 144));
  CHECK(e.sums.clip == 0);
  CHECK(e.sums.scale_grid == Approx(-7.0 / 12 * (1.0 / 12)));
  CHECK(e.sums.x_squared == 49.3125);
  CHECK(e.sums.x_quantized == 56);
}

TEST_CASE("floor clips where rceil does not") {
  const std::vector<float> x{7.5F, 1.0F};
  CHECK(energy_of_one(x, scale_rule::floor).sums.clip == 2.25);  // Q = 6, Q* = 7.5
  CHECK(energy_of_one(x, scale_rule::rceil).sums.clip == 0);
}

TEST_CASE("special blocks are counted and left out of everything else") {
  error_energy e =
      energy_of_one({1.0F, std::numeric_limits<float>::quiet_NaN()}, scale_rule::rceil);
  CHECK(e.blocks == 1);
  CHECK(e.special_blocks == 1);
  CHECK(e.elements == 0);
  CHECK(e.sums == mx::energy_sums{});
  e += energy_of_one({1.0F, 0.0F, -0.0F}, scale_rule::rceil);
  CHECK(e.blocks == 2);
  CHECK(e.elements == 3);
  CHECK(e.dead == 0);  // zeros are not dead
}

TEST_CASE("the parts add up exactly on every block, also by the form for every format") {
  const std::vector<float> x = hard_blocks();
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    const mx::quantization general{mx::block_formats::mxfp4, rule};
    mx::energy_share share, of_every_format;
    std::uint8_t codes[block_size];
    for (std::size_t first = 0; first < x.size(); first += block_size) {
      share.add(x.data() + first, block_size, rule);
      of_every_format.add(general, x.data() + first, block_size, mx::no_tensor_scale, 0, codes);
    }
    CHECK(share.counts.special_blocks > 0);
    CHECK(share.counts.identity_violations == 0);
    CHECK(of_every_format.finished() == share.finished());
  }
}

/// By recursion: the whole power of two below the count, and the rest.
error_energy sum_by_halves(const error_energy* shares, std::int64_t count) {
  if (count == 0) return {};
  if (count == 1) return shares[0];
  std::int64_t left = 1;
  while (2 * left < count) left *= 2;
  error_energy sum = sum_by_halves(shares, left);
  sum += sum_by_halves(shares + left, count - left);
  return sum;
}

TEST_CASE("shares are added by a tree of neighbours") {
  for (std::int64_t count = 0; count <= 70; ++count) {
    std::vector<error_energy> shares(static_cast<std::size_t>(count) + 1);
    std::uint32_t next = 0;
    for (error_energy& share : shares) {
      const mx::philox_counter random = mx::philox(11, {{next++, 0, 0, 0}});
      share.sums.total = random.word[0] * 0x1p-20 + random.word[1] * 0x1p-60;
      share.sums.scale_grid = -0x1p-30 * random.word[2];
      share.blocks = next;
    }
    const error_energy expected = sum_by_halves(shares.data(), count), beyond = shares.back();
    CHECK(mx::sum_of_shares(shares.data(), count) == expected);
    CHECK(shares.back() == beyond);
    CHECK(expected.blocks == count * (count + 1) / 2);
  }
}

TEST_CASE("a share is 2^11 elements, or one block") {
  CHECK(mx::blocks_a_share(1) == 2048);
  CHECK(mx::blocks_a_share(32) == 64);
  CHECK(mx::blocks_a_share(48) == 42);
  CHECK(mx::blocks_a_share(2048) == 1);
  CHECK(mx::blocks_a_share(128 * 128) == 1);
  CHECK(mx::blocks_a_share(1 << 20) == 1);
}

TEST_CASE("lanes are added by a tree, products to their lane with one rounding") {
  mx::energy_share share;
  const auto add = [&share](int position, double a, double b) {
    share.add(mx::energy_term::x_squared, position, a, b);
  };
  add(0, 1, 1);
  add(1, 0x1p-26, 0x1p-27);  // half a unit in the last place of 1, twice: alone each is lost
  add(9, 0x1p-26, 0x1p-27);
  CHECK(share.finished().sums.x_squared == 1 + 0x1p-52);
  add(16, -2, 1);                     // lane 0
  add(32, 1 + 0x1p-30, 1 - 0x1p-30);  // 1 - 2^-60
  CHECK(share.lanes[static_cast<int>(mx::energy_term::x_squared)][0] == -0x1p-60);
}

TEST_CASE("parts that do not add up are seen") {
  const mx::unpacked x = mx::unpack(5.2F), amax = mx::unpack(5.5F);
  const mx::e8m0 scale{127};
  const mx::compared_element e = mx::compare(x, amax, scale);
  CHECK(mx::parts_add_up(e, x, mx::quantize_element(x, scale), scale));
  CHECK_FALSE(mx::parts_add_up(e, x, mx::e2m1{6}, scale));
  CHECK_FALSE(mx::parts_add_up(e, x, mx::quantize_element(x, scale), mx::e8m0{128}));
  mx::energy_share share;
  for (const bool holds : {true, false, true, false, false}) share.check_identity(holds);
  CHECK(share.finished().identity_violations == 3);
}

TEST_CASE("a short block counts no padding") {
  const std::vector<float> x = normal_numbers(3, 8);
  const error_energy e = energy_of_one(x, scale_rule::floor);
  CHECK(e.elements == 8);
  CHECK(e.dead_actual < 8);
  mx::energy_share padded;
  std::vector<float> whole(x);
  whole.resize(block_size);
  padded.add(whole.data(), block_size, scale_rule::floor);
  CHECK(padded.finished().sums == e.sums);
  CHECK(padded.counts.dead_actual == e.dead_actual);
}

// The tolerances are statistical: four standard deviations of a tensor of this size (those of scale
// and grid over total are 0.003 and 0.002, of SQNR 0.01 dB, of the shares of zeros 0.0004), and
// half a unit of the last digit of the figures, which are from long runs.
TEST_CASE("Gaussian blocks whose log2 sigma is uniform over one octave") {
  constexpr int blocks = 16384;
  std::vector<float> x = normal_numbers(1, blocks * block_size);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t block = i / block_size;
    x[i] *= static_cast<float>(std::exp2((static_cast<double>(block) + 0.5) / blocks));
  }
  const error_energy e = energy_of_blocks(x, scale_rule::rceil);
  const mx::energy_sums& s = e.sums;
  CHECK(s.scale / s.total == Approx(1.74).margin(0.02));
  CHECK(s.deadzone / s.total == Approx(0.020).margin(0.0007));
  CHECK(s.grid / s.total == Approx(0.73).margin(0.01));
  CHECK(s.clip == 0);
  CHECK(cosine(s.scale_grid, s.scale, s.grid) == Approx(-0.66).margin(0.007));
  CHECK(s.scale_deadzone == 0);
  CHECK(s.deadzone_grid == 0);
  CHECK(10 * std::log10(s.x_squared / s.total) == Approx(18.65).margin(0.03));
  CHECK(share(e.dead, e.elements) == Approx(0.078).margin(0.0015));
  CHECK(share(e.dead_actual, e.elements) == Approx(0.1115).margin(0.0015));
  CHECK(e.identity_violations == 0);
}

TEST_CASE("the share of the scale depends on where sigma lies in its octave") {
  constexpr int blocks = 4096, places = 16;
  const std::vector<float> x = normal_numbers(2, blocks * block_size);
  double least = 9, most = 0;
  for (int place = 0; place < places; ++place) {
    std::vector<float> scaled = x;
    for (float& value : scaled) value *= static_cast<float>(std::exp2(double{1} * place / places));
    const mx::energy_sums s = energy_of_blocks(scaled, scale_rule::rceil).sums;
    least = std::min(least, s.scale / s.total);
    most = std::max(most, s.scale / s.total);
  }
  CHECK(least == Approx(1.69).margin(0.02));
  CHECK(most == Approx(1.78).margin(0.02));
}

TEST_CASE("lanes_are_added_by_a_tree_of_halves") {
  double pairs_of_halves[mx::energy_lanes] = {1}, neighbours[mx::energy_lanes] = {1};
  pairs_of_halves[4] = pairs_of_halves[12] = 0x1p-53;  // together first, then to 1
  neighbours[7] = neighbours[8] = 0x1p-53;             // each to 1, and lost
  CHECK(mx::sum_of_lanes(pairs_of_halves) == 1 + 0x1p-52);
  CHECK(mx::sum_of_lanes(neighbours) == 1);
}
