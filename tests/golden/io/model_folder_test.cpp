// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/model_folder_test.cpp: models of several files: an index and its shards.
#include "golden/io/model_folder.h"
#include "catch.h"
#include "golden/io/shard_index.h"
#include "golden/io/widen.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::dtype;
using test::has;
using test::refusal_of;

void put_shard(const std::filesystem::path& path, const std::vector<std::string>& names,
               const golden::io::metadata& notes = {{"format", "pt"}}) {
  static const std::vector<float> number{1.5F};
  const golden::io::byte_view bytes{reinterpret_cast<const std::uint8_t*>(number.data()), 4};
  std::vector<golden::io::tensor> tensors;
  for (const std::string& name : names) tensors.push_back({name, dtype::f32, {1}, bytes, "f"});
  golden::io::save(path.string(), tensors, notes);
}

std::string index_of(const std::string& weight_map) {
  return R"({"metadata": {"total_size": 12, "deep": [{"a": [1]}]}, "weight_map": {)" + weight_map +
         "}}";
}

constexpr const char* two_shards =
    R"("a": "m-1.safetensors", "b": "m-2.safetensors", "c": "m-1.safetensors")";

struct model {
  test::scratch_folder folder;
  std::string index = (folder / "model.safetensors.index.json").string();

  model() {
    put_shard(folder / "m-1.safetensors", {"c", "a"}, {{"format", "pt"}, {"part", "1"}});
    put_shard(folder / "m-2.safetensors", {"b"}, {{"format", "pt"}, {"part", "2"}});
    test::put_contents(index, index_of(two_shards));
  }
  [[nodiscard]] std::string path() const { return (folder / "").string(); }
  [[nodiscard]] std::string refusal() const {
    return refusal_of([&] { (void)golden::io::load(path()); });
  }
};

TEST_CASE("shards_are_read_as_one_file_by_folder_and_by_index") {
  const model m;
  for (const std::string& path : {m.path(), m.index}) {
    const golden::io::tensor_file file = golden::io::load(path);
    REQUIRE(file.tensors().size() == 3);
    CHECK(file.tensors()[0].name == "c");
    CHECK(file.tensors()[2].name == "b");
    CHECK(golden::io::to_float32(file.at("b")) == std::vector<float>{1.5F});
    CHECK(file.metadata() == golden::io::metadata{{"format", "pt"}});
    CHECK(has(file.at("b").source.path, "m-2.safetensors"));
  }
}

TEST_CASE("the_only_file_of_a_folder_is_its_model") {
  const test::scratch_folder folder;
  put_shard(folder / "first.safetensors", {"x"});
  CHECK(golden::io::load((folder / "").string()).tensors().size() == 1);
  put_shard(folder / "second.safetensors", {"x"});
  CHECK(has(refusal_of([&] { (void)golden::io::load((folder / "").string()); }),
            "is a folder with 2 .safetensors files"));
  put_shard(folder / "model.safetensors", {"x", "y"});
  CHECK(golden::io::load((folder / "").string()).tensors().size() == 2);
}

TEST_CASE("a_whole_model_beside_an_index_that_does_not_name_it_is_refused") {
  const model m;
  put_shard(m.folder / "model.safetensors", {"a", "b", "c"});
  CHECK(has(m.refusal(), "model.safetensors: is beside "));
  CHECK(golden::io::load(m.index).tensors().size() == 3);
}

TEST_CASE("a_folder_without_a_model_is_refused_with_what_belongs_there") {
  const test::scratch_folder folder;
  CHECK(has(refusal_of([&] { (void)golden::io::load((folder / "").string()); }),
            "is a folder without a model; expected model.safetensors.index.json"));
}

TEST_CASE("a_missing_shard_is_named_with_its_index") {
  const model m;
  std::filesystem::remove(m.folder / "m-2.safetensors");
  CHECK(has(m.refusal(), "index.json: its shard 'm-2.safetensors' is missing"));
}

TEST_CASE("index_and_shards_must_agree_on_every_tensor") {
  const model m;
  test::put_contents(m.index, index_of(std::string(two_shards) + R"(, "d": "m-2.safetensors")"));
  CHECK(has(m.refusal(), "m-2.safetensors: tensor 'd': is missing, though the index"));
  test::put_contents(m.index, index_of(R"("a": "m-1.safetensors", "b": "m-2.safetensors")"));
  CHECK(has(m.refusal(), "tensor 'c': is in this shard, but not by the index"));
  test::put_contents(m.index, index_of(R"("a": "m-1.safetensors", "c": "m-2.safetensors")"));
  CHECK(has(m.refusal(), "tensor 'c': is in this shard, but not by the index"));
}

TEST_CASE("an_index_names_only_files_beside_it") {
  const model m;
  for (const char* const shard :
       {"../m-1.safetensors", "/m-1.safetensors", "sub/m-1.safetensors", "..\\\\m.safetensors",
        "m-1.bin", ".safetensors", "", "m\\u0000.safetensors"}) {
    test::put_contents(m.index, index_of(R"("a": ")" + std::string(shard) + "\""));
    CHECK(has(m.refusal(), "tensor 'a': its shard is "));
    CHECK(has(m.refusal(), "expected the name of a .safetensors file beside the index"));
  }
}

TEST_CASE("a_text_that_is_no_index_is_refused") {
  const auto refusal = [](const std::string& text) {
    return refusal_of([&] { (void)golden::io::parse_shard_index(text, "i"); });
  };
  CHECK(has(refusal(R"({"weight_map": {"a": )"), "i: byte 21: is not valid JSON"));
  CHECK(has(refusal("{}"), "has no object 'weight_map'"));
  CHECK(has(refusal("[]"), "found a list"));
  CHECK(has(refusal("3"), "found a number"));
  CHECK(has(refusal(R"({"weight_map": []})"), "found a list"));
  CHECK(has(refusal(R"({"weight_map": {}})"), "its weight_map is empty"));
  CHECK(has(refusal(R"({"weight_map": {"a": 1}})"),
            "tensor 'a': expected the name of a file, found"));
  CHECK(has(refusal(R"({"weight_map": {"a": {}}})"), "found an object"));
  CHECK(has(refusal(R"({"weight_map": {"a": "s.safetensors", "a": "s.safetensors"}})"),
            "tensor 'a': appears twice"));
  CHECK(has(refusal(R"({"weight_map": {"a": "s.safetensors"}, "weight_map": {}})"),
            "weight_map appears twice"));
  CHECK(has(refusal(R"({"other": {"weight_map": {"a": "s.safetensors"}}})"), "has no object"));
  CHECK(has(refusal(R"({"other": )" + std::string(100000, '[')), "not valid JSON"));
}

}  // namespace
