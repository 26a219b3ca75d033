// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_threads_test.cpp: several contexts in one thread and in many are independent:
// model, bits, errors and intermediates.
#include <latch>
#include <thread>

#include "catch.h"
#include "models.h"

namespace {

TEST_CASE("contexts_beside_each_other_keep_model_record_and_errors_for_themselves") {
  const std::vector<dpi::choice> choices = dpi::choices();
  std::vector<dpi::context> contexts;
  for (const dpi::choice& choice : choices) {
    contexts.push_back(dpi::made());
    REQUIRE(choice.select(contexts.back()) == mx_dpi_ok);
  }
  std::vector<svBitVecVal> results(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const cross::dot_word word = choices[i].words(1).front();
    CHECK(choices[i].operands_of(word).multiply(contexts[i], results[i]) == mx_dpi_ok);
    CHECK(results[i] == choices[i].expected(word));
  }
  static_cast<void>(mx_dpi_dot_select(contexts[2].get(), "nothing", "", "", "", 0, 0));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    unsigned steps = 0, terms = 0;
    int largest = 0, unit = 0, why = 0;
    svBit sticky = 0;
    svBitVecVal sum[4], discarded[4], d = 0;
    CHECK(mx_dpi_step_count(contexts[i].get(), &steps) == mx_dpi_ok);
    CHECK(mx_dpi_step(contexts[i].get(), steps - 1, &largest, &unit, &terms, sum, discarded,
                      &sticky, &why, &d) == mx_dpi_ok);
    CHECK(d == results[i]);
    CHECK(dpi::errors_of(contexts[i]) == (i == 2 ? 1 : 0));
  }
}

/// Differences seen by a thread in its own context.
int differences(const dpi::choice& choice) {
  const dpi::context context = dpi::made();
  int wrong = choice.select(context) == mx_dpi_ok ? 0 : 1;
  unsigned refused = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (const cross::dot_word& word : choice.words(2)) {
      svBitVecVal d = 0;
      wrong += choice.operands_of(word).multiply(context, d) == mx_dpi_ok ? 0 : 1;
      wrong += d == choice.expected(word) ? 0 : 1;
    }
    wrong += mx_dpi_dot_select(context.get(), choice.model, "e9m9", "", "", 0, 0) == mx_dpi_bad_name
                 ? 0
                 : 1;
    wrong += dpi::errors_of(context) == ++refused ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("threads_with_contexts_of_their_own_get_the_bits_of_the_core") {
  const std::vector<dpi::choice> choices = dpi::choices();
  std::vector<int> wrong(8, -1);
  std::latch all_are_there(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      all_are_there.arrive_and_wait();
      wrong[t] = differences(choices[t % choices.size()]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) CHECK(count == 0);
}

}  // namespace
