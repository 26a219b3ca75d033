// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_random_calls_test.cpp: the C ABI with drawn formats, options, shapes and
// sizes. What makes sense has the core's bits, block by block; what does not is refused, with a
// message, and writes nothing. MX_RANDOM_CALLS: how many of each (default 20,000).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "coded_by_library.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/names.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "mx/spelling.h"
#include "mx/tensor/blocks.h"

namespace {

using library::bytes;
using library::floats;

int rounds() {
  const char* asked = std::getenv("MX_RANDOM_CALLS");
  return asked == nullptr ? 20000 : std::atoi(asked);
}

class drawn_numbers {
 public:
  explicit drawn_numbers(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }
  std::uint64_t word() { return random_(); }

  /// Any pattern, or a number near others.
  floats numbers(std::size_t count) {
    const bool wild = one_in(8);
    floats x(count);
    for (float& v : x) {
      const auto bits = static_cast<std::uint32_t>(word());
      v = mx::float_of(wild ? bits : (bits & 0x80FFFFFFU) | (118 + bits / 64 % 16) << 23);
      if (one_in(20)) v = 0;
    }
    return x;
  }

 private:
  std::mt19937_64 random_;
};

struct drawn_format {
  mx::quantization q;
  std::string name, options;
};

drawn_format format_of(drawn_numbers& draw) {
  constexpr std::array elements{mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2,
                                mx::formats::e4m3, mx::formats::e5m2, mx::formats::int8};
  constexpr std::array scales{mx::formats::e8m0, mx::formats::ue4m3, mx::formats::ue5m3};
  mx::quantization q{mx::block_formats::mxfp4};
  q.format.element = draw.of(elements);
  q.format.scale = draw.of(scales);
  q.format.columns =
      static_cast<int>(1 + draw.below(draw.one_in(4) ? 70 : 16) * (draw.one_in(2) ? 1 : 2));
  if (draw.one_in(3)) q.format.tensor = mx::tensor_scaling::per_tensor;
  const auto& rule = draw.of(mx::scale_rule_table);
  const auto& rounding = draw.of(mx::rounding_table);
  const auto& map = draw.of(mx::byte_map_table);
  q.rule = rule.value;
  q.rounding = rounding.value;
  q.random = {draw.word(), static_cast<int>(1 + draw.below(24)), map.value};
  drawn_format f{q, mx::spelling_of(q.format), ""};
  f.options = "scale-rule=" + std::string(rule.name) + " rounding=" + std::string(rounding.name) +
              " seed=" + std::to_string(q.random.seed) +
              " random-bits=" + std::to_string(q.random.bits);
  if (q.random.bits <= 8) f.options += " byte-map=" + std::string(map.name);
  return f;
}

struct made_format {
  library::format_handle handle{nullptr, mx_format_destroy};
  mx_status status = mx_status_internal;
  std::uint64_t message = 0;
};

made_format create(const std::string& name, const std::string& options) {
  mx_format* made = nullptr;
  mx_error error{nullptr, 0, 0};
  made_format result;
  result.status = mx_format_create(name.c_str(), options.c_str(), &made, &error);
  result.handle.reset(made);
  result.message = error.length;
  return result;
}

/// Rows of blocks by the core, one block at a time: codes, one a byte, and scale codes.
struct core_rows {
  std::vector<std::uint32_t> codes, scales;

  core_rows(const mx::quantization& q, const floats& x, std::uint64_t rows, std::uint64_t length,
            float tensor_scale) {
    const auto columns = static_cast<std::uint64_t>(q.format.columns);
    std::uint64_t number = 0;
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t at = 0; at < length; at += columns, ++number) {
        floats block(columns, 0.0F);
        const std::uint64_t count = std::min(columns, length - at);
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(row * length + at), count,
                    block.begin());
        bytes out(columns);
        scales.push_back(
            mx::quantize_block(q, block.data(), mx::unpack(tensor_scale), number, out.data()).code);
        codes.insert(codes.end(), out.begin(), out.end());
      }
    }
  }
};

std::vector<std::uint32_t> unpacked(const bytes& stored, std::uint64_t rows,
                                    std::uint64_t bytes_a_row, std::uint64_t count, bool pairs) {
  std::vector<std::uint32_t> codes;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint8_t byte = stored[row * bytes_a_row + (pairs ? k / 2 : k)];
      codes.push_back(pairs ? byte >> (k % 2 * 4) & 15 : byte);
    }
  }
  return codes;
}

TEST_CASE("drawn_tensors_have_the_bits_of_the_core_and_formats_its_refusals") {
  drawn_numbers draw(1);
  int made = 0;
  for (int round = 0; round < rounds(); ++round) {
    const drawn_format f = format_of(draw);
    INFO(f.name << " " << f.options);
    const made_format of = create(f.name, f.options);
    const bool makes_sense = mx::refusal_of(f.q) == mx::refusal::none;
    REQUIRE((of.status == mx_status_ok) == makes_sense);
    REQUIRE((of.message == 0) == makes_sense);
    if (!makes_sense) continue;
    ++made;
    const std::uint64_t rows = draw.below(5), length = draw.below(90);
    const floats x = draw.numbers(rows * length);
    const library::there_and_back got = library::through(of.handle.get(), {rows, length}, 1, x);
    REQUIRE(got.quantized == mx_status_ok);
    REQUIRE(got.dequantized == mx_status_ok);
    if (rows * length == 0) continue;
    float tensor_scale = 1;
    if (f.q.format.has_tensor_scale()) {
      std::memcpy(&tensor_scale, got.codes.arrays[2].data(), sizeof tensor_scale);
    }
    const core_rows core(f.q, x, rows, length, tensor_scale);
    const std::uint64_t padded = core.codes.size() / rows;
    const bool pairs = f.q.format.element.width() == 4;
    CHECK(unpacked(got.codes.arrays[0], rows, got.codes.arrays[0].size() / rows, padded, pairs) ==
          core.codes);
    const std::uint64_t wide = got.codes.arrays[1].size() / core.scales.size();
    REQUIRE(wide == 1);
    CHECK(std::equal(core.scales.begin(), core.scales.end(), got.codes.arrays[1].begin(),
                     [](std::uint32_t a, std::uint8_t b) { return a == b; }));
  }
  CHECK(made > rounds() / 20);
}

/// A call of quantize or dequantize, of which anything may be wrong.
struct tensor_call {
  library::format_handle format{nullptr, mx_format_destroy};
  std::vector<std::uint64_t> extents;
  mx_shape shape{};
  floats x;
  mx_numbers numbers{};
  std::array<bytes, 8> arrays;
  mx_coded coded{};
  std::vector<std::uint8_t> text;
  mx_error error{};

  [[nodiscard]] std::array<mx_buffer*, 8> buffers() {
    return {&coded.codes,           &coded.scales,
            &coded.tensor_scales,   &coded.tensor_amax,
            &coded.macro_fractions, &coded.residual_codes,
            &coded.residual_scales, &coded.residual_macro_fractions};
  }
};

void make_valid(drawn_numbers& draw, tensor_call& call) {
  constexpr std::array names{"mxfp4",           "nvfp4",        "mxfp8-e4m3",  "nvfp4-2d",
                             "mxfp4+mbs=128,8", "mxfp4+of=0.5", "e2m1:e8m3:7", "e2m1:ue4m3:16:row"};
  call.format = std::move(create(draw.of(names), "").handle);
  REQUIRE(call.format != nullptr);
  for (std::uint64_t d = 0; d < 2 + draw.below(2); ++d) call.extents.push_back(draw.below(20));
  call.shape = {call.extents.data(), static_cast<std::uint32_t>(call.extents.size()), -1};
  std::uint64_t count = 1;
  for (const std::uint64_t e : call.extents) count *= e;
  call.x = draw.numbers(count);
  call.numbers = {call.x.data(), count * sizeof(float), mx_number_fp32};
  call.coded.struct_size = sizeof call.coded;
  REQUIRE(mx_coded_sizes(call.format.get(), &call.shape, &call.coded, nullptr) == mx_status_ok);
  const auto buffers = call.buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    call.arrays[i].assign(buffers[i]->bytes, 0xA5);
    buffers[i]->data = call.arrays[i].data();
  }
  call.text.assign(1 + draw.below(300), 0xA5);
  call.error = {reinterpret_cast<char*>(call.text.data()), call.text.size(), 0};
}

/// Makes one thing wrong, for certain.
void spoil(drawn_numbers& draw, tensor_call& call) {
  const auto filled = [&]() -> mx_buffer& {
    std::vector<mx_buffer*> all;
    for (mx_buffer* b : call.buffers()) {
      if (b->bytes > 0) all.push_back(b);
    }
    return all.empty() ? call.coded.codes : *draw.of(all);
  };
  switch (draw.below(10)) {
    case 0:
      call.shape.axis = draw.one_in(2) ? static_cast<int>(call.shape.dimensions)
                                       : -1 - static_cast<int>(call.shape.dimensions);
      break;
    case 1:
      call.shape.extents = nullptr;
      break;
    case 2:
      call.numbers.bytes += draw.one_in(2) ? 1 : std::numeric_limits<std::uint64_t>::max();
      break;
    case 3:
      call.numbers.type = draw.one_in(2) ? 3 : -1;
      break;
    case 4:
      call.coded.struct_size = draw.below(8);
      break;
    case 5:
      filled().bytes += 1;
      break;
    case 6: {
      mx_buffer& b = filled();
      b.bytes -= b.bytes > 0 ? 1 : std::numeric_limits<std::uint64_t>::max();
      break;
    }
    case 7: {
      mx_buffer& b = filled();
      if (b.bytes == 0) b.bytes = 4;
      b.data = nullptr;
      break;
    }
    case 8:
      for (std::uint64_t& extent : call.extents) extent = std::uint64_t{1} << (40 + draw.below(24));
      break;
    default:
      call.shape.dimensions = 100'000;
      call.extents.assign(100'000, 1);
      call.shape.extents = call.extents.data();
      call.extents.back() = 3;
      call.numbers.bytes = 13;
  }
}

TEST_CASE("calls_with_one_thing_wrong_are_refused_and_write_nothing") {
  drawn_numbers draw(2);
  for (int round = 0; round < rounds(); ++round) {
    tensor_call call;
    make_valid(draw, call);
    spoil(draw, call);
    std::uint64_t special = 77;
    const mx_status status = mx_tensor_quantize(call.format.get(), &call.shape, &call.numbers,
                                                &call.coded, &special, &call.error);
    INFO("round " << round << ", " << mx_format_spelling(call.format.get()) << ": "
                  << mx_status_name(status));
    CHECK((status == mx_status_bad_argument || status == mx_status_unsupported ||
           status == mx_status_no_memory));
    CHECK(special == 77);
    for (const bytes& array : call.arrays) {
      CHECK(std::ranges::all_of(array, [](std::uint8_t b) { return b == 0xA5; }));
    }
    CHECK(call.error.length > 0);
    CHECK(std::ranges::find(call.text, std::uint8_t{0}) != call.text.end());
  }
}

/// Codes and scales of drawn words under a model.
template <class Code>
void expect_words(drawn_numbers& draw, const mx::named_model& named) {
  const mx::dot_model& model = named.model;
  const auto codes_of = [&](const mx::format& f, std::size_t count) {
    std::vector<Code> codes(count);
    const int width = f.width() + model.unread_bits;
    for (Code& code : codes) {
      code = static_cast<Code>(width >= 64 ? draw.word() : draw.word() & ((1ULL << width) - 1));
    }
    return codes;
  };
  const std::uint64_t count = draw.below(5), k = 1 + draw.below(100);
  const std::uint64_t block = static_cast<std::uint64_t>(model.block),
                      blocks = block > 0 ? (k + block - 1) / block : 0;
  const auto scales_of = [&] {
    bytes scales(count * blocks);
    const int width = std::min(8, model.scale.width());
    for (std::uint8_t& s : scales) s = static_cast<std::uint8_t>(draw.word() & ((1U << width) - 1));
    return scales;
  };
  std::vector<Code> a = codes_of(model.a, count * k), b = codes_of(model.b, count * k);
  bytes scale_a = scales_of(), scale_b = scales_of();
  std::vector<std::uint32_t> c(count), d(count);
  const int result = model.sum.result.width();
  for (std::uint32_t& word : c) {
    word = static_cast<std::uint32_t>(draw.word()) & (result == 32 ? ~0U : (1U << result) - 1);
  }
  const auto buffer = [](auto& array) {
    return mx_buffer{array.data(), array.size() * sizeof(array[0])};
  };
  const mx_words words{sizeof(mx_words), count,           k,         buffer(a), buffer(b),
                       buffer(scale_a),  buffer(scale_b), buffer(c), buffer(d)};
  const auto handle = library::model(std::string(named.name));
  REQUIRE(mx_model_dot(handle.get(), &words, nullptr) == mx_status_ok);
  for (std::uint64_t v = 0; v < count; ++v) {
    const std::uint8_t* sa = blocks > 0 ? scale_a.data() + v * blocks : nullptr;
    const std::uint8_t* sb = blocks > 0 ? scale_b.data() + v * blocks : nullptr;
    CHECK(d[v] ==
          mx::dot(model, a.data() + v * k, b.data() + v * k, static_cast<int>(k), c[v], sa, sb));
  }
}

TEST_CASE("drawn_words_have_the_bits_of_the_core_under_every_model_with_operands") {
  drawn_numbers draw(3);
  std::vector<const mx::named_model*> models;
  for (const mx::named_model& m : mx::model_table) {
    if (m.operands == mx::operands::of_model) models.push_back(&m);
  }
  REQUIRE(models.size() > 20);
  for (int round = 0; round < rounds(); ++round) {
    const mx::named_model& named = *draw.of(models);
    INFO(std::string(named.name) << ", round " << round);
    mx_model_facts facts{};
    facts.struct_size = sizeof facts;
    REQUIRE(mx_model_describe(library::model(std::string(named.name)).get(), &facts, nullptr) ==
            mx_status_ok);
    switch (facts.a_code_bytes) {
      case 1:
        expect_words<std::uint8_t>(draw, named);
        break;
      case 2:
        expect_words<std::uint16_t>(draw, named);
        break;
      default:
        expect_words<std::uint32_t>(draw, named);
    }
  }
}

}  // namespace
