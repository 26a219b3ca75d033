// SPDX-License-Identifier: Apache-2.0
// tests/kernels/record/tensor_words_test.cpp: the recorder's words by tcgen05, with the emulator's
// model as stand-in for the instruction: how words are sent, where one's codes, scales and C are
// placed, how its steps are chained, and what of the answer is its result.
#include "tensor_words.h"

#include <vector>

#include "catch.h"
#include "sent_words.h"
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

std::vector<std::uint32_t> expected_of(const golden::words::word_file& file) {
  std::vector<std::uint32_t> d;
  for (const auto& section : file.sections) {
    for (const auto& word : section.words) d.push_back(word.d);
  }
  return d;
}

template <native_kind Kind>
std::size_t differences(const char* model) {
  const golden::words::word_file file =
      golden::words::read_words(test::folder_of_words() / (std::string(model) + ".txt"));
  const sent_words sent(file);
  const std::vector<std::uint32_t> expected = expected_of(file);
  std::vector<std::uint32_t> d(expected.size(), 0xEEEEEEEE);
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
  for (std::size_t i = 0; i < d.size(); ++i) different += d[i] != expected[i] ? 1 : 0;
  return different;
}

}  // namespace

TEST_CASE("recorded_words_go_to_a_tensor_core_and_come_back") {
  CHECK(differences<native_kind::mxf4>("blackwell.mxf4") == 0);
  CHECK(differences<native_kind::mxf4nvf4>("blackwell.mxf4nvf4") == 0);
}

TEST_CASE("each_word_begins_where_the_one_before_it_ends") {
  const golden::words::word_file file =
      golden::words::read_words(test::folder_of_words() / "blackwell.mxf4nvf4.txt");
  const sent_words sent(file);
  std::size_t i = 0;
  for (const auto& section : file.sections) {
    for (const auto& word : section.words) {
      const auto part = [](const auto& all, const auto& begin, std::size_t at) {
        return std::vector(all.begin() + begin[at], all.begin() + begin[at + 1]);
      };
      CHECK(part(sent.a, sent.begin, i) == word.a);
      CHECK(part(sent.b, sent.begin, i) == word.b);
      CHECK(part(sent.scale_a, sent.scale_begin, i) == word.scale_a);
      CHECK(part(sent.scale_b, sent.scale_begin, i) == word.scale_b);
      CHECK(sent.c[i++] == word.c);
    }
  }
  CHECK(sent.c.size() == i);
  CHECK(sent.begin.size() == i + 1);
}

TEST_CASE("a_result_is_the_bits_of_its_format_in_the_answer") {
  const auto answered = [](const std::string& c_and_d, const char* codes) {
    const std::string text = "version 1\nmodel one\nevidence none\noperands fp16 fp16 " + c_and_d +
                             "\nwords 1\nfirst 0000 0000 " + codes + "\n";
    return sent_words(golden::words::parsed_words("one.txt", text)).results({0x3C001234}).at(0);
  };
  CHECK(answered("fp16", "0000 0000") == 0x1234);
  CHECK(answered("fp32", "00000000 00000000") == 0x3C001234);
  CHECK(answered("fp32>fp16", "00000000 0000") == 0x1234);
}
