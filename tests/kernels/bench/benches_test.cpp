// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/benches_test.cpp: measurements on a fake device with a known clock: counted
// bytes and operations, comparison figures, and requests that launchers accept.
#include "benches.h"

#include <algorithm>

#include "catch.h"
#include "fake_device.h"
#include "measures.h"

using namespace mx::kernels;
using fake_device::now;

namespace {

constexpr double elements = 1 << 30;
constexpr double operations = 2.0 * 8192 * 8192 * 8192;

figure named(const std::vector<figure>& figures, const std::string& name) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const figure& f) { return f.name == name; });
  if (found == figures.end()) FAIL("there is no " << name);
  return *found;
}

/// Rates, not bits: CUDA reports milliseconds in FP32.
void check(const figure& f, double value, double yardstick) {
  INFO(f.name);
  REQUIRE(f.value);
  REQUIRE(f.yardstick_value);
  CHECK(*f.value == Approx(value));
  CHECK(*f.yardstick_value == Approx(yardstick));
}

std::string reason_of(const char* name) {
  try {
    static_cast<void>(figures_of(name));
  } catch (const not_measurable& why) {
    return why.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every_measure_is_told_first_and_once_and_all_requests_are_taken") {
  now() = {};
  for (const measure& m : measures) {
    const std::vector<figure> figures = figures_of(m.name);
    CHECK(figures.front().name == m.name);
    for (std::size_t i = 1; i < figures.size(); ++i) CHECK(figures[i].name.rfind("extra.", 0) == 0);
  }
  CHECK(now().refused == std::vector<std::string>{});
}

TEST_CASE("quantizers_count_the_bytes_that_they_read_and_write") {
  now() = {};
  const std::vector<figure> bf16 = figures_of("cuda.quantize.mxfp4");
  const double bytes = elements * (2 + 17.0 / 32), copy = bytes / fake_device::copy_seconds * 1e-9;
  check(bf16[0], bytes / fake_device::rceil_seconds * 1e-9, copy);
  check(named(bf16, "extra.cuda.quantize.mxfp4.floor"), bytes / fake_device::floor_seconds * 1e-9,
        copy);
  check(named(bf16, "extra.cuda.quantize.mxfp4.both"),
        elements * (2 + 17.0 / 16) / fake_device::other_seconds * 1e-9, copy);
  check(named(bf16, "extra.cuda.quantize.nvfp4"),
        elements * (2 + 9.0 / 16) / fake_device::other_seconds * 1e-9, copy);
  check(named(bf16, "extra.cuda.fake_quantize.mxfp4"),
        elements * 4 / fake_device::other_seconds * 1e-9, copy);
  const std::vector<figure> fp32 = figures_of("cuda.quantize.mxfp4.fp32");
  const double wide = elements * (4 + 17.0 / 32);
  check(fp32[0], wide / fake_device::rceil_seconds * 1e-9, wide / fake_device::copy_seconds * 1e-9);
  CHECK(named(fp32, "extra.cuda.dequantize.mxfp4.fp32").value);
}

TEST_CASE("a_decomposition_stands_beside_the_fastest_read") {
  now() = {};
  const std::vector<figure> figures = figures_of("cuda.decompose.mxfp4");
  REQUIRE(figures.size() == 1);
  check(figures[0], 4 * elements / fake_device::decompose_seconds * 1e-9,
        4 * elements / (8 * fake_device::millisecond) * 1e-9);
}

TEST_CASE("products_stand_beside_the_faster_order_of_cublas") {
  now() = {};
  const std::vector<figure> figures = figures_of("cuda.gemm.blackwell.mxf4.spread");
  const double beside = operations / fake_device::blas_columns_seconds * 1e-12;
  check(figures[0], operations / fake_device::mma_seconds * 1e-12, beside);
  check(named(figures, "extra.cuda.gemm.blackwell.mxf4.spread.dp4a"),
        operations / fake_device::dp4a_seconds * 1e-12, beside);
  CHECK(figures[0].yardstick == "cuBLAS 1.2.3 BF16, B stored (K,N)");
}

TEST_CASE("kernels_that_leave_spread_scales_to_the_core_are_not_timed_on_them") {
  now() = {};
  const auto with_warpgroups = [](const std::string& name) {
    return std::ranges::count_if(figures_of(name), [](const figure& f) {
      return f.name.find("wgmma") != std::string::npos;
    });
  };
  CHECK(with_warpgroups("cuda.gemm.blackwell.mxf4") > 0);
  CHECK(with_warpgroups("cuda.gemm.blackwell.mxf4.spread") == 0);
}

TEST_CASE("nvfp4_is_timed_where_a_fast_kernel_serves_it") {
  now() = {};
  const std::vector<figure> sequential = figures_of("cuda.gemm.fp32.sequential");
  CHECK(*named(sequential, "extra.cuda.gemm.fp32.sequential.nvfp4").value ==
        Approx(operations / fake_device::mma_seconds * 1e-12));
  CHECK(*named(sequential, "extra.cuda.gemm.fp32.sequential.nvfp4.dp4a").value ==
        Approx(operations / fake_device::dp4a_seconds * 1e-12));
  for (const figure& f : figures_of("cuda.gemm.blackwell.mxf4.spread")) {
    CHECK(f.name.find("nvfp4") == std::string::npos);
  }
}

TEST_CASE("a_product_without_cublas_has_no_ratio_and_says_why") {
  now() = {};
  now().has_cublas = false;
  const figure f = figures_of("cuda.gemm.fp32.sequential").front();
  CHECK(*f.value == Approx(operations / fake_device::mma_seconds * 1e-12));
  CHECK_FALSE(f.ratio());
  CHECK(f.yardstick == "there is no cuBLAS");
}

TEST_CASE("a_kernel_that_the_device_lacks_is_told_and_the_others_are_timed") {
  now() = {};
  now().lacks = gemm_kernel::mma;
  const std::vector<figure> figures = figures_of("cuda.gemm.fp32.sequential");
  const figure lacking = named(figures, "extra.cuda.gemm.fp32.sequential.mma");
  CHECK_FALSE(lacking.value);
  CHECK(lacking.yardstick.find("the kernel was not compiled for this device") == 0);
  const double beside = operations / fake_device::blas_columns_seconds * 1e-12;
  check(named(figures, "extra.cuda.gemm.fp32.sequential.dp4a"),
        operations / fake_device::dp4a_seconds * 1e-12, beside);
}

TEST_CASE("the_device_s_own_instructions_are_timed_where_they_serve_the_model") {
  now() = {};
  CHECK(
      named(figures_of("cuda.gemm.blackwell.mxf4"), "extra.cuda.gemm.blackwell.mxf4.native").value);
  for (const figure& f : figures_of("cuda.gemm.fp32.sequential")) {
    CHECK(f.name.find("native") == std::string::npos);
  }
}

TEST_CASE("a_kernel_that_does_not_serve_a_product_has_no_row") {
  now() = {};
  const std::size_t all = figures_of("cuda.gemm.blackwell.mxf4.spread").size();
  now().unserved = gemm_kernel::dp4a;
  CHECK(figures_of("cuda.gemm.blackwell.mxf4.spread").size() == all - 1);
}

TEST_CASE("what_cannot_be_measured_is_refused_before_any_work") {
  now() = {};
  now().free_bytes = std::uint64_t{1} << 30;
  for (const measure& m : measures) {
    CHECK(reason_of(m.name.data()).find("MiB of the device's memory, and 1024 are free") !=
          std::string::npos);
  }
  now() = {};
  now().devices = 0;
  CHECK(device_absence() == "no CUDA device can be used: CUDA's words");
  CHECK(reason_of("cuda.quantize.mxfp4") == device_absence());
  now().driver = 0;
  CHECK(device_absence() == "no CUDA device can be used: there is no NVIDIA driver");
  CHECK(now().seconds == 0);
}

TEST_CASE("a_device_is_told_as_cuda_names_it") {
  now() = {};
  CHECK(device_absence().empty());
  CHECK(text_of(device_in_use_now()) ==
        "a fake, compute capability 12.1, driver 13.2, runtime 12.8");
}
