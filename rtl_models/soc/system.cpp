// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/system.cpp: a system on a chip.
#include "rtl_models/soc/system.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace hardware {
namespace {

constexpr std::uint64_t alignment = 64;  // of every matrix

/// Addresses of the matrices, from `base` on.
struct layout {
  descriptor at;
  std::uint64_t operand_bytes = 0, end = 0;

  layout(const product_operands& of, std::uint64_t base) {
    std::uint64_t next = base;
    const auto place = [&next](std::uint64_t size) {
      const std::uint64_t here = next;
      next = (here + size + alignment - 1) / alignment * alignment;
      return here;
    };
    at.a = place(of.a.size());
    at.b = place(of.b.size());
    at.scale_a = place(of.scale_a.size());
    at.scale_b = place(of.scale_b.size());
    operand_bytes = next - base;
    at.d = place(of.m * of.n * 4);
    end = next;
    at.m = of.m;
    at.n = of.n;
    at.k = of.k;
  }
};

std::uint64_t register_at(dma_register r) {
  return system_map::dma + static_cast<std::uint64_t>(r) * register_bytes;
}

std::uint64_t register_at(engine_register r) { return system_map::core + address_of(r); }

}  // namespace

soc::soc(const sc_core::sc_module_name& name, const engine_timing& timing)
    : sc_module(name), core_("core", timing) {
  software_.bind(bus_.from);
  dma_.memory.bind(bus_.from);
  core_.memory.bind(bus_.from);
  bus_.connect(main_.target, system_map::main, system_map::main_size);
  bus_.connect(local_.target, system_map::local, system_map::local_size);
  bus_.connect(dma_.target, system_map::dma, dma::registers * register_bytes);
  bus_.connect(core_.target, system_map::core, engine_registers * register_bytes);
  SC_THREAD(run_software);
  set_stack_size(std::size_t{1} << 20);  // mx::gemm runs on this stack
}

std::vector<std::uint32_t> soc::multiply(const char* model, const product_operands& operands,
                                         product_cost& cost) {
  const layout in_main(operands, system_map::main);
  layout in_local(operands, system_map::local);
  const bool fits = in_main.end <= system_map::main_size &&
                    in_local.end - system_map::local <= system_map::local_size;
  if (!fits) throw std::runtime_error("the system's memory is too small for the product");
  in_local.at.model = static_cast<std::uint64_t>(model_number(model));
  const auto load = [&](std::span<const std::uint8_t> from, std::uint64_t to) {
    std::copy(from.begin(), from.end(), main_.bytes.begin() + static_cast<std::ptrdiff_t>(to));
  };
  load(operands.a, in_main.at.a);
  load(operands.b, in_main.at.b);
  load(operands.scale_a, in_main.at.scale_a);
  load(operands.scale_b, in_main.at.scale_b);
  steps_ = [&] { run(in_local.at, in_main.operand_bytes, cost); };
  failure_.clear();
  requested_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  if (steps_) failure_ = "the simulation was stopped from outside";
  if (!failure_.empty()) throw std::runtime_error(failure_);
  std::vector<std::uint32_t> d(operands.m * operands.n);
  std::memcpy(d.data(), main_.bytes.data() + in_main.at.d, d.size() * sizeof d[0]);
  return d;
}

void soc::run_software() {
  for (;;) {
    // The first product may be requested before the simulation begins.
    while (!steps_) wait(requested_);
    const std::function<void()> steps = std::exchange(steps_, nullptr);
    try {
      steps();
    } catch (const std::runtime_error& e) {
      failure_ = e.what();
    }
    // Also after a failure: the engines are at the software's local time.
    keeper_.sync();
  }
}

void soc::run(const descriptor& requested, std::uint64_t operand_bytes, product_cost& cost) {
  keeper_.reset();
  const sc_core::sc_time begin = keeper_.get_current_time();
  const std::uint64_t copied = dma_.bytes;
  copy(system_map::main, system_map::local, operand_bytes);
  write(system_map::core,
        {requested.a, requested.b, requested.scale_a, requested.scale_b, requested.c, requested.d,
         requested.m, requested.n, requested.k, requested.model, 1});
  wait_for_status(register_at(engine_register::status));
  cost.cycles = read(register_at(engine_register::cycles));
  cost.core_bytes = read(register_at(engine_register::bytes));
  copy(requested.d, requested.d - system_map::local, requested.m * requested.n * 4);
  cost.time = keeper_.get_current_time() - begin;
  cost.dma_bytes = dma_.bytes - copied;
}

void soc::copy(std::uint64_t from, std::uint64_t to, std::uint64_t size) {
  write(system_map::dma, {from, to, size, 1});
  wait_for_status(register_at(dma_register::status));
}

void soc::write(std::uint64_t address, std::vector<std::uint64_t> words) {
  send(tlm::TLM_WRITE_COMMAND, address, words);
}

std::uint64_t soc::read(std::uint64_t address) {
  std::vector<std::uint64_t> word(1);
  send(tlm::TLM_READ_COMMAND, address, word);
  return word[0];
}

void soc::wait_for_status(std::uint64_t address) {
  const sc_core::sc_time pause(200, sc_core::SC_NS);
  for (;;) {
    const auto status = static_cast<engine_status>(read(address));
    if (status == engine_status::done) return;
    if (status != engine_status::busy) throw std::runtime_error("an engine of the system failed");
    keeper_.inc(pause);
    if (keeper_.need_sync()) keeper_.sync();
  }
}

void soc::send(tlm::tlm_command command, std::uint64_t address, std::vector<std::uint64_t>& words) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
  payload.set_data_length(static_cast<unsigned>(words.size() * sizeof words[0]));
  payload.set_streaming_width(payload.get_data_length());
  sc_core::sc_time delay = keeper_.get_local_time();
  software_->b_transport(payload, delay);
  keeper_.set(delay);
  if (keeper_.need_sync()) keeper_.sync();
  if (payload.is_response_error()) {
    throw std::runtime_error("the bus answers " + payload.get_response_string());
  }
}

}  // namespace hardware
