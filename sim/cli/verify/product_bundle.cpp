// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_bundle.cpp: a folder that replays one element of a product that differs.
#include <fmt/format.h>

#include "golden/io/replaced_file.h"
#include "mx/spelling.h"
#include "sim/cli/products/dot_file.h"
#include "sim/cli/products/trace_text.h"
#include "sim/cli/verify/bundle_folder.h"
#include "sim/cli/verify/product_report.h"
#include "sim/cli/verify/product_slice.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using golden::validator::explanation_text;
using golden::validator::word_text;

constexpr std::uint64_t most_steps = 64;

io::byte_buffer word_bytes(std::uint32_t code, io::dtype type) {
  return code_bytes({&code, 1}, type);
}

/// Writes a bundle into its folder.
class bundle_writer {
 public:
  bundle_writer(const product_options& options, const product_files& in, const product_diagnosis& d,
                const std::string& folder)
      : options_(options),
        in_(in),
        diagnosis_(d),
        one_(in.candidates[d.expected]),
        slice_(slice_of(in, d)),
        folder_(folder) {}

  void write() const {
    make_bundle_folder(folder_);
    write_factor("a", *one_.a, slice_.a, {1, length()});
    write_factor("b", *one_.b, slice_.b, {length(), 1});
    write_word("found", "d", in_.output, slice_.found);
    write_word("expected", "d", in_.output, slice_.expected);
    if (slice_.c) write_word("c", "c", one_.plan.model.sum.result, *slice_.c);
    std::string text = fmt::format("{}\n{}\n\n  {}\n", head(), replay_line, command());
    if (has_steps()) text += steps();
    golden::io::write_text(folder_ + "/README.txt", text);
  }

 private:
  [[nodiscard]] std::uint64_t length() const { return static_cast<std::uint64_t>(slice_.k); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_ + "/" + name + ".safetensors";
  }

  void write_word(const std::string& file, const std::string& name, const mx::format& f,
                  std::uint32_t code) const {
    const io::dtype type = type_of(f);
    const io::byte_buffer bytes = word_bytes(code, type);
    const io::tensor t{name, type, {1, 1}, bytes.view(), path(file)};
    io::save(path(file), {&t, 1});
  }

  /// Numbers as they were multiplied, so that no quantizing option is needed to read them again.
  void write_factor(const std::string& name, const gemm_factor& f, const slice_line& line,
                    const std::vector<std::uint64_t>& shape) const {
    if (f.block == 0) {
      const io::tensor t{name, type_of(f.element), shape, line.codes, path(name)};
      io::save(path(name), {&t, 1});
      return;
    }
    std::vector<io::tensor> tensors{
        {"codes", io::dtype::u8, {1, length()}, line.codes, path(name)},
        {"scales", io::dtype::u8, {1, line.scales.size()}, line.scales, path(name)}};
    io::byte_buffer scale;
    if (f.tensor_scale) {
      scale = word_bytes(mx::bits_of(*f.tensor_scale), io::dtype::f32);
      tensors.push_back({"tensor_scale", io::dtype::f32, {1}, scale.view(), path(name)});
    }
    io::save(path(name), tensors,
             {{"format", f.name},
              {"packing", "unpacked"},
              {"layout", "linear"},
              {"axis", "1"},
              {"block", std::to_string(f.block)},
              {"shape", io::shape_text({1, length()})}});
  }

  [[nodiscard]] std::string cut_text() const {
    const std::string lengths = fmt::format("{} of {} elements of K", slice_.k, one_.a->padded);
    switch (slice_.cut) {
      case slice_cut::first_part:
        return "the first " + lengths + ", on which what explains D already gives another word";
      case slice_cut::without_zeros:
        return lengths +
               ": the others are in parts of zeros, and change nothing of what is expected";
      case slice_cut::whole:
        break;
    }
    return "all " + lengths;
  }

  [[nodiscard]] std::string head() const {
    std::string text = fmt::format(
        "element ({}, {}) of D: row {} of A, column {} of B, {}\n"
        "expected {} by {}\nfound    {}\n",
        slice_.row, slice_.column, slice_.row, slice_.column, cut_text(),
        word_text(in_.output, slice_.expected), one_.entry->name,
        word_text(in_.output, slice_.found));
    if (slice_.c) text += "c        " + word_text(one_.plan.model.sum.result, *slice_.c) + "\n";
    if (!diagnosis_.explanations.empty()) {
      text += "explained by " + explanation_text(diagnosis_.explanations.front()) + "\n";
    }
    if (slice_.cut == slice_cut::first_part) {
      text += fmt::format("found is what the explanation gives of this part; D has {}, of all K\n",
                          word_text(in_.output, slice_.in_d));
    }
    return text;
  }

  [[nodiscard]] std::string command() const {
    const plan_options& p = options_.plan;
    std::string words = fmt::format(
        "mxprism verify found.safetensors --gemm a.safetensors b.safetensors --model {}",
        one_.entry->name);
    if (one_.a->block == 0 && one_.entry->operands == mx::operands::any) words += " --format none";
    if (slice_.c) words += " --c c.safetensors --c-entry " + p.c_entry;
    if (p.alpha) words += " --alpha " + *p.alpha;
    if (p.promote > 0) words += fmt::format(" --promote {}", p.promote);
    if (p.split_k > 1) {
      words += fmt::format(" --split-k {} --split-order {}", p.split_k, p.split_order);
    }
    if (p.out_rounding) words += " --out-rounding " + *p.out_rounding;
    return words;
  }

  /// Whether the sum is a single dot product.
  [[nodiscard]] bool has_steps() const { return one_.plan.promote == 0 && one_.plan.split_k == 1; }

  /// The dot product as a word that `dot` replays, and its steps.
  [[nodiscard]] std::string steps() const {
    write_dot();
    const io::tensor_file file = io::load(path("words"));
    const dot_file words = words_of(file, *one_.entry, {});
    return fmt::format(
               "\nThe steps of the sum, also by\n\n  mxprism dot words.safetensors --model {} "
               "--explain 0\n\n",
               one_.entry->name) +
           trace_text(words, traced(words, 0, most_steps));
  }

  void write_dot() const {
    const mx::dot_model& m = one_.plan.model;
    const io::dtype result = container_of(m.sum.result);
    const bool starts = slice_.c && one_.plan.c_entry == mx::c_entry::first_step;
    const io::byte_buffer c = word_bytes(starts ? *slice_.c : 0, result);
    const io::byte_buffer d = word_bytes(slice_.found, result);
    const std::string to = path("words");
    const auto elements = [&](const char* name, const gemm_factor& f, const slice_line& line) {
      const auto type = f.storage == mx::code_storage::words    ? io::dtype::u32
                        : f.storage == mx::code_storage::halves ? io::dtype::u16
                                                                : io::dtype::u8;
      return io::tensor{name, type, {1, length()}, line.codes, to};
    };
    std::vector<io::tensor> tensors{elements("a", *one_.a, slice_.a),
                                    elements("b", *one_.b, slice_.b),
                                    {"c", result, {1}, c.view(), to}};
    io::metadata notes{{"a_format", number_format_name(m.a)},
                       {"b_format", number_format_name(m.b)}};
    if (m.block > 0) {
      tensors.push_back(
          {"scale_a", io::dtype::u8, {1, slice_.a.scales.size()}, slice_.a.scales, to});
      tensors.push_back(
          {"scale_b", io::dtype::u8, {1, slice_.b.scales.size()}, slice_.b.scales, to});
      notes["scale"] = scale_format_name(m.scale);
      notes["block"] = std::to_string(m.block);
    }
    if (mx::is_sum(one_.plan)) tensors.push_back({"d", result, {1}, d.view(), to});
    io::save(to, tensors, notes);
  }

  const product_options& options_;
  const product_files& in_;
  const product_diagnosis& diagnosis_;
  const read_candidate& one_;
  product_slice slice_;
  const std::string& folder_;
};

}  // namespace

void write_bundle(const product_options& options, const product_files& in,
                  const product_diagnosis& d, const std::string& folder) {
  bundle_writer(options, in, d, folder).write();
}

}  // namespace sim::cli
