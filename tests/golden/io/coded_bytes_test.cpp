// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/coded_bytes_test.cpp: codes and scales in place: in blocks of GGUF, in runs.
#include <numeric>

#include "checkpoint_file.h"
#include "mx/presets/gguf_block.h"

namespace test {
namespace {

/// Blocks as the emulator packs them.
std::vector<std::uint8_t> packed_blocks(const mx::gguf_block& f,
                                        const std::vector<std::uint8_t>& codes,
                                        const std::vector<std::uint8_t>& scales) {
  const auto elements = static_cast<std::size_t>(f.elements);
  std::vector<std::uint8_t> bytes(f.row_bytes(codes.size()));
  for (std::size_t i = 0; i < codes.size() / elements; ++i) {
    mx::pack(f, scales.data() + i * static_cast<std::size_t>(f.scales()),
             codes.data() + i * elements, bytes.data() + i * static_cast<std::size_t>(f.bytes()));
  }
  return bytes;
}

TEST_CASE("blocks_of_gguf_are_codes_in_split_halves_and_scales") {
  for (const auto& [type, f, format] :
       {std::tuple{dtype::mxfp4_blocks, mx::gguf_blocks::mxfp4(), "mxfp4"},
        std::tuple{dtype::nvfp4_blocks, mx::gguf_blocks::nvfp4(), "nvfp4"}}) {
    std::vector<std::uint8_t> codes(3 * 128), scales(codes.size() / std::size_t(f.sub_block));
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = (i * 7 + i / 16) % 16;
    std::iota(scales.begin(), scales.end(), std::uint8_t{100});
    const std::vector<std::uint8_t> blocks = packed_blocks(f, codes, scales);
    const coded_view view = only_view(file_of(
        {{"b.weight", type, {3, 128}, blocks, "f"}, tensor_of("b.scale", dtype::f32, {1})}));
    CHECK(view.name == "b.weight");
    CHECK(view.convention == convention::gguf);
    CHECK(view.format == format);
    CHECK(view.shape == shape{3, 128});
    CHECK(view.block == static_cast<std::uint64_t>(f.sub_block));
    CHECK(view.order == code_order::split_half);
    CHECK(all_of(view.scales) == scales);
    std::vector<std::uint8_t> packed(codes.size() / 2);
    mx::pack_nibbles(f.packing(), codes.data(), codes.size(), packed.data());
    CHECK(all_of(view.codes) == packed);
    CHECK(view.use ==
          (type == dtype::nvfp4_blocks ? tensor_scale_use::multiplies : tensor_scale_use::none));
  }
}

TEST_CASE("runs_are_copied_from_any_byte_to_any_byte") {
  const byte_view bytes = any_bytes(170);
  const auto runs = golden::io::byte_runs::of(bytes, 17, 1, 16);
  REQUIRE(runs.size == 160);
  CHECK(!runs.is_contiguous());
  for (std::uint64_t begin = 0; begin < 160; ++begin) {
    for (std::uint64_t count = 0; begin + count <= 160; count += 7) {
      std::vector<std::uint8_t> found(count);
      runs.copy(begin, count, found.data());
      for (std::uint64_t i = 0; i < count; ++i) {
        REQUIRE(found[i] == bytes[(begin + i) / 16 * 17 + 1 + (begin + i) % 16]);
      }
    }
  }
  CHECK(golden::io::byte_runs::of(bytes).is_contiguous());
  CHECK(golden::io::byte_runs::of({}).view().empty());
}

}  // namespace
}  // namespace test
