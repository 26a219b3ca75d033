// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/descriptor.cpp: validates the products of a tensor core.
#include "rtl_models/systemc/descriptor.h"

#include <string_view>

#include "mx/dot/models.h"
#include "rtl_models/systemc/tile.h"

namespace hardware {
namespace {

bool fits(const mx::dot_model& model) {
  const bool bytes = model.a.width() <= 8 && model.b.width() <= 8 && model.scale.width() <= 8;
  return bytes && model.block > 0 && tile_shape::k % model.block == 0 &&
         model.sum.result == mx::formats::binary32;
}

/// Neither empty nor too large; the product of the sizes cannot overflow, as each is bounded first.
bool is_matrix(std::uint64_t lines, std::uint64_t length) {
  constexpr std::uint64_t largest = descriptor::largest_matrix;
  return lines > 0 && length > 0 && lines <= largest && length <= largest / lines;
}

bool is_aligned(const descriptor& requested) {
  const bool codes = (requested.a | requested.b) % 32 == 0;
  const bool scales = (requested.scale_a | requested.scale_b) % 2 == 0;
  const bool c = requested.c == descriptor::no_matrix || requested.c % 4 == 0;
  return codes && scales && c && requested.d % 4 == 0;
}

}  // namespace

product_error refusal_of(const descriptor& requested) {
  const bool known = requested.model < mx::model_table.size();
  if (!known || !fits(mx::model_table[requested.model].model)) return product_error::model;
  const bool shape = is_matrix(requested.m, requested.k) && is_matrix(requested.n, requested.k) &&
                     is_matrix(requested.m, requested.n) && requested.k % tile_shape::k == 0;
  if (!shape) return product_error::shape;
  return is_aligned(requested) ? product_error::none : product_error::alignment;
}

const mx::dot_model& model_of(const descriptor& requested) {
  return mx::model_table[requested.model].model;
}

int model_number(const char* name) {
  for (std::size_t i = 0; i < mx::model_table.size(); ++i) {
    if (mx::model_table[i].name == std::string_view(name)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace hardware
