// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_command.cpp: replays dot-product-add words under a model of a tensor core,
// compares them with the results of a device or a design, and prints the steps of one.
#include <fmt/format.h>

#include <memory>

#include "golden/io/counted.h"
#include "mx/spelling.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/products/dot_binary64.h"
#include "sim/cli/products/dot_replay.h"
#include "sim/cli/products/trace_text.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct options {
  std::string in, model, out;
  word_options words;
  std::optional<std::uint64_t> explained;
  std::uint64_t steps = 64;
  output form = output::text;
};

std::string formats_text(const dot_file& w) {
  std::string text =
      fmt::format("a in {}, b in {}", number_format_name(w.model.a), number_format_name(w.model.b));
  if (w.scales == 0) return text;
  return text + fmt::format(", a scale in {} for every {}", scale_format_name(w.model.scale),
                            w.model.block);
}

void expect_word(const options& o, const dot_file& w) {
  if (!o.explained || *o.explained < w.vectors) return;
  throw usage_error("--explain {}: {} has {}, counted from 0", *o.explained, o.in,
                    io::counted(w.vectors, "word"));
}

void print_object(const options& o, const mx::named_model& model, const dot_file& w,
                  const dot_replay& replay) {
  ordered_json json{{"model", model.name},
                    {"evidence", mx::name_of(model.rests_on)},
                    {"vectors", w.vectors},
                    {"mismatches", replay.mismatches},
                    {"first", nullptr},
                    {"source", model.source},
                    {"doubts", model.doubts},
                    {"compared", !w.d.empty()},
                    {"k", w.k},
                    {"a_format", number_format_name(w.model.a)},
                    {"b_format", number_format_name(w.model.b)}};
  if (w.scales > 0) {
    json["scale"] = scale_format_name(w.model.scale);
    json["block"] = w.model.block;
  }
  if (replay.mismatches > 0) json["first"] = trace_json(w, traced(w, replay.first, o.steps));
  if (o.explained) json["explained"] = trace_json(w, traced(w, *o.explained, o.steps));
  if (!o.out.empty()) json["output"] = o.out;
  print_json(json);
}

void print(const options& o, const mx::named_model& model, const dot_file& w,
           const dot_replay& replay) {
  if (o.form == output::json) return print_object(o, model, w, replay);
  fmt::print("{}\n{}", model.name, evidence_lines(model));
  fmt::print("{}: {} of K = {}, {}\n", o.in, io::counted(w.vectors, "word"), w.k, formats_text(w));
  if (w.d.empty()) {
    fmt::print("no d to compare with\n");
  } else {
    fmt::print("{} of {} differ from d\n", replay.mismatches, w.vectors);
  }
  if (replay.mismatches > 0) {
    fmt::print("\nthe first difference\n{}", trace_text(w, traced(w, replay.first, o.steps)));
  }
  if (o.explained && !(replay.mismatches > 0 && *o.explained == replay.first)) {
    fmt::print("\n{}", trace_text(w, traced(w, *o.explained, o.steps)));
  }
  if (!o.out.empty()) fmt::print("{}\n", o.out);
}

void save_results(const options& o, const mx::named_model& model, const dot_file& w,
                  const dot_replay& replay) {
  const io::byte_buffer bytes = code_bytes(replay.results, w.d_type);
  const io::tensor d{"d", w.d_type, {w.vectors}, bytes.view(), o.out};
  io::save(
      o.out, {&d, 1},
      {{"model", std::string(model.name)}, {"evidence", std::string(mx::name_of(model.rests_on))}});
}

/// Refuses formats, since the model has its own.
int run_binary64(const options& o, const mx::binary64::named_model& model) {
  const word_options& w = o.words;
  if (w.a_format || w.b_format || w.scale_format || w.block) {
    throw usage_error("--a-format, --b-format, --scale-format and --block: {} takes FP64 alone",
                      model.name);
  }
  return run_binary64_dot(model, {o.in, o.out, o.explained, o.steps, o.form});
}

int run(const options& o) {
  if (const auto* model = mx::binary64::model_named(o.model)) return run_binary64(o, *model);
  const mx::named_model& requested = model_chosen(o.model);
  if (!o.out.empty()) expect_writable(o.out, {".safetensors"});
  expect_no_input(o.out, {o.in});
  const io::tensor_file file = io::load(o.in);
  const dot_file w = words_of(file, requested, o.words);
  const mx::named_model& model = model_told(requested, w.model);
  expect_word(o, w);
  dot_replay replay;
  {
    progress_bar bar("words", w.vectors);
    replay = replayed(w, bar);
  }
  if (!o.out.empty()) save_results(o, model, w, replay);
  print(o, model, w, replay);
  return replay.mismatches == 0 ? exit_status::done : exit_status::difference;
}

}  // namespace

void add_dot(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "dot", "Replay dot-product-add words under a tensor-core model and compare with `d`");
  const auto o = std::make_shared<options>();
  command
      ->add_option("WORDS", o->in,
                   ".safetensors: codes a, b [V, K], bits c [V]; may have scale_a, scale_b, d")
      ->required();
  add_model_option(*command, o->model);
  add_word_options(*command, o->words);
  add_value(*command, "-o,--output", o->out, "OUT", ".safetensors to write the results `d` to");
  add_value(*command, "--explain", o->explained, "I",
            "Print every step of this word, counted from 0, equal or not");
  add_value(*command, "--steps", o->steps, "N", "Print at most N steps of a word (default 64)");
  add_json_flag(*command, o->form);
  command->footer(
      R"(Computes d = c + sum of a[k] * b[k] for each of V words. Codes are U8 (one a byte, up to
8 bits), U16 (FP16, BF16) or U32 (FP32, and TF32 in its upper bits); c and d are bits of
FP32 (U32), or of FP16 (U16) where the model's result is FP16, c also where its name ends in
_c16. Models of f64 take F64 everywhere. Bits are compared. The first
word that differs is printed step by step: the largest exponent, each aligned term, what was
cut off and why, the sum before rounding. Exit status 1 if a word differs.

)" + example("  mxprism dot words.safetensors --model ampere.mma.bf16.f32\n"
             "  mxprism dot words.safetensors --model ampere.mma.bf16.f32 --explain 0\n"
             "  mxprism dot words.safetensors --model exact.rne --a-format bf16 --b-format bf16 "
             "-o d.safetensors\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
