// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/fake_verify.cpp: mx_verify on a device layer without a device: the core,
// with the faults that the environment asks for.
//   MX_FAULTS        "KIND CASE;KIND CASE", KIND one of hang, crash, fail, refuse, differ; of a
//                    measure also bare (no yardstick) and unable (no value)
//   MX_FAKE_ABSENCE  why there is no device
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "program.h"

namespace {

namespace mxk = mx::kernels;

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string fault_of(const std::string& name) {
  std::istringstream faults(environment("MX_FAULTS"));
  for (std::string fault; std::getline(faults, fault, ';');) {
    const std::size_t space = fault.find(' ');
    if (fault.substr(space + 1) == name) return fault.substr(0, space);
  }
  return {};
}

/// Returns what the caller is to do itself: refuse, differ, or nothing.
std::string suffered(const std::string& name) {
  const std::string fault = fault_of(name);
  if (fault == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (fault == "crash") std::abort();
  if (fault == "fail") throw std::runtime_error("cudaDeviceSynchronize: an illegal address");
  return fault;
}

void flip(std::vector<std::uint32_t>& d) { d.back() ^= 1; }
void flip(std::vector<mxk::named_bytes>& results) { results.back().bytes.back() ^= 1; }

template <class Case, class Input, class Core>
auto answered(const Case& one, const Input& input, const Core& core) {
  std::optional result(core(one, input));
  const std::string fault = suffered(one.name);
  if (fault == "differ") flip(*result);
  if (fault == "refuse") result.reset();
  return result;
}

mxk::device_layer fake_device() {
  mxk::device_layer device;
  device.absence = [] { return environment("MX_FAKE_ABSENCE"); };
  device.in_use = [] { return mxk::device_in_use{"a \"fake\" device", "9.0", "13.0", "13.0"}; };
  device.wrong_refusals = [](std::ostream& out) {
    out << "2 requests to refuse, 0 answered otherwise\n";
    return 0;
  };
  device.cases = {[](const mxk::kernel_case& one, const mxk::case_input& input) {
                    return answered(one, input, mxk::results_of_core);
                  },
                  [](const mxk::product_case& one, const mxk::product_input& input) {
                    return answered(one, input, mxk::product_of_core);
                  },
                  [](const mxk::corrected_case& one, const mxk::corrected_input& input) {
                    return answered(one, input, mxk::corrected_product_of_core);
                  },
                  [](const mxk::value_case& one, const mxk::value_input& input) {
                    return answered(one, input, mxk::values_of_core);
                  },
                  [](const mxk::grouped_case& one, const mxk::grouped_input& input) {
                    return answered(one, input, mxk::products_of_core);
                  }};
  device.own_cases = {
      {"gemm.fake.8192x8192x8192.near.mma", "gemm, mma", [] { return mxk::case_result{}; }}};
  device.memory = mxk::host_memory;
  device.measures = {"cuda.quantize.mxfp4"};
  device.figures = [](const std::string& measure) {
    const std::string fault = suffered(measure);
    if (fault == "bare") {
      return std::vector<mxk::figure>{{measure, 100, "GB/s", "cuBLAS is missing", {}}};
    }
    if (fault == "unable") {
      return std::vector<mxk::figure>{{measure, {}, "", "too little memory is free", {}}};
    }
    return std::vector<mxk::figure>{{measure, 100, "GB/s", "a copy", 120}};
  };
  return device;
}

}  // namespace

int main(int count, char** words) {
  return mxk::run_program("/proc/self/exe", {words + 1, words + count}, fake_device());
}
