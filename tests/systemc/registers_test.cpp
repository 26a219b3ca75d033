// SPDX-License-Identifier: Apache-2.0
// tests/systemc/registers_test.cpp: payloads and descriptors that a tensor core refuses, and their
// responses.
#include "bench.h"
#include "catch.h"
#include "rtl_models/systemc/pins.h"

namespace {

using namespace hardware;
using systemc::product_of, systemc::request;

tlm::tlm_response_status answer_to(tlm::tlm_generic_payload& payload) {
  tlm::tlm_response_status seen = tlm::TLM_INCOMPLETE_RESPONSE;
  systemc::bench& bench = systemc::the_bench();
  bench.initiator.run([&] {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bench.initiator.lt->b_transport(payload, delay);
    seen = payload.get_response_status();
  });
  return seen;
}

tlm::tlm_response_status answer_to(request requested) {
  tlm::tlm_generic_payload payload;
  requested.fill(payload);
  return answer_to(payload);
}

TEST_CASE("registers_hold_what_is_written_and_read_back_in_bursts") {
  systemc::the_bench().lt.reset();
  std::vector<std::uint64_t> words{11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  CHECK(answer_to(request{tlm::TLM_WRITE_COMMAND, 0, words}) == tlm::TLM_OK_RESPONSE);
  request back{tlm::TLM_READ_COMMAND, 0, std::vector<std::uint64_t>(engine_registers, 99)};
  tlm::tlm_generic_payload payload;
  back.fill(payload);
  CHECK(answer_to(payload) == tlm::TLM_OK_RESPONSE);
  words.resize(engine_registers, 0);  // doorbell, status, error, cycles, bytes
  CHECK(back.words == words);
}

TEST_CASE("payloads_of_a_wrong_shape_are_refused_with_the_reason") {
  const std::vector<std::uint64_t> word{1};
  const auto write = tlm::TLM_WRITE_COMMAND, read = tlm::TLM_READ_COMMAND;
  CHECK(answer_to(request{read, 4, word}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(answer_to(request{read, engine_registers * 8, word}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(answer_to(request{read, ~std::uint64_t{7}, word}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(answer_to(request{read, (engine_registers - 1) * 8, {1, 2}}) ==
        tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(answer_to(request{read, 0, {}}) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(answer_to(request{tlm::TLM_IGNORE_COMMAND, 0, word}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  for (const auto r : {engine_register::status, engine_register::error, engine_register::cycles,
                       engine_register::bytes}) {
    CHECK(answer_to(request{write, address_of(r), word}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(answer_to(request{read, address_of(r), word}) == tlm::TLM_OK_RESPONSE);
  }
}

TEST_CASE("byte_enables_streams_and_odd_lengths_are_refused") {
  request requested{tlm::TLM_READ_COMMAND, 0, {1, 2}};
  tlm::tlm_generic_payload payload;
  unsigned char enables[16] = {0xFF};
  requested.fill(payload);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(16);
  CHECK(answer_to(payload) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  requested.fill(payload);
  payload.set_streaming_width(8);
  CHECK(answer_to(payload) == tlm::TLM_BURST_ERROR_RESPONSE);
  requested.fill(payload);
  payload.set_data_length(12);
  CHECK(answer_to(payload) == tlm::TLM_BURST_ERROR_RESPONSE);
  requested.fill(payload);
  payload.set_data_ptr(nullptr);
  CHECK(answer_to(payload) == tlm::TLM_BURST_ERROR_RESPONSE);
}

/// The error for a descriptor modified by `change`.
template <class Change>
product_error error_of(const Change& change) {
  descriptor requested = product_of("blackwell.mxf4").requested;
  change(requested);
  return refusal_of(requested);
}

TEST_CASE("illegal_descriptors_are_refused") {
  constexpr auto alignment = product_error::alignment, shape = product_error::shape;
  CHECK(error_of([](descriptor&) {}) == product_error::none);
  CHECK(error_of([](descriptor& d) { d.model = 1 << 20; }) == product_error::model);
  CHECK(error_of([](descriptor& d) {
          d.model = static_cast<std::uint64_t>(model_number("ampere.mma.f16.f32"));
        }) == product_error::model);
  CHECK(error_of([](descriptor& d) { d.m = 0; }) == shape);
  CHECK(error_of([](descriptor& d) { d.n = 0; }) == shape);
  CHECK(error_of([](descriptor& d) { d.k = 0; }) == shape);
  CHECK(error_of([](descriptor& d) { d.k = 96; }) == shape);
  CHECK(error_of([](descriptor& d) { d.m = ~std::uint64_t{0}; }) == shape);
  CHECK(error_of([](descriptor& d) { d.m = std::uint64_t{1} << 63; }) == shape);
  CHECK(error_of([](descriptor& d) {
          d.m = d.n = 2;
          d.k = std::uint64_t{1} << 63;  // twice as much is 0 in 64 bits
        }) == shape);
  CHECK(error_of([](descriptor& d) { d.m = d.n = std::uint64_t{1} << 14; }) == shape);
  CHECK(error_of([](descriptor& d) { d.a += 16; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.b += 1; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.scale_a += 1; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.scale_b += 1; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.c += 2; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.d += 1; }) == alignment);
  CHECK(error_of([](descriptor& d) { d.c = descriptor::no_matrix; }) == product_error::none);
}

TEST_CASE("code_i_is_on_the_pins_from_its_width_times_i_on") {
  std::array<std::uint8_t, 20> codes{}, back{};
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 7 % 16);
  sc_dt::sc_bv<80> pin;
  write_pin<4>(codes, pin);
  for (int i = 0; i < 20; ++i) {
    CHECK(pin.range(4 * i + 3, 4 * i).to_uint() == codes[static_cast<std::size_t>(i)]);
  }
  read_pin<4>(pin, back);
  CHECK(back == codes);
}

}  // namespace
