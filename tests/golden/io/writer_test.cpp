// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/writer_test.cpp: files written piece by piece have the same bytes as files
// written at once, and are complete or absent.
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <numeric>

#include "catch.h"
#include "golden/io/replaced_file.h"
#include "golden/io/replaced_folder.h"
#include "golden/io/tensor_file.h"
#include "golden/io/tensor_writer.h"
#include "golden/io/unfinished.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

std::function<void()> before_sync;

}  // namespace

/// In place of the C library's.
extern "C" int fsync(int file) {
  if (before_sync) before_sync();
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace {

using golden::io::byte_view;
using golden::io::dtype;
using golden::io::tensor;
using golden::io::tensor_plan;
using golden::io::tensor_writer;
using test::has;
using test::refusal_of;

std::vector<std::uint8_t> counted_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

std::vector<tensor_plan> plans() {
  return {{"none", dtype::f32, {0, 3}},
          {"a", dtype::f32, {5}},
          {"empty", dtype::i8, {0}},
          {"b", dtype::i8, {7}},
          {"last", dtype::f16, {2, 0}}};
}

TEST_CASE("pieces_of_any_size_make_the_file_that_is_written_at_once") {
  const test::scratch_folder folder;
  const std::vector<std::uint8_t> bytes = counted_bytes(27);
  const byte_view data(bytes);
  for (const char* const ending : {".safetensors", ".gguf"}) {
    std::vector<tensor> tensors;
    std::size_t at = 0;
    for (const tensor_plan& p : plans()) {
      const std::size_t size = p.name == "a" ? 20 : p.name == "b" ? 7 : 0;
      tensors.push_back({p.name, p.type, p.shape, data.subspan(at, size), {}});
      at += size;
    }
    const std::string whole = folder / (std::string("whole") + ending);
    golden::io::save(whole, tensors, {{"k", "v"}});
    CHECK(golden::io::load(whole).at("b").bytes[6] == 27);
    for (std::size_t piece = 1; piece <= 28; ++piece) {
      const std::string path = folder / (std::string("pieces") + ending);
      tensor_writer writer(path, plans(), {{"k", "v"}});
      for (std::size_t i = 0; i < data.size(); i += piece) {
        writer.append(data.subspan(i, std::min(piece, data.size() - i)));
      }
      writer.finish();
      REQUIRE(test::contents_of(path) == test::contents_of(whole));
    }
  }
}

TEST_CASE("a_file_that_is_not_finished_is_not_there") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.npy";
  test::put_contents(path, "before");
  const std::vector<std::uint8_t> data = counted_bytes(8);
  {
    tensor_writer writer(path, {{"x", dtype::f32, {2}}});
    writer.append(data);
    CHECK(folder.file_count() == 2);
    CHECK(test::contents_of(path) == "before");
  }
  CHECK(folder.file_count() == 1);
  CHECK(test::contents_of(path) == "before");
}

TEST_CASE("a_file_is_on_disk_before_it_takes_the_place_of_another") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.txt";
  test::put_contents(path, "before");
  std::vector<std::string> seen;
  before_sync = [&] { seen.push_back(test::contents_of(path)); };
  golden::io::write_text(path, "behind");
  before_sync = nullptr;
  CHECK(seen == std::vector<std::string>{"before"});
  CHECK(test::contents_of(path) == "behind");
}

TEST_CASE("a_handler_of_signals_finds_the_files_that_are_not_finished") {
  const test::scratch_folder folder;
  const std::vector<std::uint8_t> data = counted_bytes(8);
  tensor_writer done(folder / "done.npy", {{"x", dtype::u8, {8}}});
  done.append(data);
  tensor_writer open(folder / "open.npy", {{"x", dtype::u8, {8}}});
  done.finish();
  CHECK(folder.file_count() == 2);
  golden::io::remove_unfinished_files();
  CHECK(folder.file_count() == 1);
  CHECK(golden::io::load(folder / "done.npy").at("x").bytes[7] == 8);
  for (int i = 0; i < 200; ++i) {
    const tensor_writer dropped(folder / "dropped.npy", {{"x", dtype::u8, {8}}});
  }
  const tensor_writer after(folder / "after.npy", {{"x", dtype::u8, {8}}});
  CHECK(folder.file_count() == 2);
  golden::io::remove_unfinished_files();
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a_handler_of_signals_removes_folders_that_are_not_finished") {
  const test::scratch_folder folder;
  golden::io::replaced_folder done(folder / "done");
  golden::io::replaced_folder open(folder / "open");
  for (int i = 0; i < 300; ++i) {
    test::put_contents((open.path() / (std::string(100, 'n') + std::to_string(i))).string(), "x");
  }
  done.take_the_place_of_target();
  CHECK(folder.file_count() == 2);
  golden::io::remove_unfinished_files();
  CHECK(folder.file_count() == 1);
  CHECK(std::filesystem::is_directory(folder / "done"));
}

TEST_CASE("a_folder_may_be_named_with_a_slash_at_its_end") {
  const test::scratch_folder folder;
  for (const char* name : {"new", "new/", "new//", "./new/"}) {
    std::filesystem::remove(folder / "new");
    golden::io::replaced_folder made(folder / name);
    CHECK(folder.file_count() == 1);
    made.take_the_place_of_target();
    CHECK(std::filesystem::is_directory(folder / "new"));
  }
}

TEST_CASE("errors_of_its_files_are_of_the_folder_that_was_asked_for") {
  const test::scratch_folder folder;
  const golden::io::replaced_folder made(folder / "new");
  const golden::io::file_error of_file((made.path() / "a.npy").string(), "cannot write: why");
  CHECK(refusal_of([&] { made.refuse_for("new", of_file); }) == "new: cannot write: why");
  const golden::io::file_error of_other("b.npy", "cannot open: why");
  CHECK(refusal_of([&] { made.refuse_for("new", of_other); }) == "new: b.npy: cannot open: why");
}

TEST_CASE("more_or_fewer_bytes_than_planned_are_refused") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.safetensors";
  const std::vector<std::uint8_t> data = counted_bytes(9);
  const auto write = [&](std::size_t count) {
    tensor_writer writer(path, {{"x", dtype::u8, {4}}, {"y", dtype::u8, {4}}});
    writer.append(byte_view(data).first(count));
    writer.finish();
  };
  CHECK(has(refusal_of([&] { write(7); }), "tensor 'y': was given 3 of its 4 bytes"));
  CHECK(has(refusal_of([&] { write(9); }), "was given 1 bytes more than its tensors take"));
  CHECK(folder.file_count() == 0);
  write(8);
  CHECK(golden::io::load(path).at("y").bytes[0] == 5);
}

TEST_CASE("a_sparse_tensor_larger_than_a_memory_limit_is_mapped_not_copied") {
  const test::scratch_folder folder;
  // 64 GiB of zeros in a sparse file: copying them would not finish.
  constexpr std::uint64_t size = std::uint64_t{1} << 36;
  const std::string path = folder / "t.npy";
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (68719476736,), }";
  header.resize(118, ' ');
  test::put_contents(path, std::string("\x93NUMPY\1\0\x76\0", 10) + header);
  std::filesystem::resize_file(path, 128 + size);
  const auto file = golden::io::load(path);
  CHECK(file.at("x").bytes.size() == size);
  CHECK(file.at("x").bytes[size - 1] == 0);
}

}  // namespace
