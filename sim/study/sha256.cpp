// SPDX-License-Identifier: Apache-2.0
// sim/study/sha256.cpp: see sha256.h.
#include "sim/study/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <stdexcept>

namespace sim {
namespace {

void require(bool done) {
  if (!done) throw std::runtime_error("SHA-256 is not available in the OpenSSL library");
}

EVP_MD_CTX* of(void* context) { return static_cast<EVP_MD_CTX*>(context); }

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

void sha256::freed::operator()(void* context) const noexcept { EVP_MD_CTX_free(of(context)); }

sha256::sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr && EVP_DigestInit_ex(of(context_.get()), EVP_sha256(), nullptr) == 1);
}

void sha256::add(std::span<const std::uint8_t> bytes) {
  require(EVP_DigestUpdate(of(context_.get()), bytes.data(), bytes.size()) == 1);
}

void sha256::add_text(std::string_view text) {
  add(bytes_of(fmt::format("{}:", text.size())));
  add(bytes_of(text));
}

std::string sha256::hexadecimal() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(of(context_.get()), digest, &length) == 1);
  return fmt::format("{:02x}", fmt::join(digest, digest + length, ""));
}

std::string sha256_of(std::string_view text) {
  sha256 sum;
  sum.add(bytes_of(text));
  return sum.hexadecimal();
}

}  // namespace sim
