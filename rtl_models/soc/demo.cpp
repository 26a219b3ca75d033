// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/demo.cpp: mx_soc_demo FILE: runs the products that mx_export_products wrote
// through the system under blackwell.mxf4, and prints for each linear and pass its cost and the
// SHA-256 of all D, beside that of mx::gemm. Exit status: 0 equal, 1 they differ, 2 bad input.
#include <openssl/evp.h>

#include <cstdio>
#include <memory>
#include <string_view>

#include "golden/io/tensor_file.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/models.h"
#include "rtl_models/soc/system.h"

namespace {

using golden::io::tensor;
using hardware::product_cost;
using hardware::product_operands;

constexpr const char* model = "blackwell.mxf4";

class sha256 {
 public:
  sha256() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(const std::vector<std::uint32_t>& values) {
    EVP_DigestUpdate(context_.get(), values.data(), values.size() * sizeof values[0]);
  }
  [[nodiscard]] std::string hexadecimal() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest, &length) != 1) {
      throw std::runtime_error("SHA-256 is not available in the OpenSSL library");
    }
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
      char byte[3];
      std::snprintf(byte, sizeof byte, "%02x", digest[i]);
      text += byte;
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free};
};

/// Products of one name in the file, with validated shapes.
class product_group {
 public:
  product_group(const golden::io::tensor_file& file, const std::string& name)
      : a_(file.at(name + ".a")),
        b_(file.at(name + ".b")),
        scale_a_(file.at(name + ".scale_a")),
        scale_b_(file.at(name + ".scale_b")) {
    for (const tensor* of : {&a_, &b_, &scale_a_, &scale_b_}) {
      const bool fits = of->type == golden::io::dtype::u8 && of->shape.size() == 3 &&
                        of->shape[0] == a_.shape[0] &&
                        of->shape[2] == a_.shape[2] / (of == &a_ || of == &b_ ? 1 : 16);
      if (!fits) throw golden::io::file_error(file.path(), of->name, "is no operand");
    }
    if (scale_a_.shape[1] != a_.shape[1] || scale_b_.shape[1] != b_.shape[1]) {
      throw golden::io::file_error(file.path(), name, "has other scales than codes");
    }
    const bool is_empty = count() == 0 || a_.shape[1] == 0 || b_.shape[1] == 0 || a_.shape[2] == 0;
    if (is_empty || a_.shape[2] * 2 % hardware::tile_shape::k != 0) {
      throw golden::io::file_error(file.path(), name,
                                   "is no product that the tensor core takes: no size is 0, and K "
                                   "is a multiple of 64");
    }
  }
  [[nodiscard]] std::uint64_t count() const { return a_.shape[0]; }
  [[nodiscard]] product_operands operator[](std::uint64_t i) const {
    const auto part = [&](const tensor& of) {
      const std::uint64_t size = of.shape[1] * of.shape[2];
      return std::span(reinterpret_cast<const std::uint8_t*>(of.bytes.data()) + i * size, size);
    };
    return {a_.shape[1], b_.shape[1],    a_.shape[2] * 2, part(a_),
            part(b_),    part(scale_a_), part(scale_b_)};
  }

 private:
  const tensor &a_, &b_, &scale_a_, &scale_b_;
};

std::vector<std::uint32_t> by_gemm(const product_operands& of) {
  mx::gemm_plan plan;
  plan.model = mx::model_named(model)->model;
  const auto operand = [&](std::span<const std::uint8_t> codes,
                           std::span<const std::uint8_t> scales) {
    return mx::gemm_operand{codes.data(), mx::code_storage::pairs,
                            static_cast<std::int64_t>(of.k / 2), scales.data()};
  };
  std::vector<std::uint32_t> d(of.m * of.n);
  mx::gemm(plan,
           {static_cast<std::int64_t>(of.m), static_cast<std::int64_t>(of.n),
            static_cast<std::int64_t>(of.k)},
           operand(of.a, of.scale_a), operand(of.b, of.scale_b), nullptr, d.data());
  return d;
}

/// Runs a group and prints its line; returns whether both hashes are equal.
bool run(hardware::soc& system, const std::string& name, const product_group& group) {
  sha256 hash, wanted;
  product_cost all;
  for (std::uint64_t i = 0; i < group.count(); ++i) {
    product_cost cost;
    hash.add(system.multiply(model, group[i], cost));
    wanted.add(by_gemm(group[i]));
    all.time += cost.time;
    all.cycles += cost.cycles;
    all.core_bytes += cost.core_bytes;
    all.dma_bytes += cost.dma_bytes;
  }
  const product_operands first = group[0];
  const std::string seen = hash.hexadecimal(), gemm = wanted.hexadecimal();
  std::printf(
      "%-13s %4llu x (%llu, %llu, %llu)  %9llu cycles  %9llu bytes core  %9llu bytes DMA"
      "  %8.1f us  %s%s\n",
      name.c_str(), static_cast<unsigned long long>(group.count()),
      static_cast<unsigned long long>(first.m), static_cast<unsigned long long>(first.n),
      static_cast<unsigned long long>(first.k), static_cast<unsigned long long>(all.cycles),
      static_cast<unsigned long long>(all.core_bytes),
      static_cast<unsigned long long>(all.dma_bytes), all.time.to_seconds() * 1e6, seen.c_str(),
      seen == gemm ? "" : " differs from mx::gemm");
  return seen == gemm;
}

int run_all(const std::string& path) {
  const golden::io::tensor_file file = golden::io::load(path);
  tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(1, sc_core::SC_US));
  hardware::soc system("system");
  int groups = 0, wrong = 0;
  for (const char* pass : {"forward", "dgrad", "wgrad"}) {
    for (const char* linear : {"q", "k", "v", "o", "gate", "up", "down"}) {
      const std::string name = std::string(pass) + "." + linear;
      wrong += run(system, name, product_group(file, name)) ? 0 : 1;
      ++groups;
    }
  }
  std::printf("%d of %d have the bits of mx::gemm\n", groups - wrong, groups);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int count, char** words) {
  const bool is_asked = count == 2 && std::string_view(words[1]) == "--help";
  if (count != 2 || is_asked) {
    std::fputs("usage: mx_soc_demo FILE\n", is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
  }
  try {
    return run_all(words[1]);
  } catch (const std::runtime_error& e) {
    std::fprintf(stderr, "mx_soc_demo: error: %s\n", e.what());
    return 2;
  }
}
