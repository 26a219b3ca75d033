// SPDX-License-Identifier: Apache-2.0
// tests/systemc/bench.cpp: tensor cores and memories in one simulation.
#include "bench.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

/// The library's main() requires one; Catch2 has its own.
int sc_main(int, char**) { return 0; }

namespace systemc {

tlm::tlm_generic_payload& payload_pool::make() {
  ++alive;
  return *new tlm::tlm_generic_payload(this);
}

void payload_pool::free(tlm::tlm_generic_payload* payload) {
  --alive;
  delete payload;
}

software::software(const sc_core::sc_module_name& name) : sc_module(name) {
  at.register_nb_transport_bw(this, &software::nb_transport_bw);
  SC_THREAD(run_forever);
  set_stack_size(std::size_t{1} << 20);
  SC_METHOD(end_responses);
  sensitive << answered_;
  dont_initialize();
}

void software::run(const std::function<void()>& steps) {
  steps_ = steps;
  requested_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
}

void software::run_forever() {
  for (;;) {
    wait(requested_);
    steps_();
  }
}

tlm::tlm_sync_enum software::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time&) {
  phases[&payload].push_back(static_cast<int>(static_cast<unsigned>(phase)));
  if (phase == tlm::BEGIN_RESP) {
    to_end_ = &payload;
    answered_.notify(5, sc_core::SC_NS);
  }
  return tlm::TLM_ACCEPTED;
}

void software::end_responses() {
  ++responses;
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  at->nb_transport_fw(*to_end_, phase, delay);
}

bench::bench() {
  lt.memory.bind(to_memory_lt.from);
  at.memory.bind(to_memory_at.from);
  to_memory_lt.to.bind(memory_lt.target);
  to_memory_at.to.bind(memory_at.target);
  initiator.lt.bind(lt.target);
  initiator.at.bind(at.target);
  // Resets before the simulation begins are resets too.
  lt.reset();
  at.reset();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

bench& the_bench() {
  static bench whole;
  return whole;
}

void request::fill(tlm::tlm_generic_payload& payload) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
  payload.set_data_length(static_cast<unsigned>(words.size() * sizeof(words[0])));
  payload.set_streaming_width(payload.get_data_length());
  payload.set_byte_enable_ptr(nullptr);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

product_case product_of(const char* name) {
  product_case made;
  const int number = hardware::model_number(name);
  const mx::dot_model& model = mx::model_table[static_cast<std::size_t>(number)].model;
  constexpr std::uint64_t m = 33, n = 21, k = 128;
  const std::uint64_t pairs = model.a.width() == 4 ? 2 : 1;
  const std::uint64_t blocks = k / static_cast<std::uint64_t>(model.block);
  hardware::descriptor& requested = made.requested;
  requested.m = m;
  requested.n = n;
  requested.k = k;
  requested.model = static_cast<std::uint64_t>(number);
  requested.a = 0;
  requested.b = m * k / pairs;
  requested.scale_a = requested.b + n * k / pairs;
  requested.scale_b = requested.scale_a + m * blocks;
  requested.c = requested.scale_b + (n * blocks + 3) / 4 * 4;
  requested.d = requested.c + m * n * 4;
  made.operands.resize(requested.d);
  std::mt19937 from(7);
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    const bool scale = i >= requested.scale_a && i < requested.c;
    made.operands[i] = static_cast<std::uint8_t>(
        scale ? 120 + from() % 8 + (model.scale.width() == 7 ? 128 : 0) : from());
  }
  const auto code = [&](std::uint64_t first, std::uint64_t line, std::uint64_t at) {
    const std::uint8_t byte = made.operands[first + (line * k + at) / pairs];
    return pairs == 1 ? byte : static_cast<std::uint8_t>(byte >> (at % 2 * 4) & 15);
  };
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      std::vector<std::uint8_t> a, b;
      for (std::uint64_t at = 0; at < k; ++at) {
        a.push_back(code(requested.a, i, at));
        b.push_back(code(requested.b, j, at));
      }
      std::uint32_t c = 0;
      std::memcpy(&c, made.operands.data() + requested.c + (i * n + j) * 4, 4);
      made.d.push_back(mx::dot(model, a.data(), b.data(), static_cast<int>(k), c,
                               made.operands.data() + requested.scale_a + i * blocks,
                               made.operands.data() + requested.scale_b + j * blocks));
    }
  }
  return made;
}

std::vector<std::uint64_t> words_of(const hardware::descriptor& requested) {
  return {requested.a,
          requested.b,
          requested.scale_a,
          requested.scale_b,
          requested.c,
          requested.d,
          requested.m,
          requested.n,
          requested.k,
          requested.model,
          1};
}

std::vector<std::uint32_t> d_in(const hardware::tlm_memory& memory, const product_case& of) {
  std::vector<std::uint32_t> d(of.d.size());
  std::memcpy(d.data(), memory.bytes.data() + of.requested.d, d.size() * sizeof d[0]);
  return d;
}

void check_refused(const product_case& of,
                   const std::function<outcome(const hardware::descriptor&)>& multiply) {
  using hardware::descriptor, hardware::engine_status;
  constexpr std::uint64_t cycles = 3 * 3 * 2 * 16 + 5, a_and_b = (33 + 21) * 64;
  const std::uint64_t operands = of.operands.size(), all = operands + of.d.size() * 4;
  const auto beyond = [&](std::uint64_t descriptor::*matrix) {
    descriptor requested = of.requested;
    requested.*matrix = std::uint64_t{1} << 40;
    CHECK(multiply(of.requested) == outcome{engine_status::done, cycles, all});
    return multiply(requested);
  };
  CHECK(beyond(&descriptor::a) == outcome{engine_status::failed, 0, 0});
  CHECK(beyond(&descriptor::scale_a) == outcome{engine_status::failed, 0, a_and_b});
  CHECK(beyond(&descriptor::d) == outcome{engine_status::failed, cycles, operands});
}

}  // namespace systemc
