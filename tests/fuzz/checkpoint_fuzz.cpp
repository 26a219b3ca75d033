// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/checkpoint_fuzz.cpp: any bytes as a checkpoint of a policy of 42 parameters, unchanged
// and with a valid checksum.
#include "sim/train/checkpoint.h"

#include "golden/io/safetensors.h"
#include "require.h"

namespace {

sim::policy_shape smallest() {
  sim::policy_shape shape;
  shape.width = shape.head_width = shape.hidden = shape.vocabulary = 2;
  shape.layers = shape.heads = shape.kv_heads = 1;
  return shape;
}

void check(const golden::io::tensor_list& contents) {
  static const sim::parameter_table table(smallest());
  const auto parameters = static_cast<std::size_t>(table.count());
  try {
    const auto found = sim::checkpoint_in({"f", nullptr, contents}, table, "study");
    if (!found) return;
    fuzz::require(found->state.weights.size() == parameters, "a policy has all its weights");
    fuzz::require(found->state.step >= 0, "steps are counted from 0");
  } catch (const golden::io::file_error& error) {
    fuzz::require(std::string(error.what()).starts_with("f: "), "a refusal begins with the file");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  golden::io::tensor_list contents;
  try {
    contents = golden::io::parse_safetensors({data, size}, "f");
  } catch (const golden::io::file_error&) {
    return 0;  // the target safetensors checks the properties
  }
  check(contents);
  contents.metadata["study"] = "study";
  contents.metadata["sha256"] = sim::checkpoint_sum(contents.tensors, contents.metadata);
  check(contents);
  return 0;
}
