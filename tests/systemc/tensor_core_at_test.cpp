// SPDX-License-Identifier: Apache-2.0
// tests/systemc/tensor_core_at_test.cpp: products through the approximately timed tensor core.
#include "bench.h"
#include "catch.h"

namespace {

using namespace hardware;
using sc_core::sc_time, sc_core::SC_NS;
using systemc::d_in, systemc::product_case, systemc::product_of, systemc::request,
    systemc::words_of;

systemc::bench& fresh_bench(const product_case& of) {
  systemc::bench& bench = systemc::the_bench();
  bench.at.reset();
  bench.initiator.run([] { sc_core::wait(1, sc_core::SC_US); });
  bench.initiator.phases.clear();
  std::fill(bench.memory_at.bytes.begin(), bench.memory_at.bytes.end(), 0xEE);
  std::copy(of.operands.begin(), of.operands.end(), bench.memory_at.bytes.begin());
  return bench;
}

/// In a thread of SystemC: begins a request; the caller owns the payload.
tlm::tlm_generic_payload& begin(request& requested) {
  systemc::software& from = systemc::the_bench().initiator;
  tlm::tlm_generic_payload& payload = from.pool.make();
  payload.acquire();
  requested.fill(payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_core::SC_ZERO_TIME;
  CHECK(from.at->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  return payload;
}

/// Begins and waits for the response.
tlm::tlm_response_status send(request& requested) {
  tlm::tlm_generic_payload& payload = begin(requested);
  for (int i = 0; i < 100 && payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE; ++i) {
    sc_core::wait(10, SC_NS);
  }
  sc_core::wait(10, SC_NS);  // the response ends
  const tlm::tlm_response_status seen = payload.get_response_status();
  payload.release();
  return seen;
}

std::uint64_t read(engine_register which) {
  request requested{tlm::TLM_READ_COMMAND, address_of(which), {0}};
  CHECK(send(requested) == tlm::TLM_OK_RESPONSE);
  return requested.words[0];
}

engine_status multiply(const descriptor& requested) {
  request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(requested)};
  CHECK(send(descriptor) == tlm::TLM_OK_RESPONSE);
  for (int i = 0; i < 1000; ++i) {
    const auto status = static_cast<engine_status>(read(engine_register::status));
    if (status != engine_status::busy) return status;
  }
  return engine_status::busy;
}

TEST_CASE("four_phases_come_in_their_order_and_payloads_are_given_back") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    request requested{tlm::TLM_READ_COMMAND, 0, {0}};
    tlm::tlm_generic_payload& payload = begin(requested);
    CHECK(payload.get_ref_count() == 2);
    sc_core::wait(100, SC_NS);
    CHECK(bench.initiator.phases[&payload] == std::vector<int>{tlm::END_REQ, tlm::BEGIN_RESP});
    CHECK(payload.get_ref_count() == 1);
    payload.release();
  });
  CHECK(bench.initiator.pool.alive == 0);
}

TEST_CASE("requests_under_way_together_are_answered_one_after_the_other") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    request requested[3] = {{tlm::TLM_READ_COMMAND, 0, {0}},
                            {tlm::TLM_READ_COMMAND, 8, {0}},
                            {tlm::TLM_READ_COMMAND, 12, {0}}};
    const int before = bench.initiator.responses;
    tlm::tlm_generic_payload* payloads[3];
    for (int i = 0; i < 3; ++i) {
      payloads[i] = &begin(requested[i]);
      sc_core::wait(1, SC_NS);  // its request has ended
    }
    sc_core::wait(100, SC_NS);
    CHECK(bench.initiator.responses == before + 3);
    CHECK(payloads[0]->is_response_ok());
    CHECK(payloads[2]->get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (auto* payload : payloads) payload->release();
  });
  CHECK(bench.initiator.pool.alive == 0);
}

TEST_CASE("products_have_the_bits_of_the_core_and_take_their_cycles") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    CHECK(multiply(of.requested) == engine_status::done);
    CHECK(read(engine_register::cycles) == 3 * 3 * 2 * 16 + 5);
    CHECK(read(engine_register::bytes) == of.operands.size() + of.d.size() * 4);
  });
  CHECK(d_in(bench.memory_at, of) == of.d);
}

TEST_CASE("refusals_are_answers") {
  product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  of.requested.a += 1;
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    CHECK(send(descriptor) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(read(engine_register::error) == static_cast<std::uint64_t>(product_error::alignment));
  });
  of.requested.a = std::uint64_t{1} << 50;
  bench.initiator.run([&] {
    CHECK(multiply(of.requested) == engine_status::failed);
    CHECK(read(engine_register::error) == static_cast<std::uint64_t>(product_error::bus));
  });
  tlm::tlm_generic_payload unmanaged;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_core::SC_ZERO_TIME;
  CHECK(bench.initiator.at->nb_transport_fw(unmanaged, phase, delay) == tlm::TLM_COMPLETED);
  CHECK(unmanaged.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("a_refused_product_of_approximate_timing_has_what_was_moved_and_the_cycles_it_took") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  systemc::check_refused(of, [&](const descriptor& requested) {
    systemc::outcome seen;
    bench.initiator.run([&] {
      seen.status = multiply(requested);
      seen.cycles = read(engine_register::cycles);
      seen.bytes = read(engine_register::bytes);
    });
    return seen;
  });
}

TEST_CASE("a_reset_spoils_a_burst_under_way_and_stops_a_product") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    tlm::tlm_generic_payload& burst = begin(descriptor);
    sc_core::wait(20, SC_NS);  // of 110
    bench.at.reset();
    sc_core::wait(1, sc_core::SC_US);
    CHECK(burst.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
    burst.release();
    CHECK(read(engine_register::m) == 0);
    CHECK(send(descriptor) == tlm::TLM_OK_RESPONSE);
    bench.at.reset();
    sc_core::wait(10, sc_core::SC_US);
    CHECK(read(engine_register::status) == static_cast<std::uint64_t>(engine_status::idle));
    CHECK(bench.memory_at.bytes[of.requested.d] == 0xEE);
    CHECK(multiply(of.requested) == engine_status::done);
  });
  CHECK(d_in(bench.memory_at, of) == of.d);
  CHECK(bench.initiator.pool.alive == 0);
}

/// A product whose D has 16 bursts, of whatever memory holds.
descriptor long_product() {
  descriptor made;
  made.b = 1 << 16;
  made.scale_a = 1 << 17;
  made.scale_b = 3 << 16;
  made.d = 1 << 18;
  made.m = made.k = 64;
  made.n = 256;
  made.model = static_cast<std::uint64_t>(model_number("blackwell.mxf4"));
  return made;
}

/// A bench whose memory takes 100 ns more for each transaction, waiting.
systemc::bench& waiting_bench(const product_case& of) {
  systemc::bench& bench = fresh_bench(of);
  bench.memory_at.set_direct_memory(direct_memory::refused);
  bench.to_memory_at.pause = sc_time(100, SC_NS);
  return bench;
}

void stop_waiting(systemc::bench& bench) {
  bench.to_memory_at.pause = sc_core::SC_ZERO_TIME;
  bench.memory_at.set_direct_memory(direct_memory::granted);
}

TEST_CASE("a_reset_stops_the_bursts_of_a_product") {
  systemc::bench& bench = waiting_bench(product_of("blackwell.mxf4"));
  const descriptor requested = long_product();
  const std::uint64_t third_of_d = bench.memory_at.transactions + 5 + 3;
  bench.initiator.run([&] {
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(requested)};
    CHECK(send(descriptor) == tlm::TLM_OK_RESPONSE);
    while (bench.memory_at.transactions < third_of_d) sc_core::wait(10, SC_NS);
    bench.at.reset();
    sc_core::wait(20, sc_core::SC_US);
    CHECK(read(engine_register::status) == static_cast<std::uint64_t>(engine_status::idle));
  });
  stop_waiting(bench);
  CHECK(bench.memory_at.transactions == third_of_d + 1);
  const auto d = bench.memory_at.bytes.begin() + static_cast<std::ptrdiff_t>(requested.d);
  CHECK(std::all_of(d + 4 * 4096, d + 16 * 4096, [](unsigned char byte) { return byte == 0xEE; }));
}

TEST_CASE("a_product_has_the_registers_of_its_doorbell_whatever_is_written_later") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = waiting_bench(of);
  bench.initiator.run([&] {
    request first{tlm::TLM_WRITE_COMMAND, 0, words_of(long_product())};
    CHECK(send(first) == tlm::TLM_OK_RESPONSE);
    bench.at.reset();  // while memory has its first burst
    request second{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    CHECK(send(second) == tlm::TLM_OK_RESPONSE);
    request no_model{
        tlm::TLM_WRITE_COMMAND, address_of(engine_register::model), {std::uint64_t{1} << 40}};
    CHECK(send(no_model) == tlm::TLM_OK_RESPONSE);
    sc_core::wait(10, sc_core::SC_US);
    CHECK(read(engine_register::status) == static_cast<std::uint64_t>(engine_status::done));
  });
  stop_waiting(bench);
  CHECK(d_in(bench.memory_at, of) == of.d);
}

TEST_CASE("a_product_after_a_reset_does_not_wait_for_the_one_before") {
  const product_case of = product_of("blackwell.mxf4");
  systemc::bench& bench = fresh_bench(of);
  bench.initiator.run([&] {
    const auto time_of_product = [&] {
      const sc_time begin = sc_core::sc_time_stamp();
      CHECK(multiply(of.requested) == engine_status::done);
      return sc_core::sc_time_stamp() - begin;
    };
    const sc_time alone = time_of_product();
    request descriptor{tlm::TLM_WRITE_COMMAND, 0, words_of(of.requested)};
    CHECK(send(descriptor) == tlm::TLM_OK_RESPONSE);
    sc_core::wait(50, SC_NS);  // of several hundred for the bursts
    bench.at.reset();
    CHECK(time_of_product() <= alone + sc_time(40, SC_NS));
  });
}

}  // namespace
