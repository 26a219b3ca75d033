// SPDX-License-Identifier: Apache-2.0
// tests/soc/soc_test.cpp: the bus decodes targets, the DMA engine copies and refuses, and a product
// passes through the whole system.
#include <random>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "rtl_models/soc/system.h"
#include "tests/systemc/waiting_link.h"

/// The library's main() requires one; Catch2 has its own.
int sc_main(int, char**) { return 0; }

namespace {

using namespace hardware;

/// Sends payloads from outside any thread: nothing here waits.
class sender : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<sender> socket{"socket"};

  explicit sender(const sc_core::sc_module_name& name) : sc_module(name) {}

  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address,
                                std::vector<std::uint64_t>& words, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
    payload.set_data_length(static_cast<unsigned>(words.size() * sizeof words[0]));
    payload.set_streaming_width(payload.get_data_length());
    socket->b_transport(payload, delay);
    CHECK(payload.get_address() == address);
    return payload.get_response_status();
  }
  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address,
                                std::vector<std::uint64_t> words) {
    sc_core::sc_time delay;
    return send(command, address, words, delay);
  }
};

/// Two memories, one of which the bus maps only half, and a DMA engine; the system beside them.
struct bench {
  address_bus bus{"bus"};
  tlm_memory low{"low", 8192, direct_memory::refused}, high{"high", 4096, direct_memory::granted};
  systemc::waiting_link link{"link"};
  dma engine{"engine"};
  sender from{"from"};
  soc system{"system"};

  bench() {
    from.socket.bind(bus.from);
    engine.memory.bind(link.from);
    link.to.bind(bus.from);
    bus.connect(low.target, 0, 4096);
    bus.connect(high.target, 8192, 4096);
    bus.connect(engine.target, 1 << 20, dma::registers * 8);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

bench& the_bench() {
  static bench whole;
  return whole;
}

/// A time after the end of all earlier work.
sc_core::sc_time later() {
  static int milliseconds = 0;
  return {static_cast<double>(++milliseconds), sc_core::SC_MS};
}

constexpr auto reads = tlm::TLM_READ_COMMAND, writes = tlm::TLM_WRITE_COMMAND;

TEST_CASE("the_bus_finds_targets_and_refuses_what_no_target_has_whole") {
  bench& of = the_bench();
  CHECK(of.from.send(writes, 8192 + 4088, {0x1122334455667788}) == tlm::TLM_OK_RESPONSE);
  CHECK(of.high.bytes[4088] == 0x88);
  CHECK(of.low.bytes[4088] == 0);
  CHECK(of.from.send(reads, 4096, {0}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(of.from.send(reads, 4092, {0}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(of.from.send(reads, ~std::uint64_t{7}, {0}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("the_bus_denies_pointers_to_the_gap_around_an_address_alone") {
  bench& of = the_bench();
  tlm::tlm_generic_payload payload;
  payload.set_data_length(1 << 20);  // of no meaning for a pointer
  const auto answer_at = [&](std::uint64_t address, std::uint64_t first, std::uint64_t last) {
    tlm::tlm_dmi dmi;
    payload.set_address(address);
    const bool granted = of.from.socket->get_direct_mem_ptr(payload, dmi);
    CHECK(dmi.get_start_address() == first);
    CHECK(dmi.get_end_address() == last);
    CHECK(dmi.is_none_allowed() == !granted);
    return granted;
  };
  CHECK(answer_at(8192 + 100, 8192, 8192 + 4095));
  CHECK_FALSE(answer_at(100, 0, 4095));  // of a memory of which it maps half
  CHECK_FALSE(answer_at(5000, 4096, 8191));
  CHECK_FALSE(answer_at(1 << 21, (1 << 20) + dma::registers * 8, ~std::uint64_t{0}));
}

TEST_CASE("debug_transport_has_no_streaming_width") {
  bench& of = the_bench();
  std::uint64_t word = 0x0102030405060708;
  tlm::tlm_generic_payload payload;
  payload.set_command(writes);
  payload.set_address(8192 + 8);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(sizeof word);
  CHECK(of.from.socket->transport_dbg(payload) == sizeof word);
  CHECK(of.high.bytes[8] == 8);
  payload.set_data_length(0);
  CHECK(of.from.socket->transport_dbg(payload) == 0);
}

TEST_CASE("the_dma_engine_copies_in_its_time") {
  bench& of = the_bench();
  for (std::size_t i = 0; i < 4096; ++i) of.low.bytes[i] = static_cast<unsigned char>(i * 7);
  sc_core::sc_time delay(50, sc_core::SC_NS);
  std::vector<std::uint64_t> words{100, 8192 + 50, 3000, 1}, status{0};
  CHECK(of.from.send(writes, 1 << 20, words, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(of.from.send(writes, 1 << 20, words, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  delay = sc_core::sc_time(249, sc_core::SC_NS);
  CHECK(of.from.send(reads, (1 << 20) + 32, status, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(status[0] == static_cast<std::uint64_t>(engine_status::busy));
  delay = sc_core::sc_time(250, sc_core::SC_NS);  // a burst from one memory, one to the other
  CHECK(of.from.send(reads, (1 << 20) + 32, status, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(status[0] == static_cast<std::uint64_t>(engine_status::done));
  CHECK(std::equal(of.low.bytes.begin() + 100, of.low.bytes.begin() + 3100,
                   of.high.bytes.begin() + 50));
  CHECK(of.engine.bytes == 3000);
  // By a pointer to the other memory it takes as long.
  const sc_core::sc_time begin = later();
  delay = begin;
  CHECK(of.from.send(writes, 1 << 20, words, delay) == tlm::TLM_OK_RESPONSE);
  for (const auto& [after, expected] :
       {std::pair{199, engine_status::busy}, std::pair{200, engine_status::done}}) {
    delay = begin + sc_core::sc_time(after, sc_core::SC_NS);
    CHECK(of.from.send(reads, (1 << 20) + 32, status, delay) == tlm::TLM_OK_RESPONSE);
    CHECK(status[0] == static_cast<std::uint64_t>(expected));
  }
}

TEST_CASE("a_copy_is_busy_while_its_memory_waits") {
  bench& of = the_bench();
  of.high.set_direct_memory(direct_memory::refused);
  of.link.pause = sc_core::sc_time(100, sc_core::SC_NS);
  const std::vector<std::uint64_t> copy{100, 8192 + 50, 64, 1};
  const sc_core::sc_time start = later();
  systemc::run_beside([&] {
    sc_core::wait(start);
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    sc_core::sc_time delay(50, sc_core::SC_NS);
    std::vector<std::uint64_t> words = copy;
    CHECK(of.from.send(writes, 1 << 20, words, delay) == tlm::TLM_OK_RESPONSE);
    // Two bursts of 200 ns: the last 100 are annotated, not waited for.
    CHECK(sc_core::sc_time_stamp() - begin == sc_core::sc_time(350, sc_core::SC_NS));
    CHECK(delay == sc_core::sc_time(4 * 10, sc_core::SC_NS));
  });
  systemc::run_beside([&] {
    sc_core::wait(start + sc_core::sc_time(200, sc_core::SC_NS));
    std::vector<std::uint64_t> status{0};
    sc_core::sc_time delay;
    CHECK(of.from.send(reads, (1 << 20) + 32, status, delay) == tlm::TLM_OK_RESPONSE);
    CHECK(status[0] == static_cast<std::uint64_t>(engine_status::busy));
    CHECK(of.from.send(writes, 1 << 20, copy) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  });
  sc_core::sc_start(start + sc_core::sc_time(1, sc_core::SC_US));
  of.link.pause = sc_core::SC_ZERO_TIME;
  CHECK(std::equal(of.low.bytes.begin() + 100, of.low.bytes.begin() + 164,
                   of.high.bytes.begin() + 50));
  of.high.set_direct_memory(direct_memory::granted);
}

TEST_CASE("pointers_that_are_taken_back_are_used_no_more") {
  bench& of = the_bench();
  const auto transactions_of_a_copy = [&] {
    const std::uint64_t before = of.high.transactions;
    std::vector<std::uint64_t> words{8192, 8192 + 2048, 64, 1};
    for (int i = 0; i < 2; ++i) {
      sc_core::sc_time delay = later();
      CHECK(of.from.send(writes, 1 << 20, words, delay) == tlm::TLM_OK_RESPONSE);
    }
    return of.high.transactions - before;
  };
  of.high.set_direct_memory(direct_memory::granted);
  CHECK(transactions_of_a_copy() <= 1);
  of.high.set_direct_memory(direct_memory::refused);
  CHECK(transactions_of_a_copy() == 4);
  of.high.set_direct_memory(direct_memory::granted);
}

TEST_CASE("the_dma_engine_refuses_what_it_cannot_copy") {
  bench& of = the_bench();
  sc_core::sc_time delay = later();
  std::vector<std::uint64_t> status{0};
  std::vector<std::uint64_t> nothing{0, 0, 0, 1}, too_much{0, 0, ~std::uint64_t{0}, 1};
  CHECK(of.from.send(writes, 1 << 20, nothing, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(of.from.send(writes, 1 << 20, too_much, delay) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(of.from.send(writes, (1 << 20) + 32, {1}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  std::vector<std::uint64_t> into_nowhere{0, 1 << 16, 8, 1};
  const std::uint64_t copied = of.engine.bytes;
  CHECK(of.from.send(writes, 1 << 20, into_nowhere, delay) == tlm::TLM_OK_RESPONSE);
  delay += sc_core::sc_time(1, sc_core::SC_US);
  CHECK(of.from.send(reads, (1 << 20) + 32, status, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(status[0] == static_cast<std::uint64_t>(engine_status::failed));
  CHECK(of.engine.bytes == copied);
}

TEST_CASE("a_product_goes_through_the_system") {
  tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(1, sc_core::SC_MS));
  constexpr std::uint64_t m = 20, n = 9, k = 128;
  std::minstd_rand from(3);
  std::vector<std::uint8_t> a(m * k / 2), b(n * k / 2), scale_a(m * k / 32), scale_b(n * k / 32);
  for (auto* codes : {&a, &b}) {
    for (std::uint8_t& byte : *codes) byte = static_cast<std::uint8_t>(from() >> 8);
  }
  for (auto* scales : {&scale_a, &scale_b}) {
    for (std::uint8_t& byte : *scales) byte = static_cast<std::uint8_t>(120 + from() % 16);
  }
  product_cost cost;
  const std::vector<std::uint32_t> d =
      the_bench().system.multiply("blackwell.mxf4", {m, n, k, a, b, scale_a, scale_b}, cost);
  const auto line = [](const std::vector<std::uint8_t>& codes, std::uint64_t i) {
    std::vector<std::uint8_t> one;
    for (std::uint64_t at = 0; at < k; ++at) {
      one.push_back(codes[(i * k + at) / 2] >> (at % 2 * 4) & 15);
    }
    return one;
  };
  bool same = d.size() == m * n;
  for (std::uint64_t i = 0; i < d.size(); ++i) {
    same = same && d[i] == mx::dot(mx::model_named("blackwell.mxf4")->model, line(a, i / n).data(),
                                   line(b, i % n).data(), static_cast<int>(k), 0,
                                   scale_a.data() + i / n * 4, scale_b.data() + i % n * 4);
  }
  CHECK(same);
  CHECK(cost.cycles == 2 * 2 * 2 * 16 + 5);
  CHECK(cost.core_bytes == (m + n) * (k / 2 + k / 32) + m * n * 4);
  CHECK(cost.dma_bytes >= cost.core_bytes);
  CHECK(cost.time > sc_core::sc_time(static_cast<double>(cost.cycles), sc_core::SC_NS));
  CHECK_THROWS_AS(the_bench().system.multiply("no model", {m, n, k, a, b, scale_a, scale_b}, cost),
                  std::runtime_error);
  CHECK_THROWS_AS(the_bench().system.multiply("blackwell.mxf4",
                                              {1 << 14, 1 << 14, k, a, b, scale_a, scale_b}, cost),
                  std::runtime_error);
  CHECK(the_bench().system.multiply("blackwell.mxf4", {m, n, k, a, b, scale_a, scale_b}, cost) ==
        d);
}

}  // namespace
