// SPDX-License-Identifier: Apache-2.0
// tests/study/pass_refusal_test.cpp: formats, models and rotations that no pass can compute are
// refused with line, key and remedy.
#include "sim/study/pass_refusal.h"

#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/recipe_words.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

const std::string formats = R"([formats]
mxfp4 = { recipe = "mxfp4" }
mxfp8 = { recipe = "mxfp8-e4m3" }
nvfp4 = { recipe = "nvfp4" }
nvfp4_2d = { recipe = "nvfp4-2d" }
double = { recipe = "mxfp4+double" }
mbs = { recipe = "mxfp4+mbs=128,8" }
turned = { recipe = "mxfp4+rotate=32" }
toggled = { recipe = "mxfp4", toggle = "injection", parts = ["grid"] }
exact = { recipe = "e2m1:exact:32" }
fp8 = { recipe = "fp8-1x128" }
row = { recipe = "e2m1:ue4m3:16:row" }
short = { recipe = "e2m1:e8m0:16" }
ue5m3 = { recipe = "e2m1:ue5m3:16" }
kernel = { variant = "torchao.rceil" }
[[arm]]
name = "fp32"
[[arm]]
name = "q"
)";
constexpr int first_line = 20;  // of what follows

std::string message_of(const std::string& keys) {
  const text_folder folder;
  const auto file = folder.write("s.toml", formats + keys);
  try {
    (void)sim::read_study(file);
  } catch (const sim::study_error& error) {
    return std::string(error.what()).substr(file.string().size() + 1);
  }
  return "accepted";
}

struct bad_pass {
  std::string keys;
  int line;
  std::string key, expected;
};

const std::vector<bad_pass> bad_passes{
    // whole matrices
    {"format = \"nvfp4_2d\"\n", 0, "format", "X of rollout: nvfp4-2d takes a whole matrix"},
    {"forward = { data = \"double\" }\n", 0, "forward.data", "X of forward: mxfp4+double takes"},
    {"dgrad = \"nvfp4_2d\"\n", 0, "dgrad", "dY of dgrad: nvfp4-2d takes"},
    {"wgrad = { other = \"nvfp4_2d\" }\n", 0, "wgrad.other", "use blocks of one row without"},
    // W and X of forward
    {"forward = { other = \"forward\" }\n", 0, "forward.other", "\"forward\" is for dgrad"},
    {"rollout = { other = \"forward\" }\n", 0, "rollout.other", "\"forward\" is for dgrad"},
    {"format = \"mxfp4\"\ndgrad = { other = \"forward\", model = \"fp32.sequential\" }\n", 1,
     "dgrad.other", "leave model out in forward and dgrad"},
    {"format = \"mxfp4\"\nforward = { model = \"blackwell.mxf4\" }\n"
     "dgrad = { other = \"forward\" }\n",
     2, "dgrad.other", "leave model out in forward and dgrad"},
    {"dgrad = { other = \"forward\", rotate = \"32\" }\n", 0, "dgrad.other", "leave rotate out"},
    {"forward = { rotate = \"32\" }\ndgrad = { other = \"forward\" }\n", 1, "dgrad.other",
     "leave rotate out"},
    {"wgrad = { other = \"forward\", rotate = \"32\" }\n", 0, "wgrad.other",
     "forward and wgrad contract X along different axes"},
    {"format = \"mxfp4\"\nwgrad = { other = \"forward\", model = \"exact.rne\" }\n", 1,
     "wgrad.other", "the X of forward are values"},
    // exempt products
    {"exempt = { format = \"bf16\" }\n", 0, "exempt",
     "exempts nothing; set first, last or linears"},
    {"exempt = { first = 1 }\n", 0, "exempt.format", "the format of the exempt products"},
    {"exempt = { first = 1, last = 1, format = \"bf16\" }\n", 0, "exempt",
     "first = 1 and last = 1 leave none of 2 layers; lower them"},
    {"exempt = { first = -1, format = \"bf16\" }\n", 0, "exempt.first", "an integer from 0"},
    {"exempt = { linears = \"q\", format = \"bf16\" }\n", 0, "exempt.linears",
     "none, attention or"},
    {"exempt = { first = 1, format = \"nvfp4_2d\" }\n", 0, "exempt.format", "takes a whole matrix"},
    {"exempt = { first = 1, format = \"f16\" }\n", 0, "exempt.format", "that [formats] defines"},
    {"exempt = { frist = 1, format = \"bf16\" }\n", 0, "exempt.frist", "unknown key"},
    // rules by name
    {"by_name = [{ names = \"(\", format = \"bf16\" }]\n", 0, "by_name.names",
     "is not a regular expression of RE2: missing ): ("},
    {"by_name = [{ names = \"q_proj\", format = \"bf16\" }]\n", 0, "by_name.names",
     "matches the whole name of no linear; they are \"model.layers.0.self_attn.q_proj\" to "
     "\"model.layers.1.mlp.down_proj\""},
    {"by_name = [{ names = \".*k_proj\", format = \"bf16\" }]\n", 0, "by_name.names",
     "matches one of \"model.layers.0.self_attn.q_proj\" and \"model.layers.0.self_attn.k_proj\", "
     "which share their X; name all of q_proj, k_proj and v_proj, or none"},
    {"by_name = [{ names = \".*1.mlp.up_proj\", format = \"bf16\" }]\n", 0, "by_name.names",
     "both of gate_proj and up_proj, or neither"},
    {"by_name = [{ format = \"bf16\" }]\n", 0, "by_name.names", "matches the whole name of no"},
    {"by_name = [{ names = \".*\" }]\n", 0, "by_name.format", "the format of these operands"},
    {"by_name = [{ names = \".*\", format = \"nvfp4_2d\" }]\n", 0, "by_name.format",
     "or leave it to operands = [\"other\"] of passes without wgrad"},
    {"by_name = [{ names = \".*\", passes = [], format = \"bf16\" }]\n", 0, "by_name.passes",
     "at least one word"},
    {"by_name = [{ names = \".*\", passes = [\"fprop\"], format = \"bf16\" }]\n", 0,
     "by_name.passes", "rollout, forward, dgrad or wgrad"},
    {"by_name = [{ names = \".*\", operands = \"data\", format = \"bf16\" }]\n", 0,
     "by_name.operands", "words"},
    {"by_name = [{ name = \".*\", format = \"bf16\" }]\n", 0, "by_name.name", "unknown key"},
    {"by_name = { names = \".*\", format = \"bf16\" }\n", 0, "by_name", "tables"},
    {"data = \"forward\"\n", 0, "data", "unknown key"},
    {"format = \"forward\"\n", 0, "format", "a format that [formats] defines"},
    // rotations
    {"dgrad = { rotate = \"33\" }\n", 0, "dgrad.rotate", "SIZE 16, 32, 64 or 128"},
    {"dgrad = { rotate = \"32+mbs=128\" }\n", 0, "dgrad.rotate", "SIZE 16, 32, 64 or 128"},
    {"dgrad = { rotate = 32 }\n", 0, "dgrad.rotate", "expected a string, found 32"},
    {"dgrad = { rotate = \"128\" }\n", 0, "dgrad.rotate",
     "rotations of 128 do not divide dgrad of k and v (64 elements); use a smaller one"},
    // models
    {"model = \"blackwell.mxf5\"\n", 0, "model", "did you mean `blackwell.mxf4`?"},
    {"model = \"blackwell.mxf4\"\n", 0, "model",
     "X of rollout: FP32 is multiplied under fp32.fma alone"},
    {"format = \"bf16\"\nrollout = { other = \"fp32\", model = \"ampere.mma.bf16.f32\" }\n", 1,
     "rollout.model", "W of rollout: FP32 is multiplied under fp32.fma alone"},
    {"format = \"bf16\"\nmodel = \"ampere.mma.f16.f32\"\n", 1, "model",
     "takes f16 without scales, which no operand has"},
    {"format = \"mxfp8\"\nmodel = \"hopper.wgmma.e4m3.f32\"\n", 1, "model",
     "takes e4m3 without scales, which no operand has"},
    {"format = \"mxfp4\"\nmodel = \"ampere.mma.bf16.f32\"\n", 1, "model",
     "takes bf16, and not mxfp4"},
    {"format = \"bf16\"\nmodel = \"blackwell.mxf4\"\n", 1, "model", "takes mxfp4, and not bf16"},
    {"format = \"mbs\"\nmodel = \"blackwell.mxf4\"\n", 1, "model",
     "leave them out of mxfp4+mbs=128,8, or use fp32.fma"},
    {"format = \"turned\"\nmodel = \"blackwell.mxf4\"\n", 1, "model", "leave their grid"},
    {"format = \"toggled\"\nmodel = \"fp32.sequential\"\n", 1, "model", "leave their grid"},
    {"rollout = { data = \"mxfp4\", other = \"double\", model = \"blackwell.mxf4\" }\n", 0,
     "rollout.model", "W of rollout: blackwell.mxf4 multiplies codes and scales"},
    {"format = \"exact\"\nmodel = \"exact.rne\"\n", 1, "model", "an exact scale has none"},
    {"format = \"fp8\"\nmodel = \"exact.rne\"\n", 1, "model", "takes scales of one byte"},
    {"format = \"row\"\nmodel = \"blackwell.mxf4nvf4\"\n", 1, "model", "use `tensor` in"},
    {"format = \"nvfp4\"\nmodel = \"blackwell.mxf4\"\n", 1, "model", "takes mxfp4, and not nvfp4"},
    {"format = \"mxfp4\"\nmodel = \"blackwell.mxf4nvf4\"\n", 1, "model",
     "takes e2m1:ue4m3:16, and not mxfp4"},
    {"format = \"short\"\nmodel = \"blackwell.mxf4\"\n", 1, "model", "not e2m1:e8m0:16"},
    {"format = \"ue5m3\"\nmodel = \"blackwell.mxf4nvf4\"\n", 1, "model", "not e2m1:ue5m3:16"},
    {"format = \"mxfp4\"\nmodel = \"blackwell.mxf8f6f4.e4m3.e2m1\"\n", 1, "model",
     "X of rollout: blackwell.mxf8f6f4.e4m3.e2m1 takes mxfp8-e4m3, and not mxfp4"},
    {"rollout = { data = \"mxfp4\", other = \"nvfp4\", model = \"exact.rne\" }\n", 0,
     "rollout.model", "the same blocks and scales on both sides, and these are mxfp4 and nvfp4"},
    {"rollout = { data = \"mxfp4\", other = \"bf16\", model = \"exact.rne\" }\n", 0,
     "rollout.model", "these are mxfp4 and bf16"},
};

/// Every enumerator but none.
std::set<sim::pass_refusal> all_refusals() {
  std::set<sim::pass_refusal> result;
  for (int i = 1; i <= static_cast<int>(sim::pass_refusal::unequal_blocks); ++i) {
    result.insert(static_cast<sim::pass_refusal>(i));
  }
  return result;
}

}  // namespace

TEST_CASE("passes_that_cannot_be_computed_are_refused_with_line_key_and_remedy") {
  for (const bad_pass& bad : bad_passes) {
    const std::string message = message_of(bad.keys);
    CAPTURE(bad.keys, message);
    CHECK_THAT(message, Catch::Matchers::StartsWith(std::to_string(first_line + bad.line) +
                                                    ": key 'arm." + bad.key + "': "));
    CHECK(message.find(bad.expected) != std::string::npos);
  }
}

TEST_CASE("passes_that_can_be_computed_are_accepted") {
  for (const std::string& keys : std::vector<std::string>{
           "format = \"mxfp4\"\nmodel = \"blackwell.mxf4\"\n",
           "format = \"bf16\"\nmodel = \"ampere.mma.bf16.f32\"\n",
           "format = \"bf16\"\nmodel = \"fp32.sequential\"\n",
           "format = \"mxfp8\"\nmodel = \"exact.rne\"\n",
           "format = \"kernel\"\nmodel = \"blackwell.mxf4\"\n",
           "format = \"nvfp4\"\nmodel = \"blackwell.mxf4nvf4\"\n",
           "rollout = { data = \"nvfp4\", other = \"nvfp4_2d\", model = \"blackwell.mxf4nvf4\" }\n",
           "rollout = { data = \"mxfp8\", other = \"mxfp4\", model = "
           "\"blackwell.mxf8f6f4.e4m3.e2m1\" }\n",
           "rollout = { other = \"double\" }\nforward = { other = \"nvfp4_2d\" }\n"
           "dgrad = { other = \"nvfp4_2d\" }\n",
           "dgrad = { other = \"forward\" }\n",
           "wgrad = { other = \"forward\" }\n",
           "format = \"mxfp4\"\nmodel = \"blackwell.mxf4\"\n"
           "exempt = { first = 1, linears = \"attention\", format = \"bf16\" }\n",
           "by_name = [{ names = \".*o_proj\", format = \"nvfp4_2d\", operands = [\"other\"], "
           "passes = [\"dgrad\"] }]\n",
           "dgrad = { rotate = \"64,random:7\" }\n",
           "wgrad = { rotate = \"128\" }\n",
           "format = \"mbs\"\ndgrad = { rotate = \"16,fixed\" }\n",
           "format = \"mxfp4\"\nmodel = \"blackwell.mxf4\"\nwgrad = { rotate = \"16\" }\n",
           "format = \"exact\"\n",
           "format = \"fp8\"\n",
           "format = \"turned\"\n"}) {
    CAPTURE(keys);
    CHECK(message_of(keys) == "accepted");
  }
}

TEST_CASE("every_refusal_has_a_sentence_of_its_own") {
  // Over all passes, models and pairs of formats of the file, each refusal occurs and is reported.
  const text_folder folder;
  std::vector<mx::operand> operands{{}, {mx::operand_numbers::bf16}};
  for (const char* word : {"mxfp4", "nvfp4", "nvfp4-2d", "mxfp4+mbs=128,8", "e2m1:exact:32",
                           "fp8-1x128", "e2m1:ue4m3:16:row"}) {
    mx::recipe_words words;
    words.format = word;
    operands.push_back({mx::operand_numbers::coded, mx::recipe_spelled(words)});
  }
  std::set<sim::pass_refusal> seen;
  for (const mx::operand& data : operands) {
    for (const mx::operand& other : operands) {
      for (const char* model : {"fp32.fma", "exact.rne", "blackwell.mxf4", "ampere.mma.bf16.f32",
                                "ampere.mma.f16.f32"}) {
        for (const auto weights : {sim::operand_source::own, sim::operand_source::forward}) {
          for (const int turn : {0, 128}) {
            sim::arithmetic a;
            a.dgrad = {data, other, weights, mx::model_named(model), {turn}};
            a.wgrad = a.rollout = a.dgrad;
            for (const sim::pass p : {sim::pass::rollout, sim::pass::dgrad, sim::pass::wgrad}) {
              const sim::pass_fault fault = fault_of(a, p, {});
              CHECK(sentence_of(a, p, {}, fault).empty() == (fault.why == sim::pass_refusal::none));
              seen.insert(fault.why);
            }
          }
        }
      }
    }
  }
  seen.erase(sim::pass_refusal::none);
  CHECK(seen == all_refusals());
}

TEST_CASE("sums_of_every_model_have_room_for_codes_under_scales_of_one_byte") {
  for (const char* element : {"e6m1@64", "e6m1@-32", "e5m2@64", "e4m3", "int8"}) {
    for (const mx::format& scale : {mx::format{mx::formats::e8m0}, mx::format{mx::formats::ue4m3},
                                    mx::format{mx::formats::ue5m3}}) {
      for (const mx::named_model& model : mx::model_table) {
        if (model.operands != mx::operands::any) continue;
        const mx::format f = mx::number_format_spelled(element);
        CAPTURE(element, model.name);
        CHECK_NOTHROW(mx::model_for(model, {f, f, scale, 32}));
      }
    }
  }
}
