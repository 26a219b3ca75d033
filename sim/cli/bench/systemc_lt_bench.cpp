// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/systemc_lt_bench.cpp: rate of products of the loosely timed tensor core.
#include <tbb/global_control.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "rtl_models/systemc/tensor_core_lt.h"
#include "rtl_models/systemc/tlm_memory.h"
#include "sim/cli/bench/measured_apart.h"
#include "sim/cli/bench/memory_yardstick.h"
#include "sim/cli/bench/systemc_bench.h"

namespace sim::cli {
namespace {

using namespace hardware;

constexpr std::uint64_t side = 256, k = 1024, steps = k / 64;
constexpr auto words_of_64 = static_cast<double>(side * side * steps);

/// A product of 256 x 256 x 1024, operands from address 0 on.
descriptor large_product() {
  descriptor asked;
  asked.m = asked.n = side;
  asked.k = k;
  asked.model = static_cast<std::uint64_t>(model_number("blackwell.mxf4"));
  asked.b = side * k / 2;
  asked.scale_a = 2 * asked.b;
  asked.scale_b = asked.scale_a + side * k / 32;
  asked.d = asked.scale_b + side * k / 32;
  return asked;
}

/// Software, a tensor core and a memory with direct memory access.
class small_system : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(small_system);
  explicit small_system(const sc_core::sc_module_name& name) : sc_module(name) {
    socket_.bind(core_.target);
    core_.memory.bind(memory_.target);
    SC_THREAD(multiply_forever);
    set_stack_size(std::size_t{1} << 20);
    std::minstd_rand from(1);
    for (unsigned char& byte : memory_.bytes) byte = static_cast<unsigned char>(from() >> 8);
    std::fill_n(memory_.bytes.begin() + static_cast<std::ptrdiff_t>(asked_.scale_a),
                asked_.d - asked_.scale_a, static_cast<unsigned char>(127));
  }

  double seconds_of_product() {
    const double seconds = wall_seconds_of([this] {
      rung_.notify(sc_core::SC_ZERO_TIME);
      sc_core::sc_start();
    });
    if (status_ != engine_status::done) throw std::logic_error("a product was refused");
    return seconds;
  }

 private:
  /// Reads or writes `count` registers from `first` on.
  void move(tlm::tlm_command how, engine_register first, std::uint64_t* words, unsigned count) {
    tlm::tlm_generic_payload payload;
    payload.set_command(how);
    payload.set_address(address_of(first));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
    payload.set_data_length(count * register_bytes);
    payload.set_streaming_width(count * register_bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(payload, delay);
    wait(delay);
  }

  void multiply_forever() {
    for (;;) {
      wait(rung_);
      std::uint64_t words[] = {asked_.a, asked_.b, asked_.scale_a, asked_.scale_b, asked_.c,
                               asked_.d, asked_.m, asked_.n,       asked_.k,       asked_.model,
                               1};
      move(tlm::TLM_WRITE_COMMAND, engine_register::a, words, std::size(words));
      do {
        wait(100, sc_core::SC_NS);
        std::uint64_t status = 0;
        move(tlm::TLM_READ_COMMAND, engine_register::status, &status, 1);
        status_ = static_cast<engine_status>(status);
      } while (status_ == engine_status::busy);
    }
  }

  const descriptor asked_ = large_product();
  tlm_utils::simple_initiator_socket<small_system> socket_{"socket"};
  tensor_core_lt core_{"core"};
  tlm_memory memory_{"memory", std::size_t{1} << 20};
  sc_core::sc_event rung_;
  engine_status status_ = engine_status::idle;
};

double words_a_second() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  small_system system("system");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 10; ++round) best = std::min(best, system.seconds_of_product());
  return words_of_64 / best;
}

}  // namespace

std::vector<bench_result> bench_systemc_lt() {
  const double rate = measured_apart(words_a_second) * 1e-6;
  const bench_result emulator = bench_dot().front();
  return {beside("systemc.lt", rate, "Mword/s", "dot.blackwell.mxf4", emulator.value)};
}

}  // namespace sim::cli
