// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_policy.cpp: a checkpoint's logits and gradient as a program:
//   oracle_policy MODEL TEXTS RESULTS [FOLDER]
// reads texts (sim/assess/text_file.h) and writes, as safetensors, `logits` of every predicted
// token, text by text, and by their names the gradients of the mean cross entropy, in FP32. With
// FOLDER it also writes the model there.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "golden/io/tensor_file.h"
#include "sim/assess/text_file.h"
#include "sim/policy/batch_pass.h"
#include "sim/pretrained/model_weights.h"
#include "sim/train/trainer.h"

namespace {

golden::io::tensor tensor_of(const std::string& name, std::vector<std::uint64_t> shape,
                             const float* first, std::size_t count) {
  return {name,
          golden::io::dtype::f32,
          std::move(shape),
          {reinterpret_cast<const std::uint8_t*>(first), count * sizeof(float)},
          ""};
}

void run(int count, char** words) {
  const sim::model_file model = sim::open_model(words[1]);
  const sim::parameter_table table(model.shape);
  const std::vector<float> weights = sim::read_weights(model, table);
  const auto texts =
      sim::read_texts(words[2], {model.shape.vocabulary, sim::longest_sequence(model)}).texts;
  int longest = 0;
  for (const sim::sequence& s : texts) longest = std::max(longest, s.length());
  const sim::rope_table rope(longest, model.shape.head_width, model.shape.rope_theta);
  const auto forward = sim::prepare_forward(table, weights, {});
  const auto backward = sim::prepare_backward(table, weights, {});
  sim::batch_pass pass(table, rope, static_cast<int>(texts.size()));
  pass.take(texts);
  pass.forward(forward, {});
  const std::vector<float> logits = pass.parts().front().response_logits(forward);
  const float share = sim::token_share(texts);
  const std::vector<float> gradient = pass.gradient(
      forward, backward, {}, [&](int, int, const sim::token_outcome&) { return share; });
  const auto vocabulary = static_cast<std::uint64_t>(model.shape.vocabulary);
  std::vector<golden::io::tensor> tensors{
      tensor_of("logits", {logits.size() / vocabulary, vocabulary}, logits.data(), logits.size())};
  for (const sim::parameter& p : table.all()) {
    tensors.push_back(tensor_of(p.name, p.shape(), gradient.data() + p.offset,
                                static_cast<std::size_t>(p.count())));
  }
  golden::io::save(words[3], tensors);
  if (count > 4) sim::save_model(words[4], table, weights, sim::saved_numbers::fp32);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 4) throw std::invalid_argument("usage: oracle_policy MODEL TEXTS RESULTS [FOLDER]");
    run(count, words);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "oracle_policy: %s\n", e.what());
    return 1;
  }
  return 0;
}
