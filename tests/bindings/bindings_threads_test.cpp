// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_threads_test.cpp: threads with handles of their own, and threads that share
// one, get the same bits; a handle that is being made disturbs nobody.
#include <thread>

#include "coded_by_library.h"

namespace {

const char* const formats[] = {"mxfp4", "nvfp4", "mxfp8-e4m3", "mxfp4+mbs=128,8", "e2m1:e8m3:16"};

library::there_and_back alone(const char* name) {
  const auto f = library::format(name, "rounding=stochastic seed=9");
  return library::through(f.get(), {64, 257}, -1, library::numbers(64 * 257));
}

/// Whether a thread that makes its own handles sees what `expected` is, many times.
bool is_steady(const char* name, const library::there_and_back& expected) {
  const library::floats x = library::numbers(64 * 257);
  for (int repeat = 0; repeat < 4; ++repeat) {
    mxp_format* f = nullptr;
    char text[16] = "";
    mxp_error error{text, sizeof text, 0};
    if (mxp_format_create(name, "rounding=stochastic seed=9", &f, &error) != mxp_status_ok) {
      return false;
    }
    const bool same = library::through(f, {64, 257}, -1, x) == expected;
    mxp_format_destroy(f);
    if (!same) return false;
    if (mxp_format_create("mxfp5", nullptr, &f, &error) != mxp_status_bad_name) return false;
    if (error.length < 16 || text[15] != '\0') return false;
  }
  return true;
}

}  // namespace

TEST_CASE("threads_with_handles_of_their_own_get_the_same_bits") {
  std::vector<library::there_and_back> expected;
  for (const char* name : formats) expected.push_back(alone(name));
  std::vector<char> steady(10, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < steady.size(); ++t) {
    threads.emplace_back(
        [&, t] { steady[t] = is_steady(formats[t % 5], expected[t % 5]) ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < steady.size(); ++t) {
    INFO(formats[t % 5]);
    CHECK(steady[t] == 1);
  }
}

TEST_CASE("threads_may_share_a_handle") {
  const auto f = library::format("nvfp4");
  const library::floats x = library::numbers(64 * 257);
  const auto expected = library::through(f.get(), {64, 257}, 0, x);
  std::vector<library::there_and_back> got(8);
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&] { mine = library::through(f.get(), {64, 257}, 0, x); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : got) CHECK(mine == expected);
}
