// SPDX-License-Identifier: Apache-2.0
// tests/systemc/tensor_core_lt_test.cpp: products through the loosely timed tensor core.

#include "bench.h"
#include "catch.h"

// Requires the headers of SystemC before it.
#include <tlm_utils/tlm_quantumkeeper.h>

namespace {

using namespace hardware;
using sc_core::sc_time, sc_core::SC_NS;
using systemc::d_in, systemc::product_case, systemc::product_of, systemc::request,
    systemc::words_of;

systemc::bench& fresh_bench(const product_case& of) {
  systemc::bench& bench = systemc::the_bench();
  bench.lt.reset();
  std::fill(bench.memory_lt.bytes.begin(), bench.memory_lt.bytes.end(), 0xEE);
  std::copy(of.operands.begin(), of.operands.end(), bench.memory_lt.bytes.begin());
  return bench;
}

/// In a thread of SystemC: sends, and returns the response.
tlm::tlm_response_status send(request& requested, sc_time& delay) {
  tlm::tlm_generic_payload payload;
  requested.fill(payload);
  systemc::the_bench().initiator.lt->b_transport(payload, delay);
  return payload.get_response_status();
}

std::uint64_t read(engine_register which, sc_time& delay) {
  request requested{tlm::TLM_READ_COMMAND, address_of(which), {0}};
  CHECK(send(requested, delay) == tlm::TLM_OK_RESPONSE);
  return requested.words[0];
}

/// Rings, waits as software with a quantum does, and returns the status at the end.
engine_status multiply(const descriptor& requested) {
  tlm_utils::tlm_quantumkeeper keeper;
  keeper.reset();
  request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(requested)};
  sc_time delay = keeper.get_local_time();
  CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
  auto status = static_cast<engine_status>(read(engine_register::status, delay));
  CHECK(status == engine_status::busy);
  while (status == engine_status::busy) {
    delay += sc_time(100, SC_NS);
    status = static_cast<engine_status>(read(engine_register::status, delay));
    keeper.set(delay);
    if (keeper.need_sync()) keeper.sync();
    delay = keeper.get_local_time();
  }
  keeper.sync();
  return status;
}

TEST_CASE("products_of_several_models_have_the_bits_of_the_core") {
  tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(1, sc_core::SC_US));
  for (const char* model : {"blackwell.mxf4", "blackwell.mxf4nvf4", "blackwell.mxf8f6f4.e4m3.e4m3",
                            "blackwell.mxf8f6f4.e2m3.e2m3"}) {
    if (model_number(model) < 0) continue;
    const product_case of = product_of(model);
    for (const direct_memory direct : {direct_memory::refused, direct_memory::granted}) {
      systemc::bench& bench = fresh_bench(of);
      bench.memory_lt.set_direct_memory(direct);
      const std::uint64_t before = bench.memory_lt.transactions;
      bench.initiator.run([&] { CHECK(multiply(of.requested) == engine_status::done); });
      INFO(model);
      CHECK(d_in(bench.memory_lt, of) == of.d);
      CHECK((bench.memory_lt.transactions - before > 4) == (direct == direct_memory::refused));
    }
  }
}

TEST_CASE("a_pointer_into_memory_ends_with_its_last_byte") {
  systemc::bench& bench = systemc::the_bench();
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  bench.memory_lt.set_direct_memory(direct_memory::granted);
  CHECK(bench.lt.memory->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 0);
  CHECK(dmi.get_end_address() == bench.memory_lt.bytes.size() - 1);
}

TEST_CASE("a_doorbell_takes_a_registers_time_and_the_product_its_cycles_and_bursts") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.memory_lt.set_direct_memory(direct_memory::refused);
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    sc_time delay(3, SC_NS);
    const sc_time begin = sc_core::sc_time_stamp();
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
    CHECK(sc_core::sc_time_stamp() == begin);  // without a wait
    CHECK(delay == sc_time(3 + 11 * 10, SC_NS));
    // A, B, their scales, C and D are one burst each, also A's 2112 bytes and C's.
    const std::uint64_t cycles = 3 * 3 * 2 * 16 + 5;
    const sc_time finish = sc_time(3, SC_NS) + 6 * sc_time(100, SC_NS) +
                           static_cast<double>(cycles) * sc_time(1, SC_NS);
    sc_time just_before = finish - sc_time(1, SC_NS), just_at = finish;
    CHECK(read(engine_register::status, just_before) ==
          static_cast<std::uint64_t>(engine_status::busy));
    CHECK(read(engine_register::status, just_at) ==
          static_cast<std::uint64_t>(engine_status::done));
    CHECK(read(engine_register::cycles, just_at) == cycles);
    CHECK(read(engine_register::bytes, just_at) == of.operands.size() + of.d.size() * 4 - 0);
  });
}

TEST_CASE("without_c_the_sum_begins_with_zero") {
  product_case of = product_of("blackwell.mxf4");
  std::fill(of.operands.begin() + static_cast<std::ptrdiff_t>(of.requested.c), of.operands.end(),
            0);
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] { CHECK(multiply(of.requested) == engine_status::done); });
  const std::vector<std::uint32_t> with_zeros = d_in(bench.memory_lt, of);
  fresh_bench(of);
  of.requested.c = descriptor::no_matrix;
  bench.initiator.run([&] { CHECK(multiply(of.requested) == engine_status::done); });
  CHECK(d_in(bench.memory_lt, of) == with_zeros);
}

TEST_CASE("a_refused_doorbell_answers_with_an_error_and_starts_nothing") {
  product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  of.requested.k = 96;
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(send(descriptor, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(read(engine_register::status, delay) ==
          static_cast<std::uint64_t>(engine_status::failed));
    CHECK(read(engine_register::error, delay) == static_cast<std::uint64_t>(product_error::shape));
  });
  CHECK(bench.memory_lt.bytes[of.requested.d] == 0xEE);
}

TEST_CASE("a_second_doorbell_is_refused_while_a_product_runs") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
    CHECK(send(descriptor, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(read(engine_register::error, delay) == static_cast<std::uint64_t>(product_error::busy));
    bench.lt.reset();
    CHECK(read(engine_register::status, delay) == static_cast<std::uint64_t>(engine_status::idle));
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
  });
}

/// A bench whose memory takes 100 ns more for each transaction, waiting.
systemc::bench& waiting_bench(const product_case& of) {
  systemc::bench& bench = fresh_bench(of);
  bench.memory_lt.set_direct_memory(direct_memory::refused);
  bench.to_memory_lt.pause = sc_time(100, SC_NS);
  return bench;
}

TEST_CASE("a_product_is_busy_while_its_memory_waits") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = waiting_bench(of);
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)}, second = descriptor;
    systemc::run_beside([&] {
      sc_core::wait(250, SC_NS);
      sc_time delay = sc_core::SC_ZERO_TIME;
      CHECK(read(engine_register::status, delay) ==
            static_cast<std::uint64_t>(engine_status::busy));
      CHECK(send(second, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    });
    const sc_time begin = sc_core::sc_time_stamp();
    sc_time delay(50, SC_NS);
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
    // The last of six bursts is annotated, not waited for.
    CHECK(sc_core::sc_time_stamp() - begin == sc_time(50 + 6 * 200 - 100, SC_NS));
    CHECK(delay == sc_time(11 * 10, SC_NS));
    const sc_time finish = sc_time(100 + 3 * 3 * 2 * 16 + 5, SC_NS);
    sc_time just_before = finish - sc_time(1, SC_NS), just_at = finish;
    CHECK(read(engine_register::status, just_before) ==
          static_cast<std::uint64_t>(engine_status::busy));
    CHECK(read(engine_register::status, just_at) ==
          static_cast<std::uint64_t>(engine_status::done));
  });
  bench.to_memory_lt.pause = sc_core::SC_ZERO_TIME;
  CHECK(d_in(bench.memory_lt, of) == of.d);
}

TEST_CASE("a_product_after_a_reset_waits_for_the_burst_that_its_memory_has") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = waiting_bench(of);
  const std::uint64_t before = bench.memory_lt.transactions;
  bench.initiator.run([&] {
    systemc::run_beside([&] {
      sc_core::wait(250, SC_NS);
      bench.lt.reset();
      sc_time delay = sc_core::SC_ZERO_TIME;
      CHECK(read(engine_register::status, delay) ==
            static_cast<std::uint64_t>(engine_status::idle));
      CHECK(multiply(of.requested) == engine_status::done);
    });
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
  });
  bench.to_memory_lt.pause = sc_core::SC_ZERO_TIME;
  CHECK(bench.memory_lt.transactions == before + 2 + 6);
  CHECK(d_in(bench.memory_lt, of) == of.d);
}

TEST_CASE("memory_that_refuses_makes_the_product_fail") {
  for (const direct_memory direct : {direct_memory::refused, direct_memory::granted}) {
    for (const bool beyond_result : {false, true}) {
      product_case of = product_of("blackwell.mxf4");
      systemc::bench& bench = fresh_bench(of);
      bench.memory_lt.set_direct_memory(direct);
      (beyond_result ? of.requested.d : of.requested.c) = std::uint64_t{1} << 40;
      bench.initiator.run([&] {
        CHECK(multiply(of.requested) == engine_status::failed);
        sc_time delay = sc_core::SC_ZERO_TIME;
        CHECK(read(engine_register::error, delay) ==
              static_cast<std::uint64_t>(product_error::bus));
      });
    }
  }
}

TEST_CASE("a_refused_product_of_loose_timing_has_what_was_moved_and_the_cycles_it_took") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  systemc::check_refused(of, [&](const descriptor& requested) {
    systemc::outcome seen;
    bench.initiator.run([&] {
      request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(requested)};
      sc_time delay = sc_core::SC_ZERO_TIME;
      CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
      delay += sc_time(10, sc_core::SC_US);
      seen.status = static_cast<engine_status>(read(engine_register::status, delay));
      seen.cycles = read(engine_register::cycles, delay);
      seen.bytes = read(engine_register::bytes, delay);
    });
    return seen;
  });
}

TEST_CASE("an_operand_that_cannot_be_read_takes_no_time_to_multiply") {
  product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.memory_lt.set_direct_memory(direct_memory::refused);
  of.requested.a = std::uint64_t{1} << 50;
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(send(descriptor, delay) == tlm::TLM_OK_RESPONSE);
    sc_time at_once(200, SC_NS);  // a burst, and not the 293 cycles
    CHECK(read(engine_register::status, at_once) ==
          static_cast<std::uint64_t>(engine_status::failed));
  });
}

TEST_CASE("debug_accesses_take_no_time_and_ring_nothing") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
  tlm::tlm_generic_payload payload;
  descriptor.fill(payload);
  CHECK(bench.initiator.lt->transport_dbg(payload) == payload.get_data_length());
  request back{tlm::TLM_READ_COMMAND, address_of(engine_register::model), {9, 9, 9}};
  back.fill(payload);
  CHECK(bench.initiator.lt->transport_dbg(payload) == 24);
  CHECK(back.words == std::vector<std::uint64_t>{of.requested.model, 0, 0});
  payload.set_streaming_width(0);
  payload.set_byte_enable_ptr(payload.get_data_ptr());
  CHECK(bench.initiator.lt->transport_dbg(payload) == 24);
  CHECK(bench.initiator.at->transport_dbg(payload) == 24);
  payload.set_address(1);
  CHECK(bench.initiator.lt->transport_dbg(payload) == 0);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(bench.initiator.lt->get_direct_mem_ptr(payload, dmi));
}

}  // namespace
