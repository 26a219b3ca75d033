// SPDX-License-Identifier: Apache-2.0
// tests/pretrained/model_file_test.cpp: checkpoints as a folder, as shards and as GGUF of every
// type that is read, and what is refused in them.
#include "sim/study/model_file.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "golden/io/tensor_file.h"
#include "scratch_folder.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/gguf_model.h"
#include "sim/study/model_config.h"

namespace {

namespace fs = std::filesystem;
using golden::io::dtype;
using test::scratch_folder;
using bytes = std::vector<std::uint8_t>;
using floats = std::vector<float>;

sim::policy_shape small_shape() {
  sim::policy_shape s;
  s.width = 64;
  s.layers = 2;
  s.heads = 4;
  s.kv_heads = 2;
  s.head_width = 32;
  s.hidden = 96;
  s.vocabulary = 48;
  return s;
}

/// Distinct numbers of 7 significant bits, which BF16 holds.
floats distinct_weights(const sim::parameter_table& table) {
  floats w(static_cast<std::size_t>(table.count()));
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = std::ldexp(static_cast<float>(64 + i % 61), static_cast<int>(i / 61 % 9) - 10);
  }
  return w;
}

const sim::parameter_table& table() {
  static const sim::parameter_table made(small_shape());
  return made;
}

floats read(const fs::path& path) {
  return sim::read_weights(sim::open_model(path.string()), table());
}

std::string error_of(const fs::path& path) {
  try {
    static_cast<void>(read(path));
  } catch (const golden::io::file_error& e) {
    return e.what();
  }
  return "";
}

bytes bytes_of(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::uint8_t*>(data);
  return {first, first + size};
}

struct stored {
  std::string name;
  dtype type;
  std::vector<std::uint64_t> shape;
  bytes content;
};

/// The parameters as tensors of FP32, by their names.
std::vector<stored> tensors_of(const floats& weights) {
  std::vector<stored> all;
  for (const sim::parameter& p : table().all()) {
    std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(p.columns)};
    if (p.rows > 1) shape.insert(shape.begin(), static_cast<std::uint64_t>(p.rows));
    all.push_back({p.name, dtype::f32, shape,
                   bytes_of(weights.data() + p.offset, static_cast<std::size_t>(p.count()) * 4)});
  }
  return all;
}

void save(const fs::path& file, const std::vector<stored>& all,
          const golden::io::metadata& notes = {}) {
  std::vector<golden::io::tensor> tensors;
  for (const stored& s : all) tensors.push_back({s.name, s.type, s.shape, s.content, ""});
  golden::io::save(file.string(), tensors, notes);
}

golden::io::metadata gguf_notes(const std::string& architecture) {
  const sim::policy_shape s = small_shape();
  const std::string a = architecture + ".";
  return {{"general.architecture", architecture},
          {a + "context_length", "64"},
          {a + "embedding_length", std::to_string(s.width)},
          {a + "block_count", std::to_string(s.layers)},
          {a + "attention.head_count", std::to_string(s.heads)},
          {a + "attention.head_count_kv", std::to_string(s.kv_heads)},
          {a + "attention.key_length", std::to_string(s.head_width)},
          {a + "feed_forward_length", std::to_string(s.hidden)},
          {a + "rope.freq_base", "10000"},
          {a + "attention.layer_norm_rms_epsilon", "1e-06"}};
}

/// A folder with a configuration and these tensors.
void make_folder(const fs::path& folder, const std::vector<stored>& all) {
  fs::create_directory(folder);
  test::put_contents(folder / "config.json", sim::config_of(small_shape(), "float32"));
  save(folder / "model.safetensors", all);
}

}  // namespace

TEST_CASE("a_saved_folder_has_the_shape_and_the_bits_that_are_read_back") {
  const scratch_folder scratch;
  floats weights = distinct_weights(table());
  weights[7] = 0x1.234566p-3F;
  weights[8] = -0.0F;
  sim::save_model(scratch / "fp32", table(), weights, sim::saved_numbers::fp32);
  CHECK(sim::open_model((scratch / "fp32").string()).shape == small_shape());
  CHECK(std::memcmp(read(scratch / "fp32").data(), weights.data(), weights.size() * 4) == 0);
  sim::save_model(scratch / "bf16", table(), weights, sim::saved_numbers::bf16);
  const floats narrow = read(scratch / "bf16");
  CHECK(narrow[7] == 0x1.24p-3F);
  weights[7] = narrow[7];
  CHECK(narrow == weights);
  CHECK(scratch.file_count() == 2);
}

TEST_CASE("bfloat16_is_rounded_to_nearest_even") {
  const scratch_folder scratch;
  floats weights = distinct_weights(table());
  const float given[]{0x1.01p0F, 0x1.03p0F, 0x1.010002p0F, -0x1.feffp0F};
  const float expected[]{0x1.00p0F, 0x1.04p0F, 0x1.02p0F, -0x1.fep0F};
  std::ranges::copy(given, weights.begin());
  sim::save_model(scratch / "m", table(), weights, sim::saved_numbers::bf16);
  const floats found = read(scratch / "m");
  for (std::size_t i = 0; i < 4; ++i) CHECK(found[i] == expected[i]);
}

TEST_CASE("a_finite_weight_that_would_be_inf_in_bfloat16_is_refused_by_its_name") {
  const scratch_folder scratch;
  floats weights = distinct_weights(table());
  const sim::parameter second = table().all()[1];
  const auto save_with = [&](float weight) -> std::string {
    weights[static_cast<std::size_t>(second.offset) + 3] = weight;
    try {
      sim::save_model(scratch / "m", table(), weights, sim::saved_numbers::bf16);
    } catch (const golden::io::file_error& wrong) {
      return wrong.what();
    }
    return "";
  };
  const std::string refused = save_with(0x1.fffffep127F);
  CHECK(refused.find("/m: tensor ") != std::string::npos);
  CHECK(refused.find(second.name) != std::string::npos);
  CHECK(refused.find("holds 3.4028235e+38 at 3, which is Inf in bf16; write fp32") !=
        std::string::npos);
  CHECK(scratch.file_count() == 0);
  CHECK(save_with(-0x1.fefffep127F).empty());  // below half an ULP above BF16's largest
}

TEST_CASE("half_precision_and_shards_are_read_by_name_in_any_order") {
  const scratch_folder scratch;
  const floats weights = distinct_weights(table());
  std::vector<stored> all = tensors_of(weights);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    stored& s = all[i];
    bytes narrow;
    for (std::size_t j = 0; j < s.content.size(); j += 4) {
      narrow.insert(narrow.end(), {s.content[j + 2], s.content[j + 3]});
    }
    s.content = narrow;
    s.type = dtype::bf16;
  }
  std::ranges::reverse(all);
  const std::size_t half = all.size() / 2;
  fs::create_directory(scratch / "m");
  test::put_contents(scratch / "m" / "config.json", sim::config_of(small_shape(), "bfloat16"));
  nlohmann::json index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    index["weight_map"][all[i].name] = i < half ? "a.safetensors" : "b.safetensors";
  }
  save(scratch / "m" / "a.safetensors", {all.begin(), all.begin() + std::ptrdiff_t(half)});
  save(scratch / "m" / "b.safetensors", {all.begin() + std::ptrdiff_t(half), all.end()});
  const fs::path named = scratch / "m" / "model.safetensors.index.json";
  test::put_contents(named, index.dump());
  CHECK(read(scratch / "m") == weights);
  index["weight_map"][all[0].name] = "../a.safetensors";
  test::put_contents(named, index.dump());
  CHECK(error_of(scratch / "m").find("../a.safetensors") != std::string::npos);
  index["weight_map"][all[0].name] = "a.safetensors";
  test::put_contents(named, index.dump());
  fs::remove(scratch / "m" / "b.safetensors");
  CHECK(error_of(scratch / "m").find("its shard 'b.safetensors' is missing") != std::string::npos);
}

TEST_CASE("tensors_that_do_not_fit_are_refused_by_name") {
  const scratch_folder scratch;
  const std::vector<stored> whole = tensors_of(distinct_weights(table()));
  auto refused = [&, count = 0](std::vector<stored> all, const std::string& words) mutable {
    const fs::path folder = scratch / std::to_string(count++);
    make_folder(folder, all);
    const std::string error = error_of(folder);
    CAPTURE(error);
    CHECK(error.find(words) != std::string::npos);
  };
  std::vector<stored> all = whole;
  all.pop_back();
  refused(all, "tensor '" + whole.back().name + "': is missing");
  all = whole;
  all.push_back({"model.layers.0.self_attn.q_proj.bias", dtype::f32, {128}, bytes(512)});
  refused(all, "tensor 'model.layers.0.self_attn.q_proj.bias': is no parameter");
  all = whole;
  all[0].shape = {96, 32};
  refused(all, "has the shape [96, 32]; its configuration says [48, 64]");
  all = whole;
  all[0].type = dtype::i32;
  refused(all, "is I32; expected numbers of F32");
  all = whole;
  all[1].content[3] = 0x7F;
  all[1].content[2] = 0x80;
  refused(all, "holds inf at 0; expected finite numbers");
  all = whole;
  all.push_back({"lm_head.weight", dtype::f32, all[0].shape, all[0].content});
  make_folder(scratch / "tied", all);
  CHECK(read(scratch / "tied") == distinct_weights(table()));
  all.back().content[0] ^= 1;
  refused(all, "tensor 'lm_head.weight': differs from the embedding");
}

TEST_CASE("heads_that_do_not_fit_each_other_are_refused_as_in_a_study") {
  const auto refusal_of = [](const sim::policy_shape& shape) {
    const scratch_folder scratch;
    make_folder(scratch / "model", tensors_of(distinct_weights(table())));
    test::put_contents(scratch / "model" / "config.json", sim::config_of(shape, "float32"));
    return error_of(scratch / "model");
  };
  sim::policy_shape shape = small_shape();
  shape.heads = 3;
  CHECK_THAT(refusal_of(shape),
             Catch::Matchers::EndsWith(
                 "its policy.heads is 3; the decoder takes a multiple of kv_heads = 2"));
  shape.kv_heads = 3;
  shape.head_width = 16;
  CHECK_THAT(refusal_of(shape),
             Catch::Matchers::EndsWith(
                 "its policy.head_width is 16; the decoder takes a width whose product "
                 "with kv_heads = 3 is a multiple of the block of 32"));
}

TEST_CASE("paths_without_a_model_are_refused") {
  const scratch_folder scratch;
  for (const char* name : {"none", "none/checkpoints/fp32.safetensors", "none.gguf"}) {
    CHECK(error_of(scratch / name).find("does not exist; expected a folder with config.json") !=
          std::string::npos);
  }
  make_folder(scratch / "m", tensors_of(distinct_weights(table())));
  CHECK(error_of(scratch / "m" / "model.safetensors").find("is no checkpoint") !=
        std::string::npos);
  fs::remove(scratch / "m" / "config.json");
  CHECK(error_of(scratch / "m").find("has no config.json") != std::string::npos);
  sim::policy_shape wide = small_shape();
  wide.width = 72;
  test::put_contents(scratch / "m" / "config.json", sim::config_of(wide, "float32"));
  CHECK(error_of(scratch / "m").find("policy.width is 72; the decoder takes a multiple of 32") !=
        std::string::npos);
}

namespace {

std::uint16_t half_bits(int exponent) { return static_cast<std::uint16_t>((exponent + 15) << 10); }

void put_half(bytes& out, std::uint16_t bits) {
  out.push_back(static_cast<std::uint8_t>(bits & 255));
  out.push_back(static_cast<std::uint8_t>(bits >> 8));
}

/// A row type of GGUF: 32 elements from bytes drawn by an index, and their numbers.
struct block_case {
  dtype type;
  void (*make)(std::size_t block, bytes& out, floats& numbers);
};

constexpr float e2m1[]{0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};

unsigned code_at(std::size_t block, std::size_t j) {
  return static_cast<unsigned>((block * 7 + j * 5 + block * j) % 16);
}

/// Element j in the low half of byte j, element j + count / 2 in the high one.
void put_codes(std::size_t block, std::size_t first, std::size_t count, bytes& out) {
  for (std::size_t j = first; j < first + count / 2; ++j) {
    out.push_back(
        static_cast<std::uint8_t>(code_at(block, j) | code_at(block, j + count / 2) << 4));
  }
}

const block_case block_cases[]{
    {dtype::q4_0_blocks,
     [](std::size_t b, bytes& out, floats& x) {
       put_half(out, half_bits(-3));
       put_codes(b, 0, 32, out);
       for (std::size_t j = 0; j < 32; ++j) x.push_back((float(code_at(b, j)) - 8) * 0.125F);
     }},
    {dtype::q4_1_blocks,
     [](std::size_t b, bytes& out, floats& x) {
       put_half(out, half_bits(-2));
       put_half(out, half_bits(1));
       put_codes(b, 0, 32, out);
       for (std::size_t j = 0; j < 32; ++j) x.push_back(float(code_at(b, j)) * 0.25F + 2);
     }},
    {dtype::q8_0_blocks,
     [](std::size_t b, bytes& out, floats& x) {
       put_half(out, half_bits(-4));
       for (std::size_t j = 0; j < 32; ++j) {
         const int v = static_cast<int>((b * 31 + j * 17) % 255) - 127;
         out.push_back(static_cast<std::uint8_t>(v));
         x.push_back(static_cast<float>(v) * 0.0625F);
       }
     }},
    {dtype::mxfp4_blocks, [](std::size_t b, bytes& out, floats& x) {
       out.push_back(static_cast<std::uint8_t>(120 + b % 5));
       put_codes(b, 0, 32, out);
       for (std::size_t j = 0; j < 32; ++j) {
         x.push_back(std::ldexp(e2m1[code_at(b, j)], static_cast<int>(b % 5) - 7));
       }
     }}};

/// The parameters as a GGUF file whose linears are blocks of one type.
floats save_gguf(const fs::path& file, const std::string& architecture, const block_case* of) {
  floats weights = distinct_weights(table());
  std::vector<stored> all = tensors_of(weights);
  std::size_t block = 0;
  const std::vector<sim::parameter> parameters = table().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].name = sim::gguf_place_of(parameters[i].name).tensor;
    if (of == nullptr || parameters[i].rows == 1) continue;
    floats numbers;
    all[i].content.clear();
    all[i].type = of->type;
    for (std::ptrdiff_t e = 0; e < parameters[i].count(); e += 32) {
      of->make(block++, all[i].content, numbers);
    }
    std::ranges::copy(numbers, weights.begin() + parameters[i].offset);
  }
  save(file, all, gguf_notes(architecture));
  return weights;
}

}  // namespace

TEST_CASE("gguf_files_of_every_type_that_is_read_have_the_numbers_of_their_blocks") {
  const scratch_folder scratch;
  const fs::path file = scratch / "m.gguf";
  CHECK(read((save_gguf(file, "qwen3", nullptr), file)) == distinct_weights(table()));
  for (const block_case& c : block_cases) {
    CAPTURE(golden::io::name_of(c.type));
    const floats weights = save_gguf(file, "qwen3", &c);
    CHECK(sim::open_model(file.string()).shape == small_shape());
    CHECK(read(file) == weights);
  }
}

namespace {

/// NVFP4 blocks of GGUF with codes of their own, and the numbers that they stand for under one
/// scale for each of several parts.
bytes nvfp4_blocks(std::size_t blocks, const floats& scales, floats& numbers) {
  bytes content;
  for (std::size_t b = 0; b < blocks; ++b) {
    const float scale = scales[b * scales.size() / blocks];
    for (std::size_t g = 0; g < 4; ++g) {
      content.push_back(static_cast<std::uint8_t>(0x38 + 8 * g));
    }
    for (std::size_t g = 0; g < 4; ++g) {
      put_codes(b, 16 * g, 16, content);
      for (std::size_t j = 0; j < 16; ++j) {
        numbers.push_back(std::ldexp(e2m1[code_at(b, 16 * g + j)], static_cast<int>(g)) * scale);
      }
    }
  }
  return content;
}

}  // namespace

TEST_CASE("experts_are_parts_of_one_tensor_in_gguf") {
  const scratch_folder scratch;
  sim::policy_shape shape = small_shape();
  shape.family = sim::policy_family::qwen3_moe;
  shape.experts = {3, 2};
  const sim::parameter_table mixture(shape);
  floats weights = distinct_weights(mixture);
  std::vector<stored> all;
  for (const sim::parameter& p : mixture.all()) {
    const sim::gguf_place place = sim::gguf_place_of(p.name);
    const bytes content =
        bytes_of(weights.data() + p.offset, static_cast<std::size_t>(p.count()) * 4);
    if (place.expert.value_or(0) == 0) {
      std::vector<std::uint64_t> whole = p.shape();
      if (place.expert) whole.insert(whole.begin(), 3);
      all.push_back({place.tensor, dtype::f32, whole, content});
    } else {
      stored& of = *std::ranges::find(all, place.tensor, &stored::name);
      of.content.insert(of.content.end(), content.begin(), content.end());
    }
  }
  golden::io::metadata notes = gguf_notes("qwen3moe");
  notes["qwen3moe.expert_count"] = "3";
  notes["qwen3moe.expert_used_count"] = "2";
  notes["qwen3moe.expert_feed_forward_length"] = std::to_string(shape.hidden);
  const auto open = [&] {
    save(scratch / "m.gguf", all, notes);
    return sim::open_model((scratch / "m.gguf").string());
  };
  CHECK(open().shape == shape);
  CHECK(sim::read_weights(open(), mixture) == weights);
  // Each expert has a tensor scale of its own.
  const floats scales{0.375F, 2, 0.5F};
  stored& gate = *std::ranges::find(all, "blk.1.ffn_gate_exps.weight", &stored::name);
  floats numbers;
  gate.content = nvfp4_blocks(gate.content.size() / 4 / 64, scales, numbers);
  gate.type = dtype::nvfp4_blocks;
  for (const sim::parameter& p : mixture.all()) {
    const sim::gguf_place place = sim::gguf_place_of(p.name);
    if (place.tensor != gate.name) continue;
    const auto begin = numbers.begin() + *place.expert * static_cast<std::ptrdiff_t>(p.count());
    std::copy_n(begin, p.count(), weights.begin() + p.offset);
  }
  all.push_back({"blk.1.ffn_gate_exps.scale", dtype::f32, {3}, bytes_of(scales.data(), 12)});
  CHECK(sim::read_weights(open(), mixture) == weights);
  stored& down = *std::ranges::find(all, "blk.1.ffn_down_exps.weight", &stored::name);
  down.shape = {3, down.shape[2], down.shape[1]};
  CHECK_THROWS_WITH(
      sim::read_weights(open(), mixture),
      Catch::Contains("blk.1.ffn_down_exps.weight") && Catch::Contains("its configuration says"));
  notes["qwen3moe.expert_used_count"] = "4";
  CHECK_THROWS_WITH(open(), Catch::Contains("metadata 'qwen3moe.expert_used_count': expected at "
                                            "most expert_count = 3"));
}

TEST_CASE("nvfp4_blocks_have_a_tensor_scale_beside_them") {
  const scratch_folder scratch;
  const std::vector<sim::parameter> parameters = table().all();
  floats weights = distinct_weights(table());
  std::vector<stored> all = tensors_of(weights);
  const auto down = std::ranges::find_if(parameters, [](const sim::parameter& p) {
    return p.name == "model.layers.1.mlp.down_proj.weight";
  });
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].name = sim::gguf_place_of(parameters[i].name).tensor;
  // Rows of 96 are no whole number of blocks of 64: q has rows of 64.
  const auto q = std::ranges::find_if(parameters, [](const sim::parameter& p) {
    return p.name == "model.layers.1.self_attn.q_proj.weight";
  });
  CHECK(down->columns == 96);
  stored& s = all[static_cast<std::size_t>(q - parameters.begin())];
  s.type = dtype::nvfp4_blocks;
  const float scale = 0.375F;
  floats numbers;
  s.content = nvfp4_blocks(static_cast<std::size_t>(q->count()) / 64, {scale}, numbers);
  std::ranges::copy(numbers, weights.begin() + q->offset);
  all.push_back({"blk.1.attn_q.scale", dtype::f32, {1}, bytes_of(&scale, 4)});
  save(scratch / "m.gguf", all, gguf_notes("qwen3"));
  CHECK(read(scratch / "m.gguf") == weights);
}

TEST_CASE("rows_of_a_head_are_put_back_from_pairs_to_halves") {
  floats rows;
  for (int head = 0; head < 2; ++head) {
    for (int r = 0; r < 6; ++r) rows.insert(rows.end(), {float(10 * head + r), 0.5F});
  }
  sim::order_rows_by_halves(6, 2, rows);
  const floats expected{0,  0.5F, 2,  0.5F, 4,  0.5F, 1,  0.5F, 3,  0.5F, 5,  0.5F,
                        10, 0.5F, 12, 0.5F, 14, 0.5F, 11, 0.5F, 13, 0.5F, 15, 0.5F};
  CHECK(rows == expected);
}

TEST_CASE("gguf_metadata_that_are_not_computed_are_refused_by_their_key") {
  const scratch_folder scratch;
  std::vector<stored> all = tensors_of(distinct_weights(table()));
  const std::vector<sim::parameter> parameters = table().all();
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].name = sim::gguf_place_of(parameters[i].name).tensor;
  const auto refused = [&](const std::string& key, const std::string& value) {
    golden::io::metadata notes = gguf_notes("qwen3");
    if (value.empty()) {
      notes.erase(key);
    } else {
      notes[key] = value;
    }
    save(scratch / "m.gguf", all, notes);
    const std::string error = error_of(scratch / "m.gguf");
    CAPTURE(error);
    CHECK(error.find("metadata '" + key + "': expected ") != std::string::npos);
  };
  refused("general.architecture", "bert");
  refused("general.architecture", "");
  refused("qwen3.rope.scaling.type", "linear");
  refused("qwen3.rope.scaling.factor", "8");
  refused("qwen3.rope.scale_linear", "4");
  refused("qwen3.rope.dimension_count", "16");
  refused("qwen3.attention.causal", "false");
  refused("qwen3.block_count", "two");
  refused("qwen3.block_count", "-2");
  refused("qwen3.block_count", "");
  refused("qwen3.rope.freq_base", "nan");
  refused("qwen3.attention.layer_norm_rms_epsilon", "0");
}
