// SPDX-License-Identifier: Apache-2.0
// kernels/record/word_kernels.h: a word of a dot product by an instruction, chained along k: a
// warp, or four, a block; the other rows and columns of the instruction are zero.
#pragma once
#include "wgmma_instructions.h"
#include "word_codes.h"

namespace mx::kernels {

inline constexpr int mma_word_threads = 32;

template <class Instruction>
__global__ void __launch_bounds__(threads_if(Instruction::has_code, mma_word_threads))
    mma_word_kernel(device_words words) {
  constexpr instruction_shape shape = Instruction::shape;
  const int lane = static_cast<int>(threadIdx.x), begin = words.begin[blockIdx.x];
  const int k_end = words.begin[blockIdx.x + 1] - begin;
  fragment<4> d{};
  if (lane == 0) d.word[0] = words.c[blockIdx.x];
  for (int k = 0; k < k_end; k += shape.k) {
    step_scales scales;
    if constexpr (shape.block > 0) {
      const int from = words.scale_begin[blockIdx.x];
      const int count = words.scale_begin[blockIdx.x + 1] - from;
      constexpr int wanted = shape.k / shape.block;
      constexpr std::uint32_t one = scale_of_one(shape.block);
      scales = {scales_from(words.scale_a + from, count, k / shape.block, wanted, one),
                scales_from(words.scale_b + from, count, k / shape.block, wanted, one)};
    }
    Instruction::run(d, row_fragment(words.a + begin, k_end, k, shape.a, lane),
                     column_fragment(words.b + begin, k_end, k, shape.b, lane), scales);
  }
  if (lane == 0) words.d[blockIdx.x] = d.word[0];
}

template <class Instruction>
__global__ void __launch_bounds__(threads_if(Instruction::has_code, wgmma_word_threads))
    wgmma_word_kernel(device_words words) {
  constexpr instruction_shape shape = Instruction::shape;
  __shared__ alignas(128) std::uint32_t tile[wgmma_tile_bytes / 4];
  const int thread = static_cast<int>(threadIdx.x), begin = words.begin[blockIdx.x];
  const int k_end = words.begin[blockIdx.x + 1] - begin;
  constexpr int words_a_tile = wgmma_tile_bytes / 4, elements = shape.b.count();
  fragment<4> d{};
  if (thread == 0) d.word[0] = words.c[blockIdx.x];
  for (int k = 0; k < k_end; k += shape.k) {
    // Column 0 has the first four words of each core matrix; the instruction takes 32 bytes
    // along k.
    for (int w = thread; w < words_a_tile; w += wgmma_word_threads) {
      const int core = w / (core_matrix_bytes / 4), within = w % (core_matrix_bytes / 4);
      const int at = k + (core * 4 + within) * elements;
      tile[w] = within < 4 ? packed_from(words.b + begin, k_end, at, shape.b) : 0;
    }
    wgmma_order::shared_is_written();
    __syncthreads();
    const int lane = thread < 32 ? thread : 31;  // lane 31 holds no element of row 0
    const fragment<4> a = row_fragment(words.a + begin, k_end, k, shape.a, lane);
    wgmma_order::begin();
    Instruction::run(d, a,
                     tile_descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(tile))));
    wgmma_order::end();
    __syncthreads();
  }
  if (thread == 0) words.d[blockIdx.x] = d.word[0];
}

}  // namespace mx::kernels
