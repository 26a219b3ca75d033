// SPDX-License-Identifier: Apache-2.0
// tests/study/study_errors_test.cpp: a bad study is refused with its line and key.
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

struct bad_study {
  std::string text;
  int line;
  std::string key, expected;
};

const std::string arms = "[[arm]]\nname = \"fp32\"\n";

std::string with_format(const std::string& keys) { return "[formats.f]\n" + keys + arms; }

std::string message_of(const std::filesystem::path& file,
                       const std::vector<std::string>& overrides = {}) {
  try {
    (void)sim::read_study(file, overrides);
  } catch (const sim::study_error& error) {
    return error.what();
  }
  return "accepted";
}

const std::vector<bad_study> bad_studies{
    // unknown keys and wrong types
    {"sede = 1\n" + arms, 1, "sede", "unknown key; expected arm"},
    {"\n[grpo]\nstep = 3\n" + arms, 3, "grpo.step", "unknown key"},
    {"[grpo.adam]\nbeta3 = 0.9\n" + arms, 2, "grpo.adam.beta3", "expected beta1, beta2 or epsilon"},
    {"[task]\ndigits = \"3\"\n" + arms, 2, "task.digits", "found the string \"3\""},
    {"[task]\ndigits = 3.0\n" + arms, 2, "task.digits", "an integer from 1"},
    {"name = 3\n" + arms, 1, "name", "a string"},
    {"grpo = 3\n" + arms, 1, "grpo", "a table"},
    {"[grpo]\nclip = true\n" + arms, 2, "grpo.clip", "a number above 0, found true"},
    {"[noise]\nsigmas = 0.1\n" + arms, 2, "noise.sigmas", "an array of numbers"},
    {"[outliers]\nfactors = [1, 4.5]\n" + arms, 2, "outliers.factors", "found 4.5"},
    // impossible values
    {"seed = -1\n" + arms, 1, "seed", "0 to 2^63 - 1, found -1"},
    {"[policy]\nwidth = 100\n" + arms, 2, "policy.width", "a multiple of 32"},
    {"[policy]\nlayers = 0\n" + arms, 2, "policy.layers", "found 0"},
    {"[policy]\nkv_heads = 3\nheads = 4\n" + arms, 3, "policy.heads",
     "a multiple of kv_heads = 3, found 4"},
    {"[policy]\nhead_width = 16\nheads = 3\nkv_heads = 3\n" + arms, 2, "policy.head_width",
     "kv_heads = 3 is a multiple of the block of 32, found 16"},
    {"[policy]\nhead_width = 24\n" + arms, 2, "policy.head_width", "found 24"},
    {"[policy]\nhidden = 400\n" + arms, 2, "policy.hidden", "a multiple of 32"},
    {"[policy]\nvocabulary = 30\n" + arms, 2, "policy.vocabulary", "a multiple of 16"},
    {"[task]\nsequence = 48\n" + arms, 2, "task.sequence", "a multiple of 32"},
    {"[task]\nsequence = 32\ndigits = 6\n" + arms, 3, "task.digits", "35 tokens"},
    {"[warm_up]\nsteps = 0\n" + arms, 2, "warm_up.steps", "found 0"},
    {"[measurement]\nfrozen_tokens = \"prompts\"\n" + arms, 2, "measurement.frozen_tokens",
     "rollouts or demonstrations"},
    {"[warm_up]\nlearning_rate = 0\n" + arms, 2, "warm_up.learning_rate", "a number above 0"},
    {"[warm_up]\nclip = nan\n" + arms, 2, "warm_up.clip", "found nan"},
    {"[warm_up]\nclip = 1e39\n" + arms, 2, "warm_up.clip",
     "a number above 0 in FP32, where this is Inf, found 1e+39"},
    {"[warm_up]\nclip = 1e-60\n" + arms, 2, "warm_up.clip",
     "a number above 0 in FP32, where this is 0, found 1e-60"},
    {"[warm_up]\nclip = inf\n" + arms, 2, "warm_up.clip", "a number above 0, found inf"},
    {"[noise]\nsigmas = [0.1, 1e300]\n" + arms, 2, "noise.sigmas",
     "in every place a number above 0 in FP32, where this is Inf, found 1e+300"},
    {"[warm_up]\ndigit_noise = 1.5\n" + arms, 2, "warm_up.digit_noise", "from 0 to 1"},
    {"[warm_up]\nsteps = 60\ndecay_steps = 61\n" + arms, 3, "warm_up.decay_steps",
     "at most warm_up.steps = 60"},
    {"[warm_up]\nsteps = 49\n" + arms, 1, "warm_up.decay_steps", "found 50"},
    {"[warm_up]\nschedule = \"fixed\"\ntarget_accuracy = 0.3\n" + arms, 3,
     "warm_up.target_accuracy",
     "has no effect under warm_up.schedule = \"fixed\"; remove it, or set that to "
     "\"until-accuracy\""},
    {"[warm_up]\ngate_interval = 5\nschedule = \"fixed\"\n" + arms, 2, "warm_up.gate_interval",
     "has no effect under warm_up.schedule = \"fixed\""},
    {"[warm_up]\nschedule = \"fixed\"\ndecay_steps = 49\n" + arms, 3, "warm_up.decay_steps",
     "has no effect under warm_up.schedule = \"fixed\""},
    {"[warm_up]\nschedule = \"cosine\"\n" + arms, 2, "warm_up.schedule", "fixed or until-accuracy"},
    {"[task]\nkind = \"sums\"\n" + arms, 2, "task.kind", "column-addition or modular-sums"},
    {"[task]\nkind = \"modular-sums\"\ndigits = 3\n" + arms, 3, "task.digits",
     "has no effect under task.kind = \"modular-sums\", whose keys are terms and modulus; remove "
     "it"},
    {"[task]\nterms = 6\n" + arms, 2, "task.terms",
     "has no effect under task.kind = \"column-addition\", whose key is digits; remove it, or set "
     "task.kind = \"modular-sums\""},
    {"[task]\nmodulus = 7\nkind = \"column-addition\"\n" + arms, 2, "task.modulus",
     "set task.kind = \"modular-sums\""},
    {"[task]\nkind = \"modular-sums\"\nterms = 2\n" + arms, 3, "task.terms",
     "from 3 to 8, found 2"},
    {"[task]\nkind = \"modular-sums\"\nmodulus = 101\n" + arms, 3, "task.modulus",
     "from 2 to 100, found 101"},
    {"[task]\nkind = \"modular-sums\"\nmodulus = 97\nterms = 7\n" + arms, 4, "task.terms",
     "take fewer terms, or a longer sequence, found 37 tokens of 7 terms modulo 97"},
    {"[task]\nsplits = true\n" + arms, 2, "task.splits", "none or disjoint"},
    {"[measurement]\nadditivity_steps = [1, 0]\n" + arms, 2, "measurement.additivity_steps",
     "in every place an integer from 1 to 1000000"},
    {"[measurement]\nevaluation_problems = 9000\n" + arms, 1, "measurement.final_problems",
     "at least evaluation_problems = 9000"},
    {"[grpo]\nsteps = -4\n" + arms, 2, "grpo.steps", "found -4"},
    {"[grpo]\nsamples = 1\n" + arms, 2, "grpo.samples", "from 2"},
    {"[grpo.adam]\nbeta2 = 1.0\n" + arms, 2, "grpo.adam.beta2", "from 0 to below 1"},
    {"[grpo.adam]\nbeta2 = 0.99999999999\n" + arms, 2, "grpo.adam.beta2",
     "from 0 to below 1 in FP32, where this is 1, found 0.99999999999"},
    {"[grpo]\nminibatches = 2\ndual_clip = 1.0\n" + arms, 3, "grpo.dual_clip", "above 1"},
    {"[grpo]\nminibatches = 3\n" + arms, 2, "grpo.minibatches",
     "a divisor of grpo.prompts = 16, found 3"},
    {"[grpo]\nratio_low = 0.2\n" + arms, 2, "grpo.ratio_low", "set grpo.minibatches above 1"},
    {"[grpo]\nsteps = 4\nratio_high = 0.28\n" + arms, 3, "grpo.ratio_high", "no effect"},
    {"[grpo]\nminibatches = 1\ndual_clip = 2.0\n" + arms, 3, "grpo.dual_clip", "no effect"},
    {"[grpo]\nadvantage = \"mean\"\n" + arms, 2, "grpo.advantage",
     "group_std, group_mean or leave_one_out"},
    {"[grpo]\nadvantage = \"group_mean\"\nadvantage_epsilon = 1e-6\n" + arms, 3,
     "grpo.advantage_epsilon", "set grpo.advantage = \"group_std\""},
    {"[grpo]\naggregation = \"sum\"\n" + arms, 2, "grpo.aggregation",
     "token_mean, sequence_mean or constant_length"},
    {"[grpo]\nkl_coefficient = -0.1\n" + arms, 2, "grpo.kl_coefficient", "at least 0"},
    {"[grpo]\nkl_coefficient = 0.1\nkl_estimator = \"k4\"\n" + arms, 3, "grpo.kl_estimator",
     "k1, k2, k3 or exact"},
    {"[grpo]\nkl_estimator = \"k2\"\n" + arms, 2, "grpo.kl_estimator",
     "set grpo.kl_coefficient above 0"},
    {"[grpo]\nmax_redraws = -1\n" + arms, 2, "grpo.max_redraws", "from 0 to 1000"},
    {"[grpo]\noverlong_cache = 1\n" + arms, 2, "grpo.overlong_cache",
     "at most 0, the tokens by which task.max_response_length exceeds the 12 of a correct "
     "response, found 1"},
    {"[task]\nmax_response_length = 20\n[grpo]\noverlong_cache = 9\n" + arms, 4,
     "grpo.overlong_cache", "at most 8"},
    {"[task]\nmax_response_length = 11\n" + arms, 2, "task.max_response_length",
     "from the 12 tokens of a correct response to the 24"},
    {"[task]\nmax_response_length = 25\n" + arms, 2, "task.max_response_length", "or 0, found 25"},
    {"[grpo]\nweight_decay = 0.1\n" + arms, 2, "grpo.weight_decay",
     "has no effect without grpo.optimizer = \"adamw\""},
    {"[grpo]\ndecayed = \"all\"\n" + arms, 2, "grpo.decayed",
     "has no effect without grpo.optimizer = \"adamw\""},
    {"[grpo]\nfinal_fraction = 0.1\n" + arms, 2, "grpo.final_fraction",
     "has no effect on a constant rate"},
    {"[grpo]\nschedule = \"step\"\n" + arms, 2, "grpo.schedule", "constant, linear or cosine"},
    {"[grpo]\nschedule = \"linear\"\nsteps = 10\n" + arms, 1, "grpo.ramp_steps",
     "below grpo.steps = 10"},
    {arms + "[[arm]]\nname = \"a\"\nweight_decay = 0.1\n", 5, "arm.weight_decay",
     "set optimizer = \"adamw\""},
    {"[noise]\nsigmas = [0.1, 0.01]\n" + arms, 2, "noise.sigmas", "9 sigmas"},
    {"[noise]\nsigmas = [0.1, -0.01]\n" + arms, 2, "noise.sigmas", "found -0.01"},
    {"[outliers]\nfactors = [1, 3]\n" + arms, 2, "outliers.factors", "powers of two, found 3"},
    {"[outliers]\nfactors = [4, 1]\n" + arms, 2, "outliers.factors", "found [4, 1]"},
    {"[outliers]\nfactors = []\n" + arms, 2, "outliers.factors", "the first is 1"},
    {"[outliers]\nnorm_channels = [3, 128]\n" + arms, 2, "outliers.norm_channels",
     "below policy.width = 128, found 128"},
    {"[outliers]\nhidden_units = [3, 9, 3]\n" + arms, 2, "outliers.hidden_units", "repeated"},
    {"[policy]\nweights = \"cauchy\"\n" + arms, 2, "policy.weights", "normal or student-t"},
    {"[policy]\nweights = \"student-t\"\ndegrees = 0\n" + arms, 3, "policy.degrees",
     "from 1 to 100"},
    {"[policy]\ndegrees = 5\n" + arms, 2, "policy.degrees", "set weights = \"student-t\""},
    {"[policy]\nmassive_channels = [3, 128]\n" + arms, 2, "policy.massive_channels",
     "below policy.width = 128, found 128"},
    {"[policy]\nmassive_channels = [3]\nmassive_value = 0\n" + arms, 3, "policy.massive_value",
     "above 0"},
    {"[policy]\nmassive_value = 50\n" + arms, 2, "policy.massive_value", "set massive_channels"},
    {"[outliers.policies.a]\n" + arms, 1, "outliers.policies.a", "the study's own policy"},
    {"[outliers.policies.A]\nweights = \"student-t\"\n" + arms, 1, "outliers.policies",
     "small letters"},
    {"[outliers.policies.a]\nmassive_channels = [3, 3]\n" + arms, 2,
     "outliers.policies.a.massive_channels", "repeated"},
    {"[outliers.policies.a]\nwidth = 64\n" + arms, 2, "outliers.policies.a.width", "unknown key"},
    {"[measurement]\nfrozen_batches = 1\n" + arms, 2, "measurement.frozen_batches", "from 2"},
    {"[measurement]\nmismatch_rollouts = -1\n" + arms, 2, "measurement.mismatch_rollouts",
     "from 0"},
    {"[run]\nthreads = -1\n" + arms, 2, "run.threads", "found -1"},
    // formats
    {with_format("numbers = \"mxfp8\"\n"), 2, "formats.f.numbers", "fp32, bf16 or mxfp4"},
    {with_format("numbers = \"mxfp4\"\nscale_rule = \"up\"\n"), 3, "formats.f.scale_rule",
     "there is no scale rule `up`"},
    {with_format("numbers = \"bf16\"\nmacro_block = 128\n"), 3, "formats.f.macro_block",
     "numbers = \"mxfp4\""},
    {with_format("numbers = \"mxfp4\"\nmacro_block = 48\n"), 3, "formats.f.macro_block",
     "a multiple of 32"},
    {with_format("numbers = \"mxfp4\"\nmacro_bits = 8\n"), 3, "formats.f.macro_bits",
     "without macro_block"},
    {with_format("numbers = \"mxfp4\"\nfallback_alpha = 0.0\n"), 3, "formats.f.fallback_alpha",
     "above 0"},
    {with_format("numbers = \"mxfp4\"\nparts = [\"grid\"]\n"), 3, "formats.f.parts",
     "without toggle"},
    {with_format("numbers = \"mxfp4\"\ntoggle = \"injection\"\nparts = [\"gird\"]\n"), 4,
     "formats.f.parts", "scale, deadzone, grid or clip"},
    {with_format("numbers = \"mxfp4\"\ntoggle = \"injection\"\nmacro_block = 128\n"), 4,
     "formats.f.macro_block", "beside toggle"},
    {with_format("numbers = \"mxfp4\"\ntoggle = \"operation\"\nfallback_alpha = 0.5\n"), 4,
     "formats.f.fallback_alpha", "beside toggle"},
    {"[formats.fp32]\nnumbers = \"bf16\"\n" + arms, 1, "formats.fp32", "predefined"},
    // arms
    {"name = \"none\"\n", 1, "arm", "at least one [[arm]]"},
    {"arm = []\n", 1, "arm", "[[arm]] tables"},
    {"[formats.q]\nnumbers = \"bf16\"\n[[arm]]\nname = \"fp32\"\nformat = \"q\"\n", 4, "arm.name",
     "the first arm to be the reference"},
    {"[[arm]]\nname = \"mxfp4\"\n", 2, "arm.name", "the first arm to be the reference"},
    {arms + "[[arm]]\nformat = \"fp32\"\n", 3, "arm.name", "one in every [[arm]]"},
    {arms + arms, 4, "arm.name", "a name that no other arm has"},
    {arms + "[[arm]]\nname = \"a,b\"\n", 4, "arm.name", "found the string \"a,b\""},
    {arms + "[[arm]]\nname = \"factorial\"\n", 4, "arm.name", "not \"factorial\""},
    {arms + "[[arm]]\nname = \"warm-up\"\n", 4, "arm.name", "or \"warm-up\""},
    {arms + "[[arm]]\nname = \"q\"\nformat = \"mxpf4\"\n", 5, "arm.format",
     "a format that [formats] defines: bf16 or fp32, found the string \"mxpf4\""},
    {arms + "[[arm]]\nname = \"q\"\nwgrad = { date = \"fp32\" }\n", 5, "arm.wgrad.date",
     "data, model, other, rotate or sequences"},
    {arms + "[[arm]]\nname = \"q\"\nforward = { sequences = 4 }\n", 5, "arm.forward.sequences",
     "data, model, other or rotate"},
    {arms + "[[arm]]\nname = \"q\"\nwgrad = { sequences = 12 }\n", 5, "arm.wgrad.sequences",
     "a power of two, found 12"},
    {arms + "[[arm]]\nname = \"q\"\nwgrad = { sequences = 256 }\n", 5, "arm.wgrad.sequences",
     "a divisor of an update's sequences, grpo.prompts * grpo.samples = 128, found 256"},
    {"[grpo]\nminibatches = 4\n" + arms + "[[arm]]\nname = \"q\"\nwgrad = { sequences = 64 }\n", 7,
     "arm.wgrad.sequences", "grpo.prompts * grpo.samples / grpo.minibatches = 32, found 64"},
    {"[warm_up]\nsequences = 6\n[measurement]\nfrozen_tokens = \"demonstrations\"\n" + arms +
         "[[arm]]\nname = \"q\"\nwgrad = { sequences = 4 }\n",
     9, "arm.wgrad.sequences",
     "a divisor of the demonstrations of measurement.frozen_tokens, warm_up.sequences = 6, found "
     "4"},
    {"[run]\nmicro_batch = 24\n" + arms + "[[arm]]\nname = \"q\"\nwgrad = { sequences = 16 }\n", 7,
     "arm.wgrad.sequences", "a divisor of run.micro_batch = 24, found 16"},
    {arms + "[[arm]]\nname = \"q\"\nnoise = \"adaptive\"\n", 1, "noise.sigmas", "9 sigmas"},
    {arms + "[[arm]]\nname = \"q\"\ncorrection = \"tis\"\n", 5, "arm.correction",
     "none, truncated_importance or sequence_mask"},
    {arms + "[[arm]]\nname = \"q\"\nimportance_cap = 3.0\n", 5, "arm.importance_cap",
     "no effect on an arm without correction"},
    {"[grpo]\noptimizer = \"lion\"\n" + arms, 2, "grpo.optimizer", "expected adam, sgd or adamw"},
    {arms + "[[arm]]\nname = \"q\"\nlearning_rate = 0.0\n", 5, "arm.learning_rate", "above 0"},
    {arms + "[[arm]]\nname = \"q\"\ntraining = \"none\"\nlearning_rate = 0.1\n", 6,
     "arm.learning_rate", "no effect beside training = \"none\""},
    {arms + "[[arm]]\nname = \"q\"\ntraining = \"none\"\noptimizer = \"adam\"\n", 6,
     "arm.optimizer", "no effect beside training = \"none\""},
    {arms + "[[arm]]\nname = \"q\"\noptimizer = \"sgd\"\n", 5, "arm.optimizer",
     "expected learning_rate beside it: grpo.learning_rate = 0.0002 is that of grpo.optimizer = "
     "\"adam\""},
};

}  // namespace

TEST_CASE("bad_studies_are_refused_with_line_key_and_expectation") {
  for (const bad_study& bad : bad_studies) {
    const text_folder folder;
    const auto file = folder.write("bad.toml", bad.text);
    const std::string message = message_of(file);
    CAPTURE(bad.text, message);
    CHECK_THAT(message, Catch::Matchers::StartsWith(file.string() + ":" + std::to_string(bad.line) +
                                                    ": key '" + bad.key + "': "));
    CHECK(message.find(bad.expected) != std::string::npos);
  }
}

TEST_CASE("what_is_no_toml_is_refused_with_its_line") {
  for (const auto& [text, line] :
       {std::pair{"name = \"a\nb\"\n", 1}, std::pair{"seed = 1\nseed = 2\n", 2},
        std::pair{"\n\n[policy\n", 3}, std::pair{"seed = 99999999999999999999\n", 1},
        std::pair{"name = \"\xFF\xFE\"\n", 1}}) {
    const text_folder folder;
    const auto file = folder.write("bad.toml", text);
    const std::string message = message_of(file);
    CAPTURE(text, message);
    CHECK_THAT(message, Catch::Matchers::StartsWith(file.string() + ":" + std::to_string(line) +
                                                    ": expected TOML: "));
  }
}

TEST_CASE("bad_overrides_are_refused_by_name") {
  struct {
    const char *text, *expected;
  } const cases[] = {
      {"grpo.steps", "expected key=value"},
      {"=3", "expected TOML"},
      {"grpo.steps=", "expected TOML"},
      {"grpo.steps=[", "expected TOML"},
      {"grpo.steps=3\nseed=4", "expected key=value on one line"},
      {"grpo.steps=0", "key 'grpo.steps': expected an integer from 1"},
      {"grpo.stepz=3", "key 'grpo.stepz': unknown key"},
      {"grpo=3", "key 'grpo': expected a table, found 3"},
      {"seed.x=3", "key 'seed': expected an integer from 0 to 2^63 - 1, found a table"},
      {"formats.mxfp4.scale_rule=flor", "there is no scale rule `flor`; did you mean `floor`?"},
      {"noise.sigmas=[0.1]", "key 'noise.sigmas': expected 9 sigmas"},
  };
  for (const auto& c : cases) {
    const std::string message = message_of(default_study(), {c.text});
    CAPTURE(c.text, message);
    CHECK_THAT(message, Catch::Matchers::StartsWith("override '" + std::string(c.text) + "': "));
    CHECK(message.find(c.expected) != std::string::npos);
  }
}

TEST_CASE("paths_in_overrides_need_no_quotes") {
  for (const char* path : {"/no/such-file.gguf", "./no/such-file.gguf", "no_such/2+3/file.gguf"}) {
    const std::string override = std::string("policy.checkpoint=") + path;
    CHECK_THROWS_WITH(
        (void)sim::read_study(default_study(), {override}),
        Catch::Matchers::StartsWith(path) && Catch::Matchers::Contains("does not exist"));
  }
}

TEST_CASE("paths_that_the_study_of_a_run_could_not_hold_are_refused") {
  const text_folder scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* name : {"u\xff", "ta\tb", "nl\nx"}) {
    const std::filesystem::path folder = scratch.path() / name;
    std::filesystem::create_directory(folder);
    for (const char* key : {"task.file", "policy.checkpoint"}) {
      const std::string set = std::string(key) + " = \"held\"\n";
      scratch.write(std::string(name) + "/s.toml", set + arms);
      std::filesystem::current_path(folder);
      // By a study in the folder, under its name from elsewhere too, and by an override there.
      for (const std::string& message :
           {message_of("s.toml"), message_of(folder / "s.toml"),
            message_of(default_study(), {std::string(key) + "=held"})}) {
        CAPTURE(message);
        CHECK(message.find("key '" + std::string(key) + "': is " + (folder / "held").string() +
                           ", a path that study.toml of a run cannot hold") != std::string::npos);
      }
      std::filesystem::current_path(before);
    }
  }
}

TEST_CASE("two_overrides_of_one_key_are_refused_by_both") {
  struct {
    std::vector<std::string> overrides;
    const char* expected;
  } const cases[] = {
      {{"seed=3", "seed=4"}, "override 'seed=3' and override 'seed=4' both set seed; give one"},
      {{"grpo.steps=3", "seed=4", "grpo.steps = 3"},
       "override 'grpo.steps=3' and override 'grpo.steps = 3' both set grpo.steps;"},
      {{"grpo.adam.beta1=0.5", "grpo.adam={beta1=0.6}"}, "both set grpo.adam.beta1;"},
      {{"grpo={steps=3}", "grpo.steps=4"}, "both set grpo.steps;"},
      {{"grpo=3", "grpo.steps=4"}, "both set grpo;"},
  };
  for (const auto& c : cases) {
    const std::string message = message_of(default_study(), c.overrides);
    CAPTURE(message);
    CHECK(message.find(c.expected) != std::string::npos);
  }
  CHECK(message_of(default_study(), {"grpo.steps=3", "grpo.adam.beta1=0.5", "grpo.prompts=4",
                                     "grpo.adam.beta2=0.9"}) == "accepted");
}

TEST_CASE("unreadable_files_are_refused_by_name_with_the_reason") {
  const text_folder folder;
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  const auto long_file = folder.write("long.toml", "");
  std::filesystem::resize_file(long_file, (16U << 20) + 1);
  const std::pair<std::filesystem::path, const char*> rows[] = {
      {folder.path() / "missing.toml", "cannot open: No such file"},
      {folder.path(), "is a folder"},
      {folder.path() / "pipe", "is not a regular file"},
      {"/dev/zero", "is not a regular file"},
      {long_file, "expected at most 16777216 bytes"}};
  for (const auto& [file, why] : rows) {
    const std::string message = message_of(file);
    CHECK_THAT(message, Catch::Matchers::StartsWith(file.string() + ": expected a study file"));
    CHECK(message.find(why) != std::string::npos);
  }
}
