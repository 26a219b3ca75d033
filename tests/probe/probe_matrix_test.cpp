// SPDX-License-Identifier: Apache-2.0
// tests/probe/probe_matrix_test.cpp: the probe of a format distinguishes every two known recipes
// that differ on any input; indistinguishable ones are listed.
#include <tbb/parallel_for.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "catch.h"
#include "golden/validator/tensor/probe_block.h"
#include "mx/number/philox.h"
#include "probe_case.h"

namespace golden::probe {
namespace {

using validator::hypothesis;
using validator::subject;

/// Random numbers of a type: blocks of far and near exponents, some of few bits.
std::vector<std::uint8_t> drawn_bytes(mx::number_type type, std::uint64_t count) {
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto w = mx::philox(17, {{static_cast<std::uint32_t>(k), 0, 0, 0}});
    const auto near = mx::philox(18, {{static_cast<std::uint32_t>(k / 64), 0, 0, 0}}).word[0];
    const std::uint32_t mask = w.word[1] % 3 == 0 ? 0x7F0000U : 0x7FFFFFU;
    std::uint32_t bits = (w.word[0] & 0x80000000U) | (w.word[2] & mask);
    bits |= (near % 4 == 0 ? near % 255 : 121 + w.word[3] % 9) << 23;
    if (type == mx::number_type::bf16) bits >>= 16;
    if (type == mx::number_type::fp16) {
      bits = mx::encode(mx::formats::binary16, mx::unpack(mx::float_of(bits)),
                        mx::rounding::toward_zero, mx::overflow::saturate);
    }
    for (std::uint64_t b = 0; b < mx::bytes_of(type); ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
  return bytes;
}

/// Whether random numbers distinguish two recipes.
bool told_by_chance(const hypothesis& a, const hypothesis& b, mx::number_type type) {
  static const std::vector<std::uint8_t> bytes[] = {drawn_bytes(mx::number_type::fp32, 1 << 16),
                                                    drawn_bytes(mx::number_type::fp16, 1 << 16),
                                                    drawn_bytes(mx::number_type::bf16, 1 << 16)};
  subject s;
  s.type = type;
  s.shape = {64, 1024};
  s.values = bytes[static_cast<int>(type)];
  validator::extent_memory extents;
  const validator::prediction of_a(a, s, extents), of_b(b, s, extents);
  for (std::uint64_t k = 0; k < of_a.where().blocks(); ++k) {
    if (!same_on(of_a, of_b, k)) return true;
  }
  return false;
}

/// Whether one of the validator's own candidates does, as far as the type can hold it.
bool told_by_candidates(const hypothesis& a, const hypothesis& b, mx::number_type type) {
  const auto probe = telling(a, b, mx::number_type::fp32);
  if (!probe) return false;
  return std::all_of(probe->input.values.begin(), probe->input.values.end(),
                     [type](float x) { return holds(type, x); });
}

/// No input distinguishes a pair of recipes of blocks that the probe does not distinguish.
void check_groups(const probe& p, mx::number_type type) {
  struct pair {
    const known_recipe *a, *b;
  };
  std::vector<pair> pairs;
  for (const std::vector<std::size_t>& group : p.groups) {
    for (const std::size_t k : group) {
      const known_recipe &a = p.recipes[group.front()], &b = p.recipes[k];
      const bool blocks = a.by == decided_by::block && b.by == decided_by::block;
      if (k != group.front() && blocks) pairs.push_back({&a, &b});
    }
  }
  std::vector<char> told(pairs.size(), 0);
  tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t k) {
    const hypothesis &a = pairs[k].a->rules, &b = pairs[k].b->rules;
    told[k] = told_by_chance(a, b, type) || told_by_candidates(a, b, type) ? 1 : 0;
  });
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    INFO(pairs[k].a->name << " and " << pairs[k].b->name);
    CHECK(told[k] == 0);
  }
}

void print_groups(const probe& p) {
  for (const std::vector<std::size_t>& group : p.groups) {
    if (group.size() < 2) continue;
    std::printf("   ");
    for (const std::size_t k : group) {
      std::printf("%s%s", k == group.front() ? "" : " = ", p.recipes[k].name.c_str());
    }
    std::printf("\n");
  }
}

/// Presets of one group, by names.
std::vector<std::string> equal_presets(const probe& p) {
  std::vector<std::string> list;
  for (const std::vector<std::size_t>& group : p.groups) {
    std::string names;
    for (const std::size_t k : group) {
      const mx::variant_entry* v = p.recipes[k].rules.variant();
      if (v == nullptr || names.find(v->about.name) != std::string::npos) continue;
      names += (names.empty() ? "" : " = ") + std::string(v->about.name);
    }
    if (names.find(" = ") != std::string::npos) list.push_back(names);
  }
  return list;
}

struct format_case {
  const char* name;
  mx::block_format format;
  std::size_t most_blocks;
};

const format_case cases[] = {{"mxfp4", mx::block_formats::mxfp4, 51},
                             {"mxfp6-e2m3", mx::block_formats::mxfp6_e2m3, 51},
                             {"mxfp6-e3m2", mx::block_formats::mxfp6_e3m2, 51},
                             {"mxfp8-e4m3", mx::block_formats::mxfp8_e4m3, 51},
                             {"mxfp8-e5m2", mx::block_formats::mxfp8_e5m2, 51},
                             {"mxint8", mx::block_formats::mxint8, 51},
                             {"nvfp4", mx::block_formats::nvfp4, 73}};

TEST_CASE("the probe of a format tells apart what any input that was tried tells apart") {
  for (const format_case& c : cases) {
    for (const auto type : {mx::number_type::fp32, mx::number_type::fp16, mx::number_type::bf16}) {
      const probe p = make_probe({c.format, type});
      std::printf("%s, type %d: %zu recipes, %zu outputs, %d blocks\n", c.name,
                  static_cast<int>(type), p.recipes.size(), p.groups.size(),
                  static_cast<int>(p.blocks()));
      print_groups(p);
      INFO(c.name << " type " << static_cast<int>(type));
      CHECK(p.blocks() <= c.most_blocks);
      check_groups(p, type);
    }
  }
}

TEST_CASE("presets are told apart in FP32 but where their arithmetic is one") {
  using names = std::vector<std::string>;
  // Quark's Triton kernels are a copy of Triton's first ones.
  CHECK(equal_presets(make_probe({mx::block_formats::mxfp4})) ==
        names{"triton.v0.up = quark.up", "triton.v0.down = quark.down"});
  CHECK(equal_presets(make_probe({mx::block_formats::mxfp8_e4m3})).empty());
  CHECK(equal_presets(make_probe({mx::block_formats::mxint8})).empty());
  // torchao's training reference follows Transformer Engine; TensorRT-LLM's kernel is flashinfer's.
  CHECK(equal_presets(make_probe({mx::block_formats::nvfp4})) ==
        names{"te.nvfp4 = torchao.nvfp4-training", "flashinfer.nvfp4-fast = trtllm.nvfp4"});
}

TEST_CASE("BF16 does not express what needs more bits or smaller ones, and the probe says which") {
  const auto lost = equal_presets(make_probe({mx::block_formats::mxfp4, mx::number_type::bf16}));
  // 3 ULP of FP32 above a tie; Inf and NaN bytes of floor under cut and rounded amax.
  CHECK(lost.size() > 2);
  const auto has = [&](const char* pair) {
    return std::find(lost.begin(), lost.end(), pair) != lost.end();
  };
  CHECK(has("triton.v1.up = triton.v2.up"));
}

TEST_CASE("a shape that is asked for holds the telling blocks among ordinary ones") {
  const probe p = make_probe({mx::block_formats::mxfp4, mx::number_type::fp32, 128, 256});
  CHECK(p.tensors.front().shape == std::vector<std::uint64_t>{128, 256});
  CHECK(p.tensors.front().blocks == 1024);
  const probe small = make_probe({mx::block_formats::mxfp4});
  // The largest and the smallest shape distinguish the same recipes of blocks.
  CHECK(equal_presets(p) == equal_presets(small));
  CHECK_THROWS_AS(make_probe({mx::block_formats::mxfp4, mx::number_type::fp32, 2, 64}),
                  std::invalid_argument);
}

TEST_CASE("rows that are cut off hold no telling block") {
  const probe p = make_probe({mx::block_formats::nvfp4, mx::number_type::fp32, 7, 250});
  CHECK(p.tensors.front().shape == std::vector<std::uint64_t>{7, 250});
  CHECK(equal_presets(p) == equal_presets(make_probe({mx::block_formats::nvfp4})));
}

}  // namespace
}  // namespace golden::probe
