// SPDX-License-Identifier: Apache-2.0
// tests/study/study_formats_test.cpp: the meaning of the keys of a format and of an arm, and their
// round trip through the resolved study.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/presets/variants.h"
#include "sim/study/format_rules.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

const std::string reference = "[[arm]]\nname = \"fp32\"\n";

std::string outcome_of(const std::string& text) {
  const text_folder folder;
  const auto file = folder.write("s.toml", text);
  try {
    const sim::study s = sim::read_study(file);
    const std::string resolved = sim::resolved_toml(s);
    const sim::study again = sim::read_study(folder.write("again.toml", resolved));
    REQUIRE(sim::resolved_toml(again) == resolved);
    REQUIRE(sim::study_hash(again) == sim::study_hash(s));
    REQUIRE(again.arms.size() == s.arms.size());
    for (std::size_t i = 0; i < s.arms.size(); ++i) {
      CHECK(again.arms[i].formats == s.arms[i].formats);
    }
    return resolved;
  } catch (const sim::study_error& error) {
    return std::string(error.what()).substr(file.string().size() + 1);
  }
}

/// The arithmetic of an arm with these keys, after a round trip.
sim::arithmetic arm_of(const std::string& format_keys, const std::string& arm_keys) {
  const text_folder folder;
  const std::string text =
      "[formats.f]\n" + format_keys + reference + "[[arm]]\nname = \"q\"\n" + arm_keys;
  CAPTURE(text);
  const std::string resolved = outcome_of(text);
  CAPTURE(resolved);
  REQUIRE_THAT(resolved, Catch::Matchers::StartsWith("name = "));
  return sim::read_study(folder.write("s.toml", text)).arms[1].formats;
}

mx::operand operand_of(const std::string& keys) {
  return arm_of(keys, "rollout = { other = \"f\" }\n").rollout.other;
}

mx::operand coded(const mx::block_format& f, mx::scale_rule rule) {
  return {mx::operand_numbers::coded, {{f, rule}}};
}

}  // namespace

TEST_CASE("recipes_have_the_rules_of_the_command") {
  CHECK(operand_of("recipe = \"mxfp4\"\n") ==
        coded(mx::block_formats::mxfp4, mx::scale_rule::floor));
  CHECK(operand_of("numbers = \"mxfp4\"\n") ==
        coded(mx::block_formats::mxfp4, mx::scale_rule::rceil));
  CHECK(operand_of("recipe = \"nvfp4\"\n") ==
        coded(mx::block_formats::nvfp4, mx::scale_rule::ideal));
  CHECK(operand_of("recipe = \"nvfp4-2d\"\n") ==
        coded(mx::block_formats::nvfp4_2d, mx::scale_rule::ideal));
  CHECK(operand_of("recipe = \"mxfp8-e4m3\"\nscale_rule = \"even\"\n") ==
        coded(mx::block_formats::mxfp8_e4m3, mx::scale_rule::even));
  const mx::operand own = operand_of("recipe = \"e2m1:e8m3:32\"\n");
  CHECK(own.recipe.format().scale.fraction_bits == 3);
  CHECK(operand_of("recipe = \"mxfp4+double\"\n").recipe.passes == mx::passes::twice);
}

TEST_CASE("every_scale_rule_of_the_command_is_a_rule_of_mxfp4") {
  CHECK(operand_of("numbers = \"mxfp4\"\nscale_rule = \"mse\"\n").recipe.rules.rule ==
        mx::scale_rule::mse);
  CHECK(operand_of("numbers = \"mxfp4\"\nscale_rule = \"static-4\"\n").recipe.rules.rule ==
        mx::scale_rule::static_four);
}

TEST_CASE("rounding_random_bits_and_byte_map_are_read") {
  const mx::operand f = operand_of(
      "recipe = \"mxfp4\"\nrounding = \"stochastic\"\nrandom_bits = 7\nbyte_map = \"te-soft\"\n");
  CHECK(f.recipe.rules.rounding == mx::rounding::stochastic);
  CHECK(f.recipe.rules.random.bits == 7);
  CHECK(f.recipe.rules.random.map == mx::byte_map::te_soft);
  const std::string wide = "recipe = \"mxfp4\"\nrounding = \"stochastic\"\nrandom_bits = 24\n";
  CHECK(operand_of(wide).recipe.rules.random.bits == 24);
  CHECK(operand_of(wide + "byte_map = \"ptx\"\n") == operand_of(wide));
  CHECK(operand_of("recipe = \"mxfp4\"\nrounding = \"stochastic\"\n").recipe.rules.random.bits ==
        8);
  CHECK(operand_of("recipe = \"mxfp4\"\nrounding = \"nearest-away\"\n").recipe.rules.rounding ==
        mx::rounding::ties_away);
}

TEST_CASE("variants_quantize_to_their_first_format_or_to_the_recipe") {
  const mx::operand first = operand_of("variant = \"torchao.rceil\"\n");
  REQUIRE(first.recipe.has_preset());
  const auto& entry = mx::variant_table[static_cast<std::size_t>(first.recipe.preset)];
  CHECK(entry.about.name == "torchao.rceil");
  REQUIRE(entry.about.formats.size() > 1);
  CHECK(first.recipe.format() == entry.about.formats.front());
  CHECK(first.recipe.codes == mx::code_order{});
  CHECK(operand_of("variant = \"torchao.rceil\"\nrecipe = \"mxfp8-e5m2\"\n").recipe.format() ==
        mx::block_formats::mxfp8_e5m2);
  CHECK(operand_of("variant = \"ggml.mxfp4\"\n").recipe.codes == mx::code_order{});
}

TEST_CASE("variants_that_round_stochastically_survive_the_resolved_study") {
  const mx::operand ptx = operand_of("variant = \"te.nvfp4-stochastic\"\n");
  CHECK(draws_bits(mx::variant_table[static_cast<std::size_t>(ptx.recipe.preset)]));
  const mx::operand soft =
      operand_of("variant = \"te.nvfp4-stochastic\"\nbyte_map = \"te-soft\"\n");
  CHECK(soft.recipe.rules.random.map == mx::byte_map::te_soft);
  CHECK(ptx.recipe.rules.random.map == mx::byte_map::ptx);
}

TEST_CASE("corrections_of_a_recipe_are_those_of_numbers") {
  CHECK(operand_of("recipe = \"mxfp4+mbs=128,8+of=0.5\"\nscale_rule = \"rceil\"\n") ==
        operand_of("numbers = \"mxfp4\"\nmacro_block = 128\nfallback_alpha = 0.5\n"));
  // These have no keys of their own.
  for (const char* word : {"mxfp4+of=1.5", "mxfp4+of=0.5,crest:4,64", "mxfp4+rotate=32,random:9",
                           "mxfp4+gain=3/4", "e2m1:e8m0:16+mbs=48", "nvfp4+rotate=16,fixed"}) {
    CHECK(operand_of("recipe = \"" + std::string(word) + "\"\n").recipe.is_corrected());
  }
}

TEST_CASE("toggled_recipes_are_those_of_numbers") {
  const std::string toggle = "toggle = \"operation\"\nparts = [\"scale\", \"clip\"]\n";
  CHECK(operand_of("recipe = \"mxfp4\"\nscale_rule = \"rceil\"\n" + toggle) ==
        operand_of("numbers = \"mxfp4\"\n" + toggle));
  CHECK(operand_of("recipe = \"e2m1:e8m0:16\"\n" + toggle).parts ==
        (mx::component::scale | mx::component::clip));
}

TEST_CASE("passes_take_their_formats_model_rotation_and_w") {
  const std::string f = "numbers = \"mxfp4\"\n";
  const mx::operand mxfp4 = coded(mx::block_formats::mxfp4, mx::scale_rule::rceil);
  const sim::arithmetic all = arm_of(f, "format = \"f\"\nmodel = \"blackwell.mxf4\"\n");
  const sim::pass_format on_cores{
      .data = mxfp4, .other = mxfp4, .model = mx::model_named("blackwell.mxf4")};
  CHECK(all == sim::arithmetic{on_cores, on_cores, on_cores, on_cores});

  const sim::arithmetic one = arm_of(
      f,
      "format = \"f\"\nrollout = { model = \"blackwell.mxf4\" }\n"
      "dgrad = { data = \"bf16\", other = \"forward\" }\nwgrad = { rotate = \"16,fixed\" }\n");
  CHECK(one.rollout == on_cores);
  CHECK(one.forward == sim::pass_format{mxfp4, mxfp4});
  CHECK(one.dgrad ==
        sim::pass_format{{mx::operand_numbers::bf16}, mxfp4, sim::operand_source::forward});
  CHECK(one.wgrad.rotation == mx::rotation{16, mx::rotation_signs::fixed});

  const sim::arithmetic back = arm_of(f,
                                      "model = \"blackwell.mxf4\"\nrollout = \"f\"\n"
                                      "forward = { model = \"fp32.fma\" }\n"
                                      "dgrad = { model = \"fp32.fma\" }\n"
                                      "wgrad = { model = \"fp32.fma\" }\n");
  CHECK(back == sim::arithmetic{on_cores, {}, {}, {}});
}

TEST_CASE("wgrad_takes_the_x_of_forward") {
  const sim::arithmetic a = arm_of("recipe = \"nvfp4\"\n",
                                   "forward = { data = \"f\" }\nwgrad = { other = \"forward\" }\n");
  CHECK(a.wgrad.source == sim::operand_source::forward);
  CHECK(a.wgrad.other == a.forward.data);
  CHECK(a.wgrad.data == mx::operand{});
}

TEST_CASE("exempt_products_are_those_of_all_passes") {
  const sim::arithmetic a = arm_of(
      "recipe = \"nvfp4\"\n",
      "format = \"bf16\"\nexempt = { last = 1, linears = \"feed_forward\", format = \"f\" }\n");
  const sim::exempt_products e{.last = 1,
                               .layers = 2,
                               .part = sim::layer_part::feed_forward,
                               .format = coded(mx::block_formats::nvfp4, mx::scale_rule::ideal)};
  for (const sim::pass_format& f : {a.rollout, a.forward, a.dgrad, a.wgrad}) CHECK(f.exempt == e);
}

TEST_CASE("rules_by_name_are_those_of_all_passes") {
  const sim::arithmetic a =
      arm_of("recipe = \"nvfp4\"\n",
             "format = \"bf16\"\nby_name = [{ names = '.*\\.1\\..*_proj', passes = [\"wgrad\", "
             "\"forward\"], operands = [\"data\"], format = \"f\" }, { names = "
             "'model\\.layers\\.0\\.mlp\\.(gate|up)_proj', format = \"fp32\" }]\n");
  REQUIRE(a.rollout.rules.size() == 2);
  const sim::format_rule &first = a.rollout.rules[0], &second = a.rollout.rules[1];
  CHECK(first.names == R"(.*\.1\..*_proj)");
  CHECK(first.passes == std::array{false, true, false, true});
  CHECK(first.operands == std::array{true, false});
  CHECK(first.format == coded(mx::block_formats::nvfp4, mx::scale_rule::ideal));
  CHECK(first.linears_a_layer == 7);
  CHECK(first.matches == std::vector<bool>{false, false, false, false, false, false, false, true,
                                           true, true, true, true, true, true});
  CHECK(second.passes == std::array{true, true, true, true});
  CHECK(second.operands == std::array{true, true});
  CHECK(second.format == mx::operand{});
  CHECK(second.matches == std::vector<bool>{false, false, false, false, true, true, false, false,
                                            false, false, false, false, false, false});
  for (const sim::pass_format& f : {a.forward, a.dgrad, a.wgrad}) {
    CHECK(f.rules == a.rollout.rules);
  }
}

TEST_CASE("bf16_is_predefined_and_may_be_defined_as_itself") {
  const auto text = [](const std::string& formats) {
    return formats + reference + "[[arm]]\nname = \"q\"\nformat = \"bf16\"\n";
  };
  CHECK(outcome_of(text("")) == outcome_of(text("[formats.bf16]\nnumbers = \"bf16\"\n")));
  CHECK(outcome_of(text("[formats.bf16]\nnumbers = \"mxfp4\"\n")).find("predefined") !=
        std::string::npos);
}

TEST_CASE("invalid_formats_are_refused_with_line_key_and_nearest_name") {
  struct {
    std::string keys;
    int line;
    std::string key, expected;
  } const cases[] = {
      {"recipe = \"mxpf4\"\n", 2, "recipe", "did you mean `mxfp4`?"},
      {"recipe = \"mxfp4+mbs=100\"\n", 2, "recipe", "a macro block is a multiple of the block"},
      {"recipe = \"mxfp4+rotat=16\"\n", 2, "recipe", "did you mean `rotate`?"},
      {"recipe = \"nvfp4-2d+double\"\n", 2, "recipe", "tiles are the same along both axes"},
      {"recipe = \"e2m1:ue4m3:16x16:row\"\n", 2, "recipe", "use `tensor`"},
      {"recipe = \"mxfp4\"\nscale_rule = \"rciel\"\n", 3, "scale_rule", "did you mean `rceil`?"},
      {"recipe = \"mxfp4\"\nscale_rule = \"4over6-mse\"\n", 2, "recipe", "a scale with fraction"},
      {"numbers = \"mxfp4\"\nscale_rule = \"4over6-mse\"\n", 3, "scale_rule",
       "a scale with fraction"},
      {"numbers = \"mxfp4\"\nmacro_block = 128\nscale_rule = \"mse\"\n", 4, "scale_rule",
       "follows from amax alone"},
      {"numbers = \"mxfp4\"\nscale_rule = 3\n", 3, "scale_rule", "expected a string, found 3"},
      {"recipe = \"mxfp4\"\nrounding = \"nearest\"\n", 3, "rounding", "did you mean"},
      {"recipe = \"mxfp4\"\nrandom_bits = 4\n", 3, "random_bits", "without rounding"},
      {"recipe = \"mxfp4\"\nbyte_map = \"ptx\"\n", 3, "byte_map", "without rounding"},
      {"recipe = \"mxfp4\"\nrounding = \"stochastic\"\nrandom_bits = 9\nbyte_map = \"te-soft\"\n",
       5, "byte_map", "at most 8 random bits"},
      {"recipe = \"mxfp4\"\nrounding = \"stochastic\"\nrandom_bits = 25\n", 4, "random_bits",
       "an integer from 1 to 24"},
      {"recipe = \"mxfp4\"\nrounding = \"stochastic\"\nbyte_map = \"te-sof\"\n", 4, "byte_map",
       "did you mean `te-soft`?"},
      {"recipe = \"mxfp4\"\nseed = 3\n", 3, "seed", "unknown key"},
      {"variant = \"torchao.rcel\"\n", 2, "variant", "did you mean `torchao.rceil`?"},
      {"variant = \"torchao.rceil\"\nscale_rule = \"floor\"\n", 2, "variant", "leave scale-rule"},
      {"variant = \"torchao.rceil\"\nrecipe = \"nvfp4\"\n", 2, "variant", "does not quantize to"},
      {"variant = \"torchao.rceil\"\ntoggle = \"injection\"\n", 3, "toggle", "leave toggle out"},
      {"recipe = \"nvfp4\"\ntoggle = \"injection\"\n", 3, "toggle", "leave toggle out"},
      {"recipe = \"mxfp4+mbs=128\"\ntoggle = \"injection\"\n", 3, "toggle", "leave toggle out"},
      {"numbers = \"mxfp4\"\nscale_rule = \"quest\"\ntoggle = \"injection\"\n", 4, "toggle",
       "under a rule up to mse"},
      {"recipe = \"mxfp4\"\nparts = [\"grid\"]\n", 3, "parts", "without toggle"},
      {"recipe = \"mxfp4\"\nmacro_block = 128\n", 3, "macro_block", "which spells corrections"},
      {"numbers = \"mxfp4\"\nrecipe = \"mxfp4\"\n", 3, "recipe", "beside numbers"},
      {"numbers = \"mxfp4\"\nrounding = \"nearest-away\"\n", 3, "rounding", "beside numbers"},
  };
  for (const auto& c : cases) {
    const std::string message = outcome_of("[formats.f]\n" + c.keys + reference);
    CAPTURE(c.keys, message);
    CHECK_THAT(message, Catch::Matchers::StartsWith(std::to_string(c.line) + ": key 'formats.f." +
                                                    c.key + "': "));
    CHECK(message.find(c.expected) != std::string::npos);
  }
  const std::string message = outcome_of("[formats.forward]\nnumbers = \"bf16\"\n" + reference);
  CHECK(message.find("it is the W or X of forward") != std::string::npos);
}

TEST_CASE("the_study_of_recipes_reads_back_and_names_what_frameworks_run") {
  const text_folder folder;
  const sim::study s = sim::read_study(shipped_study("recipes.toml"));
  const sim::study again = sim::read_study(folder.write("again.toml", sim::resolved_toml(s)));
  CHECK(sim::study_hash(again) == sim::study_hash(s));
  CHECK(s.policy.layers == 4);
  const auto rl = std::ranges::find(s.arms, "nvfp4-rl", &sim::arm::name);
  REQUIRE(rl != s.arms.end());
  const mx::operand nvfp4 = coded(mx::block_formats::nvfp4, mx::scale_rule::ideal),
                    bf16{mx::operand_numbers::bf16};
  const sim::exempt_products exempt{
      .first = 1, .last = 1, .layers = 4, .part = sim::layer_part::attention, .format = bf16};
  const sim::pass_format forward{.data = nvfp4, .other = nvfp4, .exempt = exempt},
      backward{
          .data = bf16, .other = nvfp4, .source = sim::operand_source::forward, .exempt = exempt};
  CHECK(rl->formats == sim::arithmetic{forward, forward, backward, backward});
}

TEST_CASE("the_study_of_frameworks_reads_back_and_quantizes_experts_by_name") {
  const text_folder folder;
  const sim::study s = sim::read_study(shipped_study("frameworks.toml"));
  const sim::study again = sim::read_study(folder.write("again.toml", sim::resolved_toml(s)));
  CHECK(sim::study_hash(again) == sim::study_hash(s));
  const auto found = std::ranges::find(s.arms, "nvfp4-experts", &sim::arm::name);
  REQUIRE(found != s.arms.end());
  REQUIRE(found->formats.forward.rules.size() == 1);
  const sim::format_rule& rule = found->formats.forward.rules.front();
  CHECK(rule.format == coded(mx::block_formats::nvfp4, mx::scale_rule::ideal));
  CHECK(rule.passes == std::array{true, true, false, false});
  for (int layer = 0; layer < 6; ++layer) {
    for (const sim::product_place& at : linears_of(s.policy, layer)) {
      const bool expert = at.which == sim::linear::gate || at.which == sim::linear::up ||
                          at.which == sim::linear::down;
      CAPTURE(name_of(s.policy, at));
      CHECK(rule.matches.at(sim::place_of(at, rule.linears_a_layer)) ==
            (expert && layer > 0 && layer < 5));
    }
  }
}

TEST_CASE("the_study_of_formats_reads_back_and_has_every_kind_of_arm") {
  const text_folder folder;
  const sim::study s = sim::read_study(shipped_study("formats.toml"));
  const sim::study again = sim::read_study(folder.write("again.toml", sim::resolved_toml(s)));
  CHECK(sim::study_hash(again) == sim::study_hash(s));
  bool modelled = false, rotated = false, forward = false, drawn = false, packed = false,
       exempt = false;
  for (const sim::arm& a : s.arms) {
    modelled |= a.formats.forward.model != sim::pass_format{}.model;
    rotated |= a.formats.wgrad.rotation.size != 0;
    packed |= a.formats.wgrad.sequences != 1;
    exempt |= !a.formats.rollout.exempt.is_empty();
    forward |= a.formats.wgrad.source == sim::operand_source::forward;
    drawn |= a.formats.dgrad.data.recipe.rules.rounding == mx::rounding::stochastic;
  }
  CHECK((modelled && rotated && forward && drawn && packed && exempt));
}
