// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/product_job.cpp: a product from memory to memory.
#include "rtl_models/systemc/product_job.h"

#include <bit>

#include "rtl_models/systemc/functional_core.h"

namespace hardware {
namespace {

static_assert(std::endian::native == std::endian::little,
              "words of C and D lie as memory has them");

std::uint64_t line_bytes(const mx::format& f, std::uint64_t k) {
  return f.width() == 4 ? k / 2 : k;
}

mx::gemm_operand operand_of(const mx::format& f, std::uint64_t k,
                            const std::vector<std::uint8_t>& codes,
                            const std::vector<std::uint8_t>& scales) {
  const auto storage = f.width() == 4 ? mx::code_storage::pairs : mx::code_storage::bytes;
  return {codes.data(), storage, static_cast<std::int64_t>(line_bytes(f, k)), scales.data()};
}

template <class Element>
std::span<std::uint8_t> bytes_of(std::vector<Element>& whole) {
  return {reinterpret_cast<std::uint8_t*>(whole.data()), whole.size() * sizeof(Element)};
}

}  // namespace

bool product_job::read(memory_port& memory, std::uint64_t address, std::span<std::uint8_t> to) {
  if (!memory.read(address, to)) return false;
  moved_ += to.size();
  return true;
}

bool product_job::fetch(memory_port& memory) {
  const auto read_all = [&](std::uint64_t address, std::uint64_t size,
                            std::vector<std::uint8_t>& to) {
    to.resize(size);
    return read(memory, address, to);
  };
  const mx::dot_model& model = model_of(requested_);
  const std::uint64_t blocks = requested_.k / static_cast<std::uint64_t>(model.block);
  const bool operands =
      read_all(requested_.a, requested_.m * line_bytes(model.a, requested_.k), a_) &&
      read_all(requested_.b, requested_.n * line_bytes(model.b, requested_.k), b_) &&
      read_all(requested_.scale_a, requested_.m * blocks, scale_a_) &&
      read_all(requested_.scale_b, requested_.n * blocks, scale_b_);
  if (!operands || requested_.c == descriptor::no_matrix) return operands;
  c_.resize(requested_.m * requested_.n);
  return read(memory, requested_.c, bytes_of(c_));
}

void product_job::compute() {
  const mx::dot_model& model = model_of(requested_);
  d_.resize(requested_.m * requested_.n);
  const mx::gemm_shape shape{static_cast<std::int64_t>(requested_.m),
                             static_cast<std::int64_t>(requested_.n),
                             static_cast<std::int64_t>(requested_.k)};
  functional_core(model).multiply(shape, operand_of(model.a, requested_.k, a_, scale_a_),
                                  operand_of(model.b, requested_.k, b_, scale_b_),
                                  c_.empty() ? nullptr : c_.data(), d_.data());
}

bool product_job::store(memory_port& memory) {
  if (!memory.write(requested_.d, bytes_of(d_))) return false;
  moved_ += d_.size() * sizeof(d_[0]);
  return true;
}

}  // namespace hardware
