// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/wrong_backend_test.cpp: a backend that is wrong in one bit is found,
// reported and stored for every request; and the command in its bundle explains it.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "bundle.h"
#include "catch.h"
#include "committed_words.h"
#include "cross_check.h"
#include "graph_cases.h"
#include "scratch_folder.h"

using namespace mx::kernels;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The core with the lowest bit of the last byte or word of every answer flipped.
backend flipped() {
  const auto last_flipped = [](std::vector<std::uint32_t> d) {
    d.back() ^= 1;
    return d;
  };
  return {[](const kernel_case& one, const case_input& input) {
            std::vector<named_bytes> results = results_of_core(one, input);
            results.back().bytes.back() ^= 1;
            return results;
          },
          [=](const product_case& one, const product_input& input) {
            return last_flipped(product_of_core(one, input));
          },
          [=](const corrected_case& one, const corrected_input& input) {
            return last_flipped(corrected_product_of_core(one, input));
          },
          [=](const value_case& one, const value_input& input) {
            return last_flipped(values_of_core(one, input));
          },
          [=](const grouped_case& one, const grouped_input& input) {
            return last_flipped(products_of_core(one, input));
          }};
}

/// Runs the cases whose name contains a text on the wrong backend: their number, the reports, the
/// stored files.
struct wrong_run {
  test::scratch_folder folder;
  std::ostringstream out;
  tally sum;

  template <class Case>
  wrong_run(const std::vector<Case>& cases, const std::string& only)
      : sum(check(cases, flipped(), {only, folder / "all", &out})) {}

  [[nodiscard]] std::filesystem::path stored(const std::string& name) const {
    return folder / "all" / name;
  }
  [[nodiscard]] std::string readme(const std::string& name) const {
    return text_of(stored(name) / "README.txt");
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The results of the commands of a README: the exit status of each, in its folder; empty if the
/// command is not built.
std::vector<int> statuses_of_commands(const std::filesystem::path& folder) {
  const char* command = std::getenv("MXPRISM");
  if (command == nullptr || !std::filesystem::exists(command)) return {};
  std::vector<int> statuses;
  std::istringstream lines(text_of(folder / "README.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("mxprism ")) continue;
    const std::string words = "cd '" + folder.string() + "' && '" + command + "'" +
                              line.substr(std::string("mxprism").size()) + " > output.txt 2>&1";
    statuses.push_back(std::system(words.c_str()) >> 8);
  }
  return statuses;
}

/// Checks that each command of a folder finds the difference.
///   count  number of commands
void expect_explained(const std::filesystem::path& folder, std::size_t count) {
  const std::vector<int> statuses = statuses_of_commands(folder);
  INFO(text_of(folder / "README.txt") << text_of(folder / "output.txt"));
  if (!statuses.empty()) CHECK(statuses == std::vector<int>(count, 1));
}

}  // namespace

TEST_CASE("a_wrong_bit_of_a_matrix_is_found_in_every_case") {
  const wrong_run run(case_table(), "");
  CHECK(run.sum.cases == static_cast<int>(case_table().size()));
  CHECK(run.sum.different == run.sum.cases);
  CHECK(run.sum.unanswered == 0);
  const std::string name = "quantize.mxfp4.rceil.nearest-even.bf16.39x1024.linear.rows";
  CHECK(holds(run.out.str(), name + ": rows.scales, byte 1247: 0x"));
  CHECK(holds(run.readme(name), "rows.scales, byte 1247: 0x"));
  expect_explained(run.stored(name), 1);
  const std::string both = "quantize.mxfp8-e4m3.even.nearest-even.fp32.40x300.linear.both";
  CHECK(holds(run.readme(both), "columns.scales, byte 599: 0x"));
  CHECK(holds(run.readme(both), ", column 299, block 1\n"));
  CHECK(holds(run.readme(name), ", row 38, block 31\n"));
  CHECK(holds(run.readme("dequantize.mxfp4.bf16.24x1024"), ", row 23, column 1023\n"));
  CHECK(holds(run.readme("dequantize.mxfp4.fp32.5x1003"), ", row 4, column 1002\n"));
  const std::string tall = "quantize.fp8-128x128.ideal.nearest-even.fp16.129x260.linear.both";
  CHECK(holds(run.readme(tall), ", line of blocks 2, block 1\n"));
  CHECK(text_of(run.stored(both) / "columns.scales.bin").size() == 600);
}

TEST_CASE("a_wrong_bit_of_a_product_is_found_with_words_and_matrices_that_show_it") {
  const wrong_run run(product_table(), ".33x17x96.");
  CHECK(run.sum.cases > 30);
  CHECK(run.sum.different == run.sum.cases);
  for (const std::string arithmetic : {"fp32.sequential.mxfp4", "blackwell.mxf4"}) {
    const std::string name = "gemm." + arithmetic + ".33x17x96.near.near.mma";
    CHECK(holds(run.out.str(), name + ": (32, 16): 0x"));
    CHECK(
        holds(run.readme(name), "mxprism verify d.safetensors --gemm a.safetensors b.safetensors"));
    expect_explained(run.stored(name), 2);
  }
}

TEST_CASE("a_wrong_bit_of_a_corrected_product_is_found_and_its_arrays_are_stored") {
  const wrong_run run(corrected_table(), ".near.fma_small");
  CHECK(run.sum.cases > 10);
  CHECK(run.sum.different == run.sum.cases);
  const std::string name = "gemm_corrected.second-pass.33x17x160.span48.near.fma_small";
  CHECK(holds(run.readme(name), "(32, 16): 0x"));
  CHECK(text_of(run.stored(name) / "d.bin").size() == 33 * 17 * 4);
  CHECK(text_of(run.stored(name) / "rest.scales.bin").size() == 33 * 5);
}

TEST_CASE("a_wrong_bit_of_a_product_of_values_is_found_and_its_arrays_are_stored") {
  const wrong_run run(value_table(), "");
  CHECK(run.sum.cases == static_cast<int>(value_table().size()));
  CHECK(run.sum.different == run.sum.cases);
  const std::string name = "add_leaves.65x80.first5.count6.gap3";
  CHECK(holds(run.readme(name), "level 3, row 64, column 79: 0x"));
  CHECK(text_of(run.stored(name) / "results.bin").size() == 65 * 80 * 4 * 4);
  CHECK(text_of(run.stored(name) / "left.0.bin").size() == 3 * (65 + 3) * 4);
}

TEST_CASE("a_wrong_bit_of_one_of_several_products_is_found_with_words_that_show_it") {
  const wrong_run run(grouped_table(), "");
  CHECK(run.sum.cases == static_cast<int>(grouped_table().size()));
  CHECK(run.sum.different == run.sum.cases);
  CHECK(holds(run.out.str(), "grouped.fp32.sequential.mma: product 12, (7, 7): 0x"));
  CHECK(holds(run.out.str(), "batched.fp32.fma.fma: product 11, (34, 19): 0x"));
  CHECK(holds(
      text_of(run.folder / "all" / "grouped.fp32.sequential.mma" / "product12" / "README.txt"),
      "mxprism dot words.safetensors"));
}

TEST_CASE("a_case_that_differs_and_cannot_be_stored_differs") {
  const test::scratch_folder folder;
  std::ofstream(folder / "file") << "in the place of a folder";
  std::ostringstream out;
  const tally sum = check(value_table(), flipped(), {"", folder / "file" / "all", &out});
  CHECK(sum.different == static_cast<int>(value_table().size()));
  CHECK(holds(out.str(), ": not stored: "));
}

TEST_CASE("a_backend_without_products_of_values_compares_none") {
  backend silent = flipped();
  silent.values = nullptr;
  const tally sum = check(value_table(), silent, {});
  CHECK(sum.unanswered == static_cast<int>(value_table().size()));
  CHECK(sum.cases + sum.different == 0);
}

TEST_CASE("a_wrong_bit_of_goldens_word_is_told_with_its_label") {
  const std::vector<word_product> words = word_products_of(test::committed_words()).products;
  struct stored_word {
    std::string name;
    std::size_t commands;
  };
  for (const stored_word& kind : {stored_word{"words.hopper.mma.f16.f16.", 1},
                                  {"words.ampere.mma.tf32.f32.", 1},
                                  {"words.blackwell.mxf4nvf4.e2m1.", 2},
                                  {"words.blackwell.mxf4nvf4.ue8m0.", 1},
                                  {"words.fp32.pairwise.int8.", 1}}) {
    const wrong_run run(words, kind.name);
    CHECK(run.sum.cases > 0);
    CHECK(run.sum.different == run.sum.cases);
    CHECK(holds(run.out.str(), "golden's word "));
    for (const word_product& one : words) {
      if (!one.product.name.starts_with(kind.name)) continue;
      expect_explained(run.stored(one.product.name), kind.commands);
    }
  }
}

TEST_CASE("a_wrong_bit_of_goldens_blocks_is_told_with_the_label_of_its_block") {
  const std::vector<golden_blocks> blocks =
      golden_blocks_of(golden::words::blocks_in(test::golden_folder("vectors") / "blocks"));
  const wrong_run run(blocks, "");
  CHECK(run.sum.different == static_cast<int>(blocks.size()));
  expect_explained(run.stored("blocks.mxfp4.floor.stochastic.fp32"), 1);
  const std::string name = "blocks.mxfp4.even.nearest-even.fp16";
  CHECK(holds(run.out.str(), name + ": rows.scales, byte 4: 0x"));
  CHECK(holds(run.readme(name), ", golden's block inf"));
  CHECK(holds(run.out.str(), name + ".back: out, byte 639: 0x"));
  expect_explained(run.stored(name), 1);
}

TEST_CASE("bundles_of_right_answers_are_exact_for_the_commands_they_name") {
  const test::scratch_folder folder;
  const auto expect_exact = [&](const std::string& name) {
    INFO(text_of(folder / name / "README.txt"));
    for (const int status : statuses_of_commands(folder / name)) CHECK(status == 0);
  };
  int matrices = 0, words = 0;
  for (const kernel_case& one : case_table()) {
    if (one.name != "quantize.mxfp4.rceil.nearest-even.bf16.39x1024.linear.rows") continue;
    ++matrices;
    const case_input input = input_of(one);
    write_bundle(folder / "", one, input, results_of_core(one, input), "none");
    expect_exact(one.name);
  }
  const auto expect_exact_product = [&](const product_case& one, const product_input& input) {
    const std::vector<std::uint32_t> d = product_of_core(one, input);
    write_bundle(folder / "", one, input, d, d.size() / 2, "none");
    expect_exact(one.name);
  };
  for (const product_case& one : product_table()) {
    if (one.shape.m == 33 && one.kernel == gemm_kernel::core) {
      expect_exact_product(one, input_of(one));
    }
  }
  for (const word_product& one : word_products_of(test::committed_words()).products) {
    const bool is_first_of_model = one.product.name.find(".k1.core") != std::string::npos;
    if (!is_first_of_model) continue;
    ++words;
    expect_exact_product(one.product, one.input);
  }
  CHECK(matrices == 1);
  CHECK(words > 5);
}

TEST_CASE("cases_that_a_graph_captures_are_in_the_tables") {
  const auto has = [](const auto& table, std::string_view name) {
    return std::any_of(table.begin(), table.end(),
                       [name](const auto& one) { return one.name == name; });
  };
  for (const std::string_view name : graph_matrices) CHECK(has(case_table(), name));
  CHECK(has(product_table(), graph_product));
  CHECK(has(grouped_table(), graph_batch));
}

TEST_CASE("what_a_backend_throws_names_the_case") {
  backend broken = flipped();
  broken.products = [](const product_case&, const product_input&) -> std::vector<std::uint32_t> {
    throw std::runtime_error("d is a null pointer");
  };
  CHECK_THROWS_WITH(check(product_table(), broken, {}),
                    product_table().front().name + ": d is a null pointer");
}

TEST_CASE("a_case_without_an_answer_is_counted_and_none_is_compared") {
  backend silent = flipped();
  silent.corrected = [](const corrected_case&, const corrected_input&) { return std::nullopt; };
  const tally sum = check(corrected_table(), silent, {});
  CHECK(sum.unanswered == static_cast<int>(corrected_table().size()));
  CHECK(sum.cases + sum.different == 0);
}
