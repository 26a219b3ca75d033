// SPDX-License-Identifier: Apache-2.0
// tests/study/study_file_test.cpp: the meaning of a study file, its round trip, and its hash.
#include "sim/study/study_file.h"

#include <bit>
#include <string>
#include <vector>

#include "catch.h"
#include "sim/study/study_keys.h"
#include "text_file.h"

namespace {

using sim::study;

/// All values except the arms, as bits; it shares nothing with the writer but the list of keys.
struct value_collector {
  std::vector<std::string> values;

  void add(std::string_view key, std::uint64_t bits) {
    values.push_back(std::string(key) + "=" + std::to_string(bits));
  }
  void value(std::string_view key, int v, sim::whole) { add(key, static_cast<std::uint64_t>(v)); }
  void value(std::string_view key, std::uint64_t v) { add(key, v); }
  void value(std::string_view key, float v, const sim::real&) {
    add(key, std::bit_cast<std::uint32_t>(v));
  }
  void value(std::string_view key, double v, const sim::real&) {
    add(key, std::bit_cast<std::uint64_t>(v));
  }
  template <class Number, class Limits>
  void value(std::string_view key, Number v, const sim::conditional<Limits>& of) {
    value(key, v, of.limits);
  }
  void value(std::string_view key, const std::vector<int>& list, const sim::unless_default& of) {
    value(key, list, of.limits);
  }
  template <class Number, class Limits>
  void value(std::string_view key, Number v, const sim::unless_zero<Limits>& of) {
    value(key, v, of.limits);
  }
  void value(std::string_view key, const std::string& v) { values.push_back(std::string(key) + v); }
  void file(std::string_view key, const std::string& v) { value(key, v); }
  template <class Value, class Limits>
  void value(std::string_view key, const std::vector<Value>& list, const Limits& limits) {
    add(key, list.size());
    for (const Value v : list) value(key, v, limits);
  }
  template <class Value, class Words>
  void word(std::string_view key, Value v, const Words&, Value = {}) {
    add(key, static_cast<std::uint64_t>(v));
  }
  template <class Value, class Words>
  void word(std::string_view key, Value v, const Words&, const sim::effective_where&) {
    add(key, static_cast<std::uint64_t>(v));
  }
  template <class Value, class Words>
  void word_unless(Value, std::string_view key, Value v, const Words& words) {
    word(key, v, words);
  }
  template <class Section>
  void table(std::string_view key, Section& section) {
    values.emplace_back(key);
    visit_keys(section, *this);
  }
  template <class Section>
  void tables(std::string_view key, std::map<std::string, Section>& sections) {
    add(key, sections.size());
    for (auto& [name, section] : sections) table(name, section);
  }
};

std::vector<std::string> values_of(study s) {
  value_collector collector;
  visit_keys(s, collector);
  visit_keys(s.run, collector);
  return collector.values;
}

void require_same(const study& a, const study& b) {
  CHECK(values_of(a) == values_of(b));
  REQUIRE(a.arms.size() == b.arms.size());
  for (std::size_t i = 0; i < a.arms.size(); ++i) {
    CHECK(a.arms[i].name == b.arms[i].name);
    CHECK(a.arms[i].formats == b.arms[i].formats);
    CHECK(a.arms[i].noise == b.arms[i].noise);
    CHECK(a.arms[i].correction == b.arms[i].correction);
    CHECK(a.arms[i].importance_cap == b.arms[i].importance_cap);
    CHECK(a.arms[i].training == b.arms[i].training);
    CHECK(a.arms[i].optimizer == b.arms[i].optimizer);
    CHECK(a.arms[i].learning_rate == b.arms[i].learning_rate);
    CHECK(a.arms[i].weight_decay == b.arms[i].weight_decay);
  }
}

const sim::arm& arm_named(const study& s, const std::string& name) {
  for (const sim::arm& a : s.arms) {
    if (a.name == name) return a;
  }
  throw std::runtime_error("no arm " + name);
}

study text_study(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const text_folder folder;
  return sim::read_study(folder.write("study.toml", text), overrides);
}

mx::operand rceil_mxfp4() {
  return {mx::operand_numbers::coded, {{mx::block_formats::mxfp4, mx::scale_rule::rceil}}};
}

const std::string smallest = "[[arm]]\nname = \"fp32\"\n";

}  // namespace

TEST_CASE("default_study_has_the_arms_in_order") {
  const study s = sim::read_study(default_study());
  std::vector<std::string> names;
  for (const sim::arm& a : s.arms) names.push_back(a.name);
  CHECK(names == std::vector<std::string>{
                     "fp32",      "bf16",      "mxfp4",         "mxfp4-floor",    "inj-s",
                     "inj-d",     "inj-g",     "inj-sd",        "inj-sg",         "inj-dg",
                     "op-sd",     "op-sg",     "mxfp4-rollout", "mxfp4-backward", "mbs",
                     "of",        "of-alpha1", "aqn",           "aqn+mbs",        "mbs+of",
                     "mbs+of+aqn"});
}

TEST_CASE("default_study_writes_out_the_defaults_of_the_type") {
  study expected;
  const study s = sim::read_study(default_study());
  expected.name = s.name;
  expected.seed = s.seed;
  expected.noise.sigmas = s.noise.sigmas;
  expected.outliers.norm_channels = s.outliers.norm_channels;
  expected.outliers.hidden_units = s.outliers.hidden_units;
  expected.measurement.mismatch_rollouts = s.measurement.mismatch_rollouts;
  CHECK(values_of(s) == values_of(expected));
}

TEST_CASE("column_addition_is_the_task_of_studies_without_a_kind") {
  const study plain = text_study(smallest),
              named = text_study(smallest, {"task.kind=column-addition"});
  CHECK(sim::study_hash(named) == sim::study_hash(plain));
  CHECK(sim::resolved_toml(named).find("kind") == std::string::npos);
  CHECK(sim::resolved_toml(named).find("digits = 3\n") != std::string::npos);
  const study sums =
      text_study(smallest, {"task.kind=modular-sums", "task.modulus=97", "task.terms=4"});
  CHECK(sums.task.kind == sim::task_kind::modular_sums);
  CHECK(sim::study_hash(sums) != sim::study_hash(plain));
  CHECK(sim::resolved_toml(sums).find("digits =") == std::string::npos);
  const study again = text_study(sim::resolved_toml(sums));
  CHECK(again.task == sums.task);
  CHECK(sim::study_hash(again) == sim::study_hash(sums));
}

TEST_CASE("modular_study_has_arms_of_the_default_study_and_trains_the_corrections") {
  const study of_sums = sim::read_study(shipped_study("modular.toml")),
              of_columns = sim::read_study(default_study());
  CHECK(of_sums.task.kind == sim::task_kind::modular_sums);
  CHECK(of_sums.noise.sigmas == of_columns.noise.sigmas);
  std::string trained, frozen;
  for (const sim::arm& a : of_sums.arms) {
    INFO(a.name);
    sim::arm same = arm_named(of_columns, a.name);
    same.training = a.training;
    CHECK(a == same);
    (a.training == sim::arm_training::grpo ? trained : frozen) += " " + a.name;
  }
  CHECK(trained == " fp32 mxfp4 mbs of of-alpha1 aqn mbs+of mbs+of+aqn");
  CHECK(frozen == " inj-s inj-d inj-g inj-sd inj-sg inj-dg op-sd op-sg");
}

TEST_CASE("initial_weights_and_demonstrations_are_written_only_where_they_are_chosen") {
  const study plain = text_study(smallest);
  CHECK(sim::resolved_toml(plain).find("frozen_tokens") == std::string::npos);
  const study s = text_study(smallest, {"warm_up.schedule=fixed", "warm_up.steps=0",
                                        "measurement.frozen_tokens=demonstrations"});
  CHECK(s.warm_up.steps == 0);
  CHECK(s.measurement.frozen_tokens == sim::frozen_tokens::demonstrations);
  require_same(text_study(sim::resolved_toml(s)), s);
  CHECK(sim::study_hash(s) != sim::study_hash(plain));
}

TEST_CASE("default_study_sigmas_are_binary32_of_the_powers") {
  const study s = sim::read_study(default_study());
  // 1e-2 * 10^(-i/4), correctly rounded.
  const std::vector<float> expected{0x1.47ae14p-7F,  0x1.708938p-8F,  0x1.9e7c6ep-9F,
                                    0x1.d22a5p-10F,  0x1.0624dep-10F, 0x1.26d42cp-11F,
                                    0x1.4b96bep-12F, 0x1.74eea6p-13F, 0x1.a36e2ep-14F};
  CHECK(s.noise.sigmas == expected);
}

TEST_CASE("default_study_outliers_lie_in_different_blocks") {
  const study s = sim::read_study(default_study());
  for (const auto& indices : {s.outliers.norm_channels, s.outliers.hidden_units}) {
    REQUIRE(indices.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) CHECK(indices[i] / 32 > indices[i - 1] / 32);
  }
}

TEST_CASE("arms_quantize_the_passes_they_name") {
  const study s = sim::read_study(default_study());
  const mx::operand fp32, mxfp4 = rceil_mxfp4();
  const sim::pass_format plain{fp32, fp32}, quantized{mxfp4, mxfp4};
  CHECK(arm_named(s, "fp32").formats == sim::arithmetic{});
  CHECK(arm_named(s, "mxfp4").formats ==
        sim::arithmetic{quantized, quantized, quantized, quantized});
  CHECK(arm_named(s, "mxfp4-rollout").formats == sim::arithmetic{quantized, plain, plain, plain});
  CHECK(arm_named(s, "mxfp4-backward").formats ==
        sim::arithmetic{plain, plain, quantized, quantized});
  CHECK(arm_named(s, "aqn").formats == arm_named(s, "mxfp4").formats);
  CHECK(arm_named(s, "aqn+mbs").formats == arm_named(s, "mbs").formats);
  CHECK(arm_named(s, "mbs+of+aqn").formats == arm_named(s, "mbs+of").formats);
  mx::operand corrected = mxfp4;
  corrected.recipe.corrections.macro_block = 128;
  corrected.recipe.corrections.macro_bits = 8;
  corrected.recipe.corrections.fallback = mx::fallback_mode::all;
  corrected.recipe.corrections.alpha = 0.5F;
  CHECK(arm_named(s, "mbs+of").formats.wgrad.other == corrected);
  mx::operand toggled = mxfp4;
  toggled.toggle = mx::toggle::injection;
  toggled.parts = mx::component::scale | mx::component::grid;
  CHECK(arm_named(s, "inj-sg").formats.dgrad.data == toggled);
}

TEST_CASE("truncated_importance_is_on_where_rollout_and_training_differ") {
  for (const sim::arm& a : sim::read_study(default_study()).arms) {
    const bool noisy = a.name.find("aqn") != std::string::npos;
    CHECK((a.noise == sim::rollout_noise::adaptive) == noisy);
    CHECK((a.correction == sim::mismatch::truncated_importance) ==
          (noisy || a.name == "mxfp4-rollout"));
  }
}

TEST_CASE("resolved_study_reads_back_to_the_same_bits") {
  const study s = sim::read_study(default_study());
  const study again = text_study(sim::resolved_toml(s));
  require_same(s, again);
  CHECK(sim::resolved_toml(again) == sim::resolved_toml(s));
  CHECK(sim::study_hash(again) == sim::study_hash(s));
}

TEST_CASE("resolved_study_keeps_odd_values") {
  const std::string text = R"(
name = 'a "quoted" \ name'
seed = 9223372036854775807
[formats."odd name"]
numbers = "mxfp4"
scale_rule = "floor"
macro_block = 96
macro_bits = 5
fallback_alpha = 0.3
[formats.off]
numbers = "mxfp4"
toggle = "operation"
parts = []
[[arm]]
name = "fp32"
[[arm]]
name = "mixed"
format = "odd name"
dgrad = { data = "off", other = "fp32" }
wgrad = { other = "off", sequences = 16 }
)";
  const study s = text_study(
      text, {"grpo.learning_rate=1.17549435e-38", "grpo.clip=3.4028235e38", "warm_up.clip=1e-45",
             "policy.rope_theta=0.1", "grpo.minibatches=2", "grpo.ratio_low=0.30000001192092896"});
  const sim::arithmetic& formats = s.arms[1].formats;
  CHECK(formats.dgrad.other == mx::operand{});
  CHECK(formats.wgrad.data == formats.rollout.data);
  CHECK(formats.wgrad.other == formats.dgrad.data);
  CHECK(formats.wgrad.other.parts == mx::component::none);
  CHECK(formats.wgrad.sequences == 16);
  require_same(s, text_study(sim::resolved_toml(s)));
}

TEST_CASE("absent_keys_keep_their_defaults") {
  const study s = text_study(smallest);
  study expected;
  CHECK(values_of(s) == values_of(expected));
  REQUIRE(s.arms.size() == 1);
}

TEST_CASE("ratio_keys_belong_to_studies_of_several_updates") {
  const std::string one = sim::resolved_toml(sim::read_study(default_study()));
  CHECK(one.find("minibatches = 1\n") != std::string::npos);
  const study s = sim::read_study(shipped_study("minibatch.toml"), {"grpo.ratio_low=0.125"});
  CHECK(s.grpo.minibatches == 4);
  const sim::arm& masked = arm_named(s, "mxfp4-rollout-mask");
  CHECK(masked.correction == sim::mismatch::sequence_mask);
  CHECK(sim::importance_cap_of(masked, s.grpo) == 3.0F);
  CHECK(sim::importance_cap_of(arm_named(s, "mxfp4-rollout-tis"), s.grpo) == 2.0F);
  const std::string several = sim::resolved_toml(s);
  for (const char* key : {"ratio_low = ", "ratio_high = ", "dual_clip = "}) {
    CHECK(one.find(key) == std::string::npos);
    CHECK(several.find(key) != std::string::npos);
  }
  require_same(s, text_study(several));
  CHECK(sim::study_hash(s) != sim::study_hash(sim::read_study(shipped_study("minibatch.toml"))));
}

TEST_CASE("keys_of_the_algorithm_are_written_where_they_are_not_the_usual_ones") {
  const std::vector<std::string> keys{
      "grpo.advantage=leave_one_out", "grpo.aggregation=sequence_mean",
      "grpo.kl_coefficient=0.04",     "grpo.kl_estimator=exact",
      "grpo.max_redraws=3",           "grpo.overlong_cache=5",
      "task.max_response_length=20",  "grpo.optimizer=adamw",
      "grpo.weight_decay=0.1",        "grpo.decayed=all",
      "grpo.schedule=cosine",         "grpo.final_fraction=0.25"};
  const study s = sim::read_study(default_study(), keys);
  CHECK(s.grpo.advantage == sim::advantage_estimator::leave_one_out);
  CHECK(s.grpo.aggregation == sim::loss_aggregation::sequence_mean);
  CHECK(s.grpo.kl_coefficient == 0.04F);
  CHECK(s.grpo.kl_estimator == sim::kl_estimator::exact);
  CHECK(s.grpo.max_redraws == 3);
  CHECK(s.grpo.overlong_cache == 5);
  CHECK(sim::response_limit(s.task) == 20);
  CHECK(s.grpo.weight_decay == 0.1F);
  CHECK(s.grpo.decayed == sim::decayed_parameters::all);
  CHECK(s.grpo.schedule == sim::rate_decay::cosine);
  CHECK(s.grpo.final_fraction == 0.25F);
  const std::string text = sim::resolved_toml(s);
  require_same(s, text_study(text));
  CHECK(sim::study_hash(text_study(text)) == sim::study_hash(s));
  const std::string usual = sim::resolved_toml(sim::read_study(default_study()));
  const auto has = [](const std::string& resolved, const std::string& key) {
    const std::size_t table = resolved.find("\n[" + key.substr(0, key.find('.')) + "]\n");
    const std::size_t end = resolved.find("\n[", table + 1);
    const std::string keys_of_table = resolved.substr(table, end - table);
    return keys_of_table.find("\n" + key.substr(key.find('.') + 1) + " = ") != std::string::npos;
  };
  for (const std::string& key : keys) {
    const std::string name = key.substr(0, key.find('='));
    INFO(name);
    CHECK(has(text, name));
    CHECK_FALSE(has(usual, name));
  }
  CHECK_FALSE(has(text, "grpo.advantage_epsilon"));
  CHECK(has(usual, "grpo.advantage_epsilon"));
}

TEST_CASE("usual_keys_of_the_algorithm_may_be_named_and_change_no_hash") {
  const study plain = text_study(smallest),
              named = text_study(smallest, {"grpo.advantage=group_std", "grpo.max_redraws=0",
                                            "grpo.aggregation=token_mean", "grpo.kl_coefficient=0",
                                            "grpo.overlong_cache=0", "grpo.schedule=constant",
                                            "task.max_response_length=0"});
  CHECK(sim::study_hash(named) == sim::study_hash(plain));
}

TEST_CASE("arms_may_have_a_weight_decay_of_their_own") {
  const study s = text_study(smallest +
                             "[[arm]]\nname = \"decaying\"\noptimizer = \"adamw\"\n"
                             "learning_rate = 0.5\nweight_decay = 0.25\n"
                             "[[arm]]\nname = \"usual\"\noptimizer = \"adamw\"\n"
                             "learning_rate = 0.5\n");
  CHECK(sim::weight_decay_of(arm_named(s, "decaying"), s.grpo) == 0.25F);
  CHECK(sim::weight_decay_of(arm_named(s, "usual"), s.grpo) == 0.01F);
  require_same(s, text_study(sim::resolved_toml(s)));
}

TEST_CASE("arms_may_have_an_optimizer_and_a_learning_rate_of_their_own") {
  const std::string own = smallest +
                          "[[arm]]\nname = \"slow\"\nlearning_rate = 0.1\n"
                          "[[arm]]\nname = \"sgd\"\noptimizer = \"sgd\"\nlearning_rate = 0.5\n";
  const study s = text_study(own);
  const auto of = [&](const char* name) {
    const sim::arm& a = arm_named(s, name);
    return std::pair(sim::optimizer_of(a, s.grpo), sim::learning_rate_of(a, s.grpo));
  };
  CHECK(of("fp32") == std::pair(sim::optimizer_kind::adam, 2e-4F));
  CHECK(of("slow") == std::pair(sim::optimizer_kind::adam, 0.1F));
  CHECK(of("sgd") == std::pair(sim::optimizer_kind::sgd, 0.5F));
  require_same(s, text_study(sim::resolved_toml(s)));
  const study all = text_study(smallest, {"grpo.optimizer=sgd"});
  CHECK(sim::optimizer_of(all.arms[0], all.grpo) == sim::optimizer_kind::sgd);
  require_same(all, text_study(sim::resolved_toml(all)));
  CHECK(sim::study_hash(all) != sim::study_hash(text_study(smallest)));
  CHECK(sim::study_hash(text_study(smallest, {"grpo.optimizer=adam"})) ==
        sim::study_hash(text_study(smallest)));
  // As versions without the key write it.
  CHECK(sim::resolved_toml(text_study(smallest)).find("optimizer") == std::string::npos);
}

TEST_CASE("mismatch_rollouts_are_written_where_they_are_measured") {
  const study none = text_study(smallest),
              some = text_study(smallest, {"measurement.mismatch_rollouts=64"});
  CHECK(none.measurement.mismatch_rollouts == 0);
  CHECK(some.measurement.mismatch_rollouts == 64);
  CHECK(sim::resolved_toml(none).find("mismatch_rollouts") == std::string::npos);
  require_same(some, text_study(sim::resolved_toml(some)));
  CHECK(sim::study_hash(some) != sim::study_hash(none));
  CHECK(sim::study_hash(text_study(smallest, {"measurement.mismatch_rollouts=0"})) ==
        sim::study_hash(none));
}

TEST_CASE("overrides_replace_add_and_take_bare_words") {
  const study s = sim::read_study(
      default_study(), {"seed=7", "grpo.steps=3", "grpo.adam.beta1 = 0.5", "name=quick",
                        "formats.mxfp4.scale_rule=floor", "outliers.factors=[1]", "run.threads=2"});
  CHECK(s.seed == 7);
  CHECK(s.grpo.steps == 3);
  CHECK(s.grpo.adam.beta1 == 0.5F);
  CHECK(s.name == "quick");
  CHECK(arm_named(s, "mxfp4").formats == arm_named(s, "mxfp4-floor").formats);
  CHECK(s.outliers.factors == std::vector<int>{1});
  CHECK(s.run.threads == 2);
  CHECK(s.grpo.samples == 8);
}

TEST_CASE("hash_leaves_out_how_the_run_is_carried_out") {
  const auto hash = [](const std::vector<std::string>& overrides) {
    return sim::study_hash(sim::read_study(default_study(), overrides));
  };
  const std::string plain = hash({});
  CHECK(plain.size() == 64);
  CHECK(plain.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(hash({"run.threads=3", "run.micro_batch=5"}) == plain);
  for (const char* change :
       {"seed=2", "grpo.steps=41", "name=other", "noise.frozen_sigma=0.02",
        "measurement.frozen_batches=4", "formats.of.fallback_alpha=0.25", "policy.input_std=0.0881",
        "outliers.norm_channels=[5, 46, 83, 119]"}) {
    CAPTURE(change);
    CHECK(hash({change}) != plain);
  }
}

TEST_CASE("a_list_at_its_default_is_not_written") {
  const study s = sim::read_study(default_study());
  CHECK(s.measurement.additivity_steps == std::vector<int>{1, 5, 20});
  CHECK(sim::resolved_toml(s).find("additivity_steps") == std::string::npos);
  for (const char* steps : {"[]", "[1]", "[1, 5]", "[20, 5, 1]"}) {
    const std::string line = std::string("additivity_steps=") + steps;
    CAPTURE(line);
    const study other = sim::read_study(default_study(), {"measurement." + line});
    CHECK(sim::resolved_toml(other).find(std::string("additivity_steps = ") + steps + "\n") !=
          std::string::npos);
    require_same(other, text_study(sim::resolved_toml(other)));
    CHECK(sim::study_hash(other) != sim::study_hash(s));
  }
}

TEST_CASE("hash_of_the_default_study_stays") {
  CHECK(sim::study_hash(sim::read_study(default_study())) ==
        "95ddd00c5510484c80d1cb47f822c830802ba5367be09c5cc55462b439478601");
}

TEST_CASE("normal_weights_without_massive_channels_are_not_written_and_others_are") {
  const study plain = sim::read_study(default_study());
  const study normal =
      sim::read_study(default_study(), {"policy.weights=normal", "policy.massive_channels=[]"});
  CHECK(sim::resolved_toml(normal) == sim::resolved_toml(plain));
  const study s = sim::read_study(
      default_study(),
      {"policy.weights=student-t", "policy.degrees=3", "outliers.policies.b.massive_channels=[7]",
       "outliers.policies.b.massive_value=12.5", "outliers.policies.a-1.weights=student-t"});
  CHECK(s.policy.outliers == sim::policy_outliers{sim::weight_law::student_t, 3});
  CHECK(s.outliers.policies.at("b") ==
        sim::policy_outliers{sim::weight_law::normal, 5, {7}, 12.5F});
  CHECK(s.outliers.policies.at("a-1").weights == sim::weight_law::student_t);
  const study again = text_study(sim::resolved_toml(s));
  CHECK(again.policy == s.policy);
  CHECK(again.outliers.policies == s.outliers.policies);
  CHECK(sim::study_hash(again) == sim::study_hash(s));
  CHECK(sim::study_hash(s) != sim::study_hash(plain));
}

TEST_CASE("a_family_and_a_head_of_its_own_are_written_where_they_are_chosen") {
  const study plain = sim::read_study(default_study());
  const study named =
      sim::read_study(default_study(), {"policy.family=qwen3", "policy.head=embedding"});
  CHECK(sim::resolved_toml(named) == sim::resolved_toml(plain));
  const study s = sim::read_study(default_study(), {"policy.family=qwen2", "policy.head=own"});
  CHECK(s.policy.family == sim::policy_family::qwen2);
  CHECK(s.policy.head == sim::output_head::own);
  const study again = text_study(sim::resolved_toml(s));
  CHECK(again.policy == s.policy);
  CHECK(sim::study_hash(s) != sim::study_hash(plain));
}

TEST_CASE("experts_are_written_for_families_that_have_them") {
  const study s = sim::read_study(default_study(),
                                  {"policy.family=qwen3_moe", "policy.experts=16",
                                   "policy.experts_per_token=4", "policy.expert_weights=over-all"});
  CHECK(s.policy.experts == sim::expert_mixture{16, 4, sim::expert_weights::over_all});
  CHECK(text_study(sim::resolved_toml(s)).policy == s.policy);
  CHECK_THROWS_WITH(sim::read_study(default_study(), {"policy.experts=16"}),
                    Catch::Contains("experts") && Catch::Contains("has no effect without experts"));
  CHECK_THROWS_WITH(
      sim::read_study(default_study(), {"policy.family=qwen3_moe", "policy.experts_per_token=9"}),
      Catch::Contains("policy.experts_per_token") && Catch::Contains("at most experts = 8"));
}

TEST_CASE("the_first_version_of_the_default_study_has_its_arms_under_the_earlier_schedule") {
  const study first = sim::read_study(shipped_study("default-v1.toml"));
  study s = sim::read_study(default_study());
  s.name = first.name;
  s.seed = 3;
  s.task.splits = sim::problem_splits::none;
  s.measurement.mismatch_rollouts = 0;
  s.warm_up.schedule = sim::rate_schedule::fixed;
  s.warm_up.steps = 500;
  require_same(first, s);
}

TEST_CASE("hash_does_not_depend_on_the_names_of_formats") {
  const std::string arms = "[[arm]]\nname = \"fp32\"\n[[arm]]\nname = \"q\"\nformat = ";
  const study a = text_study("[formats.a]\nnumbers = \"bf16\"\n" + arms + "\"a\"\n");
  const study b = text_study("[formats.b]\nnumbers = \"bf16\"\n" + arms + "\"b\"\n");
  CHECK(sim::study_hash(a) == sim::study_hash(b));
}
