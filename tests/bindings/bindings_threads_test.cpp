// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_threads_test.cpp: threads with their own handles and threads that share
// one get the same bits; creating a handle does not affect other threads.
#include <atomic>
#include <latch>
#include <thread>

#include "coded_by_library.h"

namespace {

const char* const formats[] = {"mxfp4", "nvfp4", "mxfp8-e4m3", "mxfp4+mbs=128,8", "e2m1:e8m3:16"};

library::there_and_back alone(const char* name, std::uint32_t seed) {
  const auto f = library::format(name, "rounding=stochastic seed=9");
  return library::through(f.get(), {64, 257}, -1, library::numbers(64 * 257, seed));
}

/// Whether a thread that creates its own handles gets `expected` in every repetition.
bool is_steady(const char* name, std::uint32_t seed, const library::there_and_back& expected) {
  const library::floats x = library::numbers(64 * 257, seed);
  for (int repeat = 0; repeat < 100; ++repeat) {
    mx_format* f = nullptr;
    char text[16] = "";
    mx_error error{text, sizeof text, 0};
    if (mx_format_create(name, "rounding=stochastic seed=9", &f, &error) != mx_status_ok) {
      return false;
    }
    const bool same = library::through(f, {64, 257}, -1, x) == expected;
    mx_format_destroy(f);
    if (!same) return false;
    if (mx_format_create("mxfp5", nullptr, &f, &error) != mx_status_bad_name) return false;
    if (error.length < 16 || text[15] != '\0') return false;
  }
  return true;
}

}  // namespace

TEST_CASE("threads_with_handles_of_their_own_get_the_same_bits") {
  std::vector<library::there_and_back> expected;
  for (std::uint32_t t = 0; t < 10; ++t) expected.push_back(alone(formats[t % 5], t));
  std::vector<char> steady(10, 0);
  std::latch all_are_there(10);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < steady.size(); ++t) {
    threads.emplace_back([&, t] {
      all_are_there.arrive_and_wait();
      steady[t] = is_steady(formats[t % 5], static_cast<std::uint32_t>(t), expected[t]) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < steady.size(); ++t) {
    INFO(formats[t % 5]);
    CHECK(steady[t] == 1);
  }
}

namespace {

/// The report on codes made by a rule other than the declared one.
std::string told_of(const mx_format* declared, const mx_format* used, const library::floats& x) {
  const std::vector<std::uint64_t> extents{64, 257};
  const mx_shape shape{extents.data(), 2, -1};
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  const library::coded_arrays arrays(used, shape);
  mx_verdict* verdict = nullptr;
  mx_verdict_facts facts{};
  facts.struct_size = sizeof facts;
  const bool made =
      mx_tensor_quantize(used, &shape, &numbers, arrays.get(), nullptr, nullptr) == mx_status_ok &&
      mx_tensor_verify(declared, &shape, &numbers, arrays.get(), nullptr, &verdict, nullptr) ==
          mx_status_ok &&
      mx_verdict_describe(verdict, &facts, nullptr) == mx_status_ok;
  const std::string text = made ? facts.text : "";
  mx_verdict_destroy(verdict);
  return text;
}

}  // namespace

TEST_CASE("threads_may_verify_at_the_same_time") {
  const auto floor = library::format("mxfp4"), other = library::format("mxfp4", "scale-rule=rceil");
  const library::floats x = library::numbers(64 * 257);
  const std::string expected = told_of(floor.get(), other.get(), x);
  CHECK(expected.find("because scale_rule: expected floor, found rceil") != std::string::npos);
  std::atomic<int> different{0};
  std::latch all_are_there(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      all_are_there.arrive_and_wait();
      for (int repeat = 0; repeat < 5; ++repeat) {
        if (told_of(floor.get(), other.get(), x) != expected) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}

TEST_CASE("threads_may_share_a_handle") {
  const auto f = library::format("nvfp4");
  const library::floats x = library::numbers(64 * 257);
  const auto expected = library::through(f.get(), {64, 257}, 0, x);
  std::atomic<int> different{0};
  std::latch all_are_there(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      all_are_there.arrive_and_wait();
      for (int repeat = 0; repeat < 100; ++repeat) {
        if (library::through(f.get(), {64, 257}, 0, x) != expected) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}
