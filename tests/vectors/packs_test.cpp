// SPDX-License-Identifier: Apache-2.0
// tests/vectors/packs_test.cpp: adversarial packs: their bytes are pinned by version, golden
// expects the same bits, their words distinguish models, and a folder is written completely or not
// at all.
#include <cstring>
#include <map>
#include <set>

#include "catch.h"
#include "golden/reference/device_models.h"
#include "golden/reference/tensor_quantizer.h"
#include "golden/vectors/packs/memory_text.h"
#include "golden/vectors/packs/pack_folder.h"
#include "mx/dot/models.h"
#include "tests/scratch_folder.h"

namespace {

using namespace golden::packs;

const pack_array& array_of(const pack_file& file, const std::string& name) {
  for (const pack_array& a : file.arrays) {
    if (a.name == name) return a;
  }
  throw std::runtime_error(file.name + " has no " + name);
}

const pack_file& file_of(const pack_contents& pack, const std::string& name) {
  for (const pack_file& file : pack.files) {
    if (file.name == name) return file;
  }
  throw std::runtime_error("there is no " + name);
}

std::vector<std::uint32_t> words_of(const pack_array& a) {
  const std::size_t size = golden::io::bits_of(a.type) / 8;
  std::vector<std::uint32_t> words(a.bytes.size() / size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&words[i], a.bytes.data() + i * size, size);
  }
  return words;
}

}  // namespace

// A pack whose bytes change takes the next version, and both are updated here.
TEST_CASE("packs have the bytes of their versions") {
  struct pinned {
    const char* name;
    int version;
    const char* manifest;
  };
  const pinned table[] = {
      {"ties", 1, "fd7dff64bcca083ac0301d70667de4a2a002b38cc6e584c9ea539945e0a031f2"},
      {"nvfp4-ties", 2, "53bde35925c53312ed9ffb5d464bce95a05be6b625a4312c39d4c5bb54978bd5"},
      {"scales", 1, "205eb73bb092c2828e2c077053632aa285e91fcfe9b74c13a3814dd40e4b7ac0"},
      {"specials", 2, "4ee0e21a55cbe5daff15da0d9fc39d1ddde6cf13c69184379839585f1f16221f"},
      {"decode", 2, "61c1729db9e1722e424ad44f6bc756a50c7c061169af86ea92ce8c86e75680eb"},
      {"layouts", 1, "ffa025c30ddde4d7c1ee9eb06026cb1e68ba3aa6f0b90f7f1d02b1b103d856c4"},
      {"accumulators", 1, "0f95896e3d1026fc46d5acbc817aa2e96ab7f0147bde375befc03fead6f4faa7"}};
  REQUIRE(std::size(table) == all_packs().size());
  const test::scratch_folder scratch;
  for (const pinned& p : table) {
    INFO(p.name);
    const pack* found = find_pack(p.name);
    REQUIRE(found != nullptr);
    CHECK(found->version == p.version);
    CHECK(write_pack(*found, (scratch / p.name).string()).manifest_sha256 == p.manifest);
  }
}

namespace {

const std::map<std::string, const golden::number_format& (*)()> golden_elements{
    {"mxfp4", golden::formats::e2m1},      {"mxfp6-e2m3", golden::formats::e2m3},
    {"mxfp6-e3m2", golden::formats::e3m2}, {"mxfp8-e4m3", golden::formats::e4m3},
    {"mxfp8-e5m2", golden::formats::e5m2}, {"mxint8", golden::formats::int8},
    {"nvfp4", golden::formats::e2m1}};
const std::map<std::string, golden::scale_rule> golden_rules{{"floor", golden::scale_rule::floor},
                                                             {"ceil", golden::scale_rule::ceil},
                                                             {"even", golden::scale_rule::even},
                                                             {"rceil", golden::scale_rule::rceil},
                                                             {"ideal", golden::scale_rule::ideal}};

std::vector<float> numbers_of(const pack_array& x) {
  std::vector<float> values;
  for (const std::uint32_t word : words_of(x)) {
    const std::uint32_t bits = x.type == golden::io::dtype::bf16 ? word << 16 : word;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    values.push_back(value);
  }
  return values;
}

golden::tensor_quantization quantization_of(const pack_file& expected) {
  golden::tensor_quantization q;
  const bool nvfp4 = expected.notes.at("format") == "nvfp4";
  q.of_blocks.element = &golden_elements.at(expected.notes.at("format"))();
  q.of_blocks.rule = golden_rules.at(expected.notes.at("scale_rule"));
  if (nvfp4) {
    q.of_blocks.scale = &golden::formats::ue4m3();
    q.block = {1, 16};
    q.scaling = golden::tensor_scaling::tensor;
  }
  return q;
}

void check_expected(const pack_contents& pack, const pack_file& expected) {
  const pack_array& x = array_of(file_of(pack, expected.rows + ".input"), "x");
  const golden::tensor_quantization q = quantization_of(expected);
  const golden::quantized_tensor wanted =
      golden::quantize_tensor(numbers_of(x), {1, x.shape[0], x.shape[1]}, q);
  std::vector<std::uint32_t> codes, scales;
  for (const golden::quantized_block& block : wanted.blocks) {
    codes.insert(codes.end(), block.codes.begin(), block.codes.end());
    scales.push_back(block.scale.code);
  }
  const std::string name = expected.name.substr(0, expected.name.rfind('.'));
  for (const pack_memory& memory : pack.memories) {
    INFO(memory.name);
    if (memory.name == name + ".codes") CHECK(memory.codes == codes);
    if (memory.name == name + ".scales") CHECK(memory.codes == scales);
    if (memory.name == name + ".tensor_scale") {
      CHECK(memory.codes == std::vector{wanted.tensor_scales[0]});
    }
  }
  CHECK(words_of(array_of(expected, "scales")) == scales);
  if (q.scaling == golden::tensor_scaling::tensor) {
    CHECK(words_of(array_of(expected, "tensor_scale"))[0] == wanted.tensor_scales[0]);
  }
}

}  // namespace

TEST_CASE("golden expects the codes and scales of the packs") {
  int checked = 0;
  for (const char* name : {"ties", "nvfp4-ties", "scales", "specials"}) {
    const pack_contents pack = find_pack(name)->contents();
    for (const pack_file& file : pack.files) {
      if (!file.name.ends_with(".expected")) continue;
      INFO(name << " " << file.name);
      check_expected(pack, file);
      ++checked;
    }
  }
  CHECK(checked > 100);
}

namespace {

const golden::number_format* golden_format(const std::string& name) {
  using namespace golden::formats;
  const std::map<std::string, const golden::number_format& (*)()> names{
      {"e2m1", e2m1}, {"e4m3", e4m3}, {"e5m2", e5m2},
      {"f16", fp16},  {"bf16", bf16}, {"ue4m3", ue4m3}};
  return name == "e8m0" ? &e8m(0) : &names.at(name)();
}

golden::device_model golden_model(const pack_file& file) {
  const std::string& name = file.notes.at("model");
  if (const golden::device_model* model = golden::find_device_model(name)) return *model;
  const bool scaled = file.notes.contains("scale");
  const std::string rule = name == "mxdotp.e2m1"   ? "mxdotp.l16"
                           : name == "mxdotp.e4m3" ? "mxdotp.l8"
                                                   : name;
  const golden::number_format* element = golden_format(file.notes.at("a_format"));
  const auto block =
      scaled ? std::optional<std::size_t>(std::stoul(file.notes.at("block"))) : std::nullopt;
  return golden::generic_model(rule, *element, *element,
                               scaled ? golden_format(file.notes.at("scale")) : nullptr, block)
      .value();
}

/// Rows of an array of words.
golden::codes row(const std::vector<std::uint32_t>& words, std::size_t rows, std::size_t at) {
  const std::size_t along = words.size() / rows;
  return golden::codes(words).subspan(at * along, along);
}

}  // namespace

TEST_CASE("golden expects the results of the accumulators") {
  const pack_contents pack = find_pack("accumulators")->contents();
  for (const pack_file& file : pack.files) {
    INFO(file.name);
    const golden::device_model model = golden_model(file);
    const bool scaled = file.notes.contains("scale");
    const auto a = words_of(array_of(file, "a")), b = words_of(array_of(file, "b")),
               c = words_of(array_of(file, "c")), d = words_of(array_of(file, "d"));
    const auto scale_a = scaled ? words_of(array_of(file, "scale_a")) : a,
               scale_b = scaled ? words_of(array_of(file, "scale_b")) : a;
    for (std::size_t i = 0; i < d.size(); ++i) {
      golden::word_codes word{row(a, d.size(), i), row(b, d.size(), i), c[i]};
      if (scaled) word.scale_a = row(scale_a, d.size(), i);
      if (scaled) word.scale_b = row(scale_b, d.size(), i);
      REQUIRE(golden::dot(model, word) == d[i]);
    }
  }
}

TEST_CASE("words of the accumulators tell all models apart that differ") {
  const pack_contents pack = find_pack("accumulators")->contents();
  // One rule under two names: a block of one product, or of as many as a step has.
  const std::set<std::string> same{"fp32.fma and fp32.sequential: no word",
                                   "fp32.sequential and mxdotp.e2m1: no word"};
  int families = 0;
  for (const auto& [key, lines] : pack.notes) {
    REQUIRE(key.starts_with("apart."));
    CHECK(lines.size() > 30);
    ++families;
    for (const std::string& line : lines) {
      if (!line.ends_with("no word") || same.contains(line)) continue;
      INFO(key << ": " << line);
      const std::size_t between = line.find(" and "), end = line.rfind(": ");
      const mx::named_model* first = mx::model_named(line.substr(0, between));
      const mx::named_model* second = mx::model_named(line.substr(between + 5, end - between - 5));
      REQUIRE((first != nullptr && second != nullptr));
      CHECK(first->model == second->model);
    }
  }
  CHECK(families == 7);
}

TEST_CASE("a memory's words hold code 0 in their lowest bits, with one comment a row") {
  const pack of{"p", 3, "", nullptr};
  const pack_memory memory{"m", "", "six bits", 6, 3, {1, 2, 63, 0, 0, 32}};
  CHECK(memory_text(of, memory, {"first", "second"}) ==
        "// mxprism vectors p, version 3: m.mem\n// six bits\n"
        "// One word a row: 3 codes of 6 bits; code i of a row lies in bits 6 i + 5 : 6 i.\n"
        "// Rows in the order of the tensors' first axis.\n// logic [17:0] words [0:1];\n"
        "3f081  // 0: first\n20000  // 1: second\n");
}

TEST_CASE("a folder of something else is left alone, and nothing is left beside it") {
  const test::scratch_folder scratch;
  const pack& specials = *find_pack("specials");
  const std::string folder = (scratch / "p").string();
  CHECK(write_pack(specials, folder).state == written_pack::state::written);
  const auto before = test::files_below(folder);
  CHECK(write_pack(specials, folder + "/").state == written_pack::state::unchanged);
  CHECK(test::files_below(folder) == before);
  CHECK_THROWS_AS(write_pack(*find_pack("ties"), folder), golden::io::file_error);
  CHECK(test::files_below(folder) == before);
  CHECK(scratch.file_count() == 1);
  std::filesystem::create_directory(scratch / "empty");
  CHECK(write_pack(specials, (scratch / "empty").string()).state == written_pack::state::written);
}

TEST_CASE("SHA-256 of nothing") {
  CHECK(sha256_of({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
