// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/bundle_test.cpp: `mxprism verify` reads the bundle written for a failed
// case.
#include "bundle.h"

#include "catch.h"
#include "golden/io/tensor_file.h"
#include "scratch_folder.h"

using namespace mx::kernels;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a_quantizer_is_written_as_tensors_with_the_command_that_explains") {
  const test::scratch_folder folder;
  for (const kernel_case& one : case_table()) {
    if (one.name != "quantize.mxfp4.rceil.nearest-even.bf16.39x1024.linear.rows") continue;
    const case_input input = input_of(one);
    const std::vector<named_bytes> found = results_of_core(one, input);
    write_bundle(folder / "all", one, input, found, "rows.codes, byte 5: 0x1A instead of 0x1B");
    const std::filesystem::path at = folder / "all" / one.name;
    const auto written = golden::io::load((at / "output.safetensors").string());
    REQUIRE(written.tensors().size() == 2);
    CHECK(golden::io::load((at / "input.safetensors").string()).tensors().size() == 1);
    const std::string text = text_of(at / "README.txt");
    CHECK(text.find("byte 5: 0x1A") != std::string::npos);
    CHECK(text.find("mxprism verify --input input.safetensors output.safetensors --format mxfp4 "
                    "--scale-rule rceil --rounding nearest-even") != std::string::npos);
    return;
  }
  FAIL("the case is gone");
}

TEST_CASE("other_cases_are_written_as_their_arrays") {
  const test::scratch_folder folder;
  for (const kernel_case& one : case_table()) {
    if (one.what != operation::dequantize) continue;
    const case_input input = input_of(one);
    write_bundle(folder / "all", one, input, empty_results(one), "out, byte 0");
    const std::filesystem::path at = folder / "all" / one.name;
    CHECK(text_of(at / "codes.bin").size() == input.codes.size());
    CHECK(text_of(at / "scales.bin").size() == input.scales.size());
    CHECK(text_of(at / "out.bin").size() == empty_results(one)[0].bytes.size());
    return;
  }
  FAIL("no case is dequantized");
}
