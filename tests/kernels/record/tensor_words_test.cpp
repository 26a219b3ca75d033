// SPDX-License-Identifier: Apache-2.0
// tests/kernels/record/tensor_words_test.cpp: the recorder's words by tcgen05, with the emulator's
// model as stand-in for the instruction: where a word's codes, scales and C are placed, and how its
// steps are chained.
#include "tensor_words.h"

#include <vector>

#include "catch.h"
#include "tests/kernels/grid/host_tensor_thread.h"
#include "tests/vectors/committed_words.h"

using namespace mx::kernels;
using kernels_test::host_tensor_thread;
using kernels_test::tensor_core;

namespace {

template <native_kind Kind>
struct host_instruction {
  static constexpr instruction_shape shape{{4}, {4}, 64, native_model<Kind>.block};
  static void run(const host_tensor_thread& self, const tensor_word_operands& of) {
    constexpr auto scales = Kind == native_kind::mxf4 ? scale_type::ue8m0 : scale_type::ue4m3;
    self.multiply_tensors<Kind>(of.d, of.a, of.b,
                                scaled_instruction({1, scales, 0, tensor_word_columns}),
                                of.scales_a, of.scales_b);
  }
};

/// Words of a file in sequence, as devices.cu sends them.
struct sent_words {
  std::vector<std::uint32_t> a, b, scale_a, scale_b, c, d;
  std::vector<int> begin{0}, scale_begin{0};

  explicit sent_words(const golden::words::word_file& from) {
    for (const auto& section : from.sections) {
      for (const auto& word : section.words) add(word);
    }
  }
  void add(const golden::words::dot_word& word) {
    a.insert(a.end(), word.a.begin(), word.a.end());
    b.insert(b.end(), word.b.begin(), word.b.end());
    scale_a.insert(scale_a.end(), word.scale_a.begin(), word.scale_a.end());
    scale_b.insert(scale_b.end(), word.scale_b.begin(), word.scale_b.end());
    c.push_back(word.c);
    d.push_back(word.d);
    begin.push_back(static_cast<int>(a.size()));
    scale_begin.push_back(static_cast<int>(scale_a.size()));
  }
};

template <native_kind Kind>
std::size_t differences(const char* model) {
  const sent_words sent(
      golden::words::read_words(test::folder_of_words() / (std::string(model) + ".txt")));
  std::vector<std::uint32_t> d(sent.d.size(), 0xEEEEEEEE);
  const device_words words{sent.a.data(),           sent.b.data(), sent.scale_a.data(),
                           sent.scale_b.data(),     sent.c.data(), sent.begin.data(),
                           sent.scale_begin.data(), d.data()};
  using enum kernels_test::moments::moment;
  std::deque<tensor_core> cores;
  for (std::size_t i = 0; i < d.size(); ++i) {
    cores.emplace_back(i % 2 == 0 ? kernels_test::moments{late, late}
                                  : kernels_test::moments{early, early});
  }
  kernels_test::run_grid(
      {d.size(), tensor_word_threads, sizeof(tensor_word_shared)},
      [&](const kernels_test::host_thread& self) {
        const host_tensor_thread thread(self, cores[self.block()]);
        tensor_word<host_instruction<Kind>, host_tensor_thread>(thread, words).run();
      });
  std::size_t different = 0;
  for (std::size_t i = 0; i < d.size(); ++i) different += d[i] != sent.d[i] ? 1 : 0;
  return different;
}

}  // namespace

TEST_CASE("recorded_words_go_to_a_tensor_core_and_come_back") {
  CHECK(differences<native_kind::mxf4>("blackwell.mxf4") == 0);
  CHECK(differences<native_kind::mxf4nvf4>("blackwell.mxf4nvf4") == 0);
}
