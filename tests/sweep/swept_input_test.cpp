// SPDX-License-Identifier: Apache-2.0
// tests/sweep/swept_input_test.cpp: laws of inputs have the published statistics of their blocks.
// Source of the table: blocks of 32 under MXFP4 with the OCP floor rule, measured apart from this
// program: amax over rms, share of elements that become zero, mean squared error over that of x
// under the floor rule and under an unrounded scale.
#include "sim/sweep/swept_input.h"

#include <tbb/global_control.h>

#include <cmath>
#include <set>

#include "catch.h"
#include "tests/sweep/sweep_text.h"

namespace {

struct law_row {
  const char* keys;
  double crest, zeroed, floor_error, ideal_error;
  double spread = .03;  ///< of errors between samples; t3 has no fourth moment
};

double mean_crest(const std::vector<float>& x) {
  double sum = 0;
  for (std::size_t b = 0; b < x.size(); b += 32) {
    double largest = 0, squares = 0;
    for (std::size_t i = b; i < b + 32; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
      squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    sum += largest / std::sqrt(squares / 32);
  }
  return sum / (static_cast<double>(x.size()) / 32);
}

}  // namespace

TEST_CASE("drawn_blocks_have_the_statistics_of_their_law") {
  const auto row =
      GENERATE(law_row{"law = \"gaussian\"", 2.36, .089, .0133, .0102},
               law_row{"law = \"student-t\"\ndegrees = 10", 2.57, .103, .0141, .0102},
               law_row{"law = \"student-t\"\ndegrees = 5", 2.81, .121, .0159, .0104},
               law_row{"law = \"student-t\"\ndegrees = 3", 3.18, .170, .0217, .0111, .1},
               law_row{"law = \"laplace\"", 2.87, .161, .0161, .0104},
               law_row{"law = \"outlier-channels\"\nfactor = 8", 3.79, .222, .0277, NAN},
               law_row{"law = \"outlier-channels\"\nfactor = 16", 4.55, .384, .0329, NAN},
               law_row{"law = \"outlier-channels\"\nfactor = 32", 5.01, .591, .0284, NAN});
  INFO(row.keys);
  const auto s = test::loaded(sim::sweep_in(
      std::string("[[grid]]\nformat = [\"mxfp4\", \"e2m1:exact:32\"]\n[[input]]\nname = \"x\"\n") +
          row.keys + "\nrows = 256\ncolumns = 4096\n",
      "s"));
  CHECK(mean_crest(s.inputs.front().drawn) == Approx(row.crest).epsilon(.015));
  sim::sweep_rows rows;
  const auto work = sim::work_of(s);
  sim::measure(s, work, rows, [](const sim::sweep_row&) {});
  CHECK(*rows.at(work[0].key).of("zeroed") == Approx(row.zeroed).epsilon(.03));
  CHECK(*rows.at(work[0].key).of("error") == Approx(row.floor_error).epsilon(row.spread));
  if (!std::isnan(row.ideal_error)) {
    CHECK(*rows.at(work[1].key).of("error") == Approx(row.ideal_error).epsilon(row.spread));
  }
}

TEST_CASE("drawn_numbers_are_the_same_for_any_number_of_threads") {
  sim::sweep_input of;
  of.law = sim::input_law::laplace;
  of.rows = 300, of.columns = 2048;
  const auto many = sim::drawn_input(of);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  CHECK(sim::drawn_input(of).drawn == many.drawn);
  of.seed = 2;
  CHECK(sim::drawn_input(of).drawn != many.drawn);
}

TEST_CASE("channels_are_columns_also_where_numbers_are_drawn_in_pieces") {
  sim::sweep_input of;
  of.rows = 3000, of.columns = 100;  // more than a piece, which no number of rows fills
  const std::vector<float> plain = sim::drawn_input(of).drawn;
  of.law = sim::input_law::outlier_channels;
  const std::vector<float> enlarged = sim::drawn_input(of).drawn;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool is_outlier = i % 100 % 32 == 0;
    wrong += enlarged[i] != (is_outlier ? plain[i] * of.factor : plain[i]) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("hashes_of_inputs_differ_where_their_numbers_do") {
  std::set<std::string> hashes;
  sim::sweep_input of;
  of.rows = 1, of.columns = 32;
  const auto is_new = [&] { return hashes.insert(sim::drawn_input(of).hash).second; };
  CHECK(is_new());
  of.deviation = 2;
  CHECK(is_new());
  of.law = sim::input_law::outlier_channels;
  CHECK(is_new());
  of.factor = 8;
  CHECK(is_new());
  of.columns_a_channel = 16;
  CHECK(is_new());
  of.law = sim::input_law::student_t;
  CHECK(is_new());
  of.degrees = 3;
  CHECK(is_new());
  const std::vector<std::uint16_t> bits(32, 0x3C00);
  for (const mx::number_type type : {mx::number_type::fp16, mx::number_type::bf16}) {
    CHECK(hashes.insert(sim::stored_input({}, {{"x", 1, 32, type, bits.data()}}).hash).second);
  }
}
