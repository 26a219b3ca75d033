// SPDX-License-Identifier: Apache-2.0
// kernels/verify/graph_cases.cpp: launchers captured in a CUDA graph. Has not run on a device.
#include "graph_cases.h"

#include <functional>

#include "case_arrays.h"
#include "case_kernels.h"
#include "case_places.h"
#include "device_array.h"
#include "device_backend.h"
#include "expect_launched.h"
#include "packed_lines.h"

namespace mx::kernels {
namespace {

/// A stream for captures.
class capture_stream {
 public:
  capture_stream() {
    expect_done(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  capture_stream(const capture_stream&) = delete;
  capture_stream& operator=(const capture_stream&) = delete;
  ~capture_stream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The launches of a function as a graph that can be launched.
class captured_graph {
 public:
  captured_graph(const capture_stream& on, const std::function<status(stream)>& launches) {
    expect_done(cudaStreamBeginCapture(on.get(), cudaStreamCaptureModeGlobal),
                "cudaStreamBeginCapture");
    const status answer = launches(on.get());
    // A launch that fails ends the capture too, and says more.
    const cudaError_t ended = cudaStreamEndCapture(on.get(), &graph_);
    expect_launched(answer);
    expect_done(ended, "cudaStreamEndCapture");
    expect_done(cudaGraphInstantiate(&launched_, graph_, 0), "cudaGraphInstantiate");
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph() {
    cudaGraphExecDestroy(launched_);
    cudaGraphDestroy(graph_);
  }
  void launch(const capture_stream& on) const {
    expect_done(cudaGraphLaunch(launched_, on.get()), "cudaGraphLaunch");
    expect_done(cudaStreamSynchronize(on.get()), "cudaStreamSynchronize");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launched_ = nullptr;
};

template <class Case>
Case case_named(const std::vector<Case>& table, std::string_view name) {
  for (const Case& one : table) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no case has the name " + std::string(name));
}

case_result result_of(const std::string& difference) {
  return {difference.empty() ? outcome::equal : outcome::different, difference};
}

case_result captured_matrix(const kernel_case& one) {
  const case_input input = input_of(one);
  const std::vector<named_bytes> expected = results_of_core(one, input);
  const case_arrays arrays(one, input);
  const capture_stream on;
  const captured_graph graph(on, [&](stream s) { return launch(one, arrays.memory(), s); });
  std::string difference;
  for (int time = 0; time < 2 && difference.empty(); ++time) {
    arrays.empty_again();
    graph.launch(on);
    difference = difference_between(one, expected, arrays.results());
  }
  return result_of(difference);
}

case_result captured_product(const product_case& one) {
  const product_input input = input_of(one);
  const std::vector<std::uint32_t> expected = product_of_core(one, input);
  const device_bytes a(input.a.codes), a_scales(input.a.scales), b(input.b.codes),
      b_scales(input.b.scales), c(packed_numbers(input.c, 4));
  const std::vector<std::uint8_t> empty(expected.size() * 4, 0xEE);
  const device_bytes d(empty);
  gemm_request request{.plan = one.plan,
                       .shape = one.shape,
                       .a = {a.data(), input.a.storage, input.a.line_bytes, a_scales.data()},
                       .b = {b.data(), input.b.storage, input.b.line_bytes, b_scales.data()},
                       .c = c.data(),
                       .d = d.data(),
                       .kernel = one.kernel};
  const device_bytes workspace(static_cast<std::size_t>(gemm_workspace_bytes(request)));
  request.workspace = workspace.data();
  request.workspace_bytes = static_cast<std::int64_t>(workspace.size());
  const capture_stream on;
  const captured_graph graph(on, [&](stream s) { return gemm(request, s); });
  std::string difference;
  for (int time = 0; time < 2 && difference.empty(); ++time) {
    refill(d, empty);
    graph.launch(on);
    difference = difference_between(one.shape, expected, unpacked_numbers(values_of(d), 4));
  }
  return result_of(difference);
}

/// A batch whose products share launches.
case_result captured_batch(const grouped_case& one) {
  const grouped_input input = input_of(one);
  const std::vector<std::uint32_t> expected = products_of_core(one, input);
  const grouped_arrays arrays = grouped_arrays::of(one, input);
  std::vector<device_bytes> memory;
  grouped_memory at{};
  for (std::size_t i = 0; i < arrays.bytes.size(); ++i) {
    memory.emplace_back(arrays.bytes[i]);
    at[i] = memory.back().data();
  }
  gemm_batched_request request = batch_of(one, groups_of(one, input, arrays, at), arrays);
  const device_bytes workspace(static_cast<std::size_t>(gemm_workspace_bytes(request)));
  request.first.workspace = workspace.data();
  request.first.workspace_bytes = static_cast<std::int64_t>(workspace.size());
  const device_bytes& d = memory[grouped_arrays::d];
  const capture_stream on;
  const captured_graph graph(on, [&](stream s) { return gemm_batched(request, s); });
  std::string difference;
  for (int time = 0; time < 2 && difference.empty(); ++time) {
    refill(d, arrays.bytes[grouped_arrays::d]);
    graph.launch(on);
    difference = difference_between(one, expected, arrays.elements(one, values_of(d)));
  }
  return result_of(difference);
}

}  // namespace

std::vector<device_layer::own_case> graph_cases() {
  std::vector<device_layer::own_case> all;
  for (const std::string_view name : graph_matrices) {
    const kernel_case one = case_named(case_table(), name);
    all.push_back({"graph." + one.name, kernel_of(one), [one] { return captured_matrix(one); }});
  }
  const product_case product = case_named(product_table(), graph_product);
  all.push_back({"graph." + product.name, kernel_of(product),
                 [product] { return captured_product(product); }});
  const grouped_case batch = case_named(grouped_table(), graph_batch);
  all.push_back(
      {"graph." + batch.name, kernel_of(batch), [batch] { return captured_batch(batch); }});
  return all;
}

}  // namespace mx::kernels
