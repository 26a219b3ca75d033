// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/dot_command_bench.cpp: `bench dot.command.blackwell.mxf4`: a process of
// `mxprism dot` on a file of words and results, from its start to its end.
// Floor: the bytes of the file over the rate at which one thread reads memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>
#include <stdexcept>

#include "golden/io/tensor_file.h"
#include "mx/dot/bulk_dot.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {
namespace {

namespace fs = std::filesystem;
namespace io = golden::io;

constexpr std::uint64_t word_count = 1 << 21, word_elements = 64;
constexpr int command_rounds = 7;

/// Words of `blackwell.mxf4` in a temporary file, which the destructor removes.
class file_of_words {
 public:
  file_of_words()
      : path_(fs::temp_directory_path() / fmt::format("mxprism-{}.safetensors", ::getpid())),
        a_(word_count * word_elements),
        b_(a_.size()),
        scales_(word_count * word_elements / 32),
        c_(word_count),
        d_(word_count) {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const auto bits = static_cast<std::uint32_t>(random());
      a_[i] = bits & 0xF, b_[i] = bits >> 4 & 0xF;
    }
    for (std::uint8_t& scale : scales_) scale = static_cast<std::uint8_t>(119 + random() % 17);
    for (std::uint32_t& bits : c_)
      bits = static_cast<std::uint32_t>(0x3F800000 + random() % 0x800000);
    mx::dot_all(mx::model_named("blackwell.mxf4")->model,
                {static_cast<std::int64_t>(word_count), static_cast<int>(word_elements), a_.data(),
                 b_.data(), scales_.data(), scales_.data(), c_.data(), d_.data()});
    save();
  }
  ~file_of_words() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  file_of_words(const file_of_words&) = delete;
  file_of_words& operator=(const file_of_words&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] const std::vector<std::uint8_t>& codes() const { return a_; }
  /// Of a word in the file.
  static constexpr std::uint64_t bytes = 2 * word_elements + 2 * word_elements / 32 + 2 * 4;

 private:
  template <class T>
  [[nodiscard]] io::tensor tensor(const char* name, io::dtype type,
                                  const std::vector<T>& from) const {
    io::tensor t{name, type, {word_count}, {}, path()};
    if (from.size() > word_count) t.shape.push_back(from.size() / word_count);
    t.bytes = {reinterpret_cast<const std::uint8_t*>(from.data()), from.size() * sizeof(T)};
    return t;
  }
  void save() const {
    const io::tensor all[] = {tensor("a", io::dtype::u8, a_),
                              tensor("b", io::dtype::u8, b_),
                              tensor("scale_a", io::dtype::u8, scales_),
                              tensor("scale_b", io::dtype::u8, scales_),
                              tensor("c", io::dtype::u32, c_),
                              tensor("d", io::dtype::u32, d_)};
    io::save(path(), all);
  }

  fs::path path_;
  std::vector<std::uint8_t> a_, b_, scales_;
  std::vector<std::uint32_t> c_, d_;
};

/// This program on the words, without its output.
void run_dot(std::string path) {
  std::string words[] = {"mxprism", "dot", std::move(path), "--model", "blackwell.mxf4"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, "/proc/self/exe", &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (error != 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error("`mxprism dot` failed while it was measured");
  }
}

}  // namespace

std::vector<bench_result> bench_dot_command() {
  const file_of_words words;
  std::uint8_t kept[64];
  memory_yardstick memory(memory_pass::read, words.codes().size(), words.codes().data(), kept);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < command_rounds; ++round) {
    memory.run();
    best = std::min(best, wall_seconds_of([&] { run_dot(words.path()); }));
  }
  const memory_yardstick::figure reading = memory.best();
  const double bytes_a_second = static_cast<double>(words.codes().size()) / reading.seconds;
  return {beside("dot.command.blackwell.mxf4", static_cast<double>(word_count) / best * 1e-6,
                 "Mword/s", "read of the file's bytes, " + reading.name,
                 bytes_a_second / static_cast<double>(file_of_words::bytes) * 1e-6)};
}

}  // namespace sim::cli
