// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/dma.cpp: copies memory.
#include "rtl_models/soc/dma.h"

#include <cstring>

namespace hardware {
namespace {

constexpr std::size_t index_of(dma_register r) { return static_cast<std::size_t>(r); }

}  // namespace

dma::dma(const sc_core::sc_module_name& name, const sc_core::sc_time& access)
    : sc_module(name), access_(access) {
  target.register_b_transport(this, &dma::b_transport);
  memory.register_invalidate_direct_mem_ptr(this, &dma::forget);
}

void dma::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const bool over = sc_core::sc_time_stamp() + delay >= finish_;
  values_[index_of(dma_register::status)] =
      static_cast<std::uint64_t>(over ? outcome_ : engine_status::busy);
  const register_access access =
      access_of(payload, {registers, static_cast<int>(dma_register::doorbell)});
  payload.set_response_status(access.refusal);
  if (access.refusal != tlm::TLM_OK_RESPONSE) return;
  auto* first = values_.data() + access.first;
  const std::size_t size = payload.get_data_length();
  if (payload.is_write()) {
    std::memcpy(first, payload.get_data_ptr(), size);
  } else {
    std::memcpy(payload.get_data_ptr(), first, size);
  }
  values_[index_of(dma_register::doorbell)] = 0;
  if (access.rings && !(over && copy(delay))) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  delay += static_cast<double>(access.count) * access_;
}

bool dma::copy(sc_core::sc_time& delay) {
  // Software may write the next copy's registers while memory waits.
  const std::uint64_t from = values_[index_of(dma_register::from)];
  const std::uint64_t to = values_[index_of(dma_register::to)];
  const std::uint64_t size = values_[index_of(dma_register::size)];
  if (size == 0 || size > largest) return false;
  std::vector<std::uint8_t> buffer(size);
  const sc_core::sc_time rung = sc_core::sc_time_stamp() + delay;
  finish_ = sc_core::sc_max_time();  // unknown until all data is moved
  port_.delay = delay;
  const bool moved = port_.read(from, buffer) && port_.write(to, buffer);
  outcome_ = moved ? engine_status::done : engine_status::failed;
  if (moved) bytes += size;
  finish_ = sc_core::sc_time_stamp() + port_.delay;
  delay = time_until(rung);
  return true;
}

}  // namespace hardware
