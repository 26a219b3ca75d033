// SPDX-License-Identifier: Apache-2.0
// sim/cli/large_blocks.cpp: operator new of a program that holds whole tensors. A block of 4 MiB or
// more is mapped anew each time, and 4 KiB pages would cost a page fault for every 1,024 numbers: a
// quarter of a training step at width 896. In huge pages, where the system has them, it costs one
// in 500 of these. Linked into programs alone: a library leaves its caller's allocator as it is.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "sim/train/available_memory.h"

namespace {

/// Of a huge page on x86-64, and on aarch64 with pages of 4 KiB.
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Only whole huge pages are asked for, so that a block takes no more memory than its bytes.
void use_huge_pages(void* block, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + bytes) / huge_page * huge_page;
  // A system without huge pages refuses; the block is as good.
  static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    void* block = std::malloc(bytes > 0 ? bytes : 1);
    if (block != nullptr && bytes >= sim::least_mapped_block) use_huge_pages(block, bytes);
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
