// SPDX-License-Identifier: Apache-2.0
// sim/train/step_hash.cpp: what a step did, as one number.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

#include "sim/train/trainer.h"

namespace sim {
namespace {

class sha256 {
 public:
  sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    require(EVP_DigestUpdate(context_.get(), values.data(), values.size() * sizeof(T)) == 1);
  }
  [[nodiscard]] std::string hexadecimal() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest, &length) == 1);
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  static void require(bool done) {
    if (!done) throw std::runtime_error("SHA-256 is not available in the OpenSSL library");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string step_hash(const training_state& state, const rollout_step& step) {
  sha256 hash;
  hash.add(state.weights);
  hash.add(state.optimizer.m);
  hash.add(state.optimizer.v);
  for (const rollout& r : step.rollouts) hash.add(r.tokens.tokens);
  hash.add(step.rewards);
  return hash.hexadecimal();
}

}  // namespace sim
