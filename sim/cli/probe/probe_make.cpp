// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_make.cpp: the file of a probe, and what its blocks cannot distinguish.
#include "golden/io/counted.h"
#include "sim/cli/probe/probe_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/tensor_file.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/named_option.h"
#include "sim/cli/terminal/output_file.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using golden::probe::probe;
using golden::probe::probe_request;
using golden::probe::probe_tensor;

/// Names of recipes that give the same bytes.
using name_group = std::vector<std::string>;

std::vector<name_group> undistinguished_groups(const probe& p) {
  std::vector<name_group> all;
  for (const std::vector<std::size_t>& group : p.groups) {
    name_group names;
    for (const std::size_t k : group) {
      const std::string& name = p.recipes[k].name;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (names.size() > 1) all.push_back(std::move(names));
  }
  return all;
}

/// Groups of a probe that the default probe, FP32 in its own shape, would distinguish.
std::vector<name_group> distinguished_by_usual_probe(const probe& p, const probe_request& request) {
  if (request.type == mx::number_type::fp32 && request.rows == 0) return {};
  const std::vector<name_group> of_fp32 =
      undistinguished_groups(requested_probe({request.format, mx::number_type::fp32}));
  std::vector<name_group> lost = undistinguished_groups(p);
  std::erase_if(lost, [&](const name_group& g) {
    return std::ranges::any_of(
        of_fp32, [&](const name_group& same) { return std::ranges::includes(same, g); });
  });
  return lost;
}

/// Results of a finished probe.
struct made_probe {
  const probe& what;
  std::string path, format, dtype;
  std::vector<name_group> equal, lost;
};

void print_groups(const std::string& head, const std::vector<name_group>& groups) {
  if (groups.empty()) return;
  fmt::print("{}:\n", head);
  for (const name_group& g : groups) {
    // Two rules that agree do so with every rounding.
    if (g.front().find(", element_rounding") != std::string::npos) continue;
    fmt::print("  {}\n", wrapped(fmt::format("{}", fmt::join(g, " = ")), 4, 2));
  }
}

ordered_json json_of(const made_probe& m) {
  ordered_json tensors = ordered_json::array();
  for (const probe_tensor& t : m.what.tensors) {
    tensors.push_back(
        {{"name", t.name}, {"shape", t.shape}, {"blocks", t.blocks}, {"telling", t.telling}});
  }
  return {{"output", m.path},
          {"format", m.format},
          {"dtype", m.dtype},
          {"tensors", tensors},
          {"blocks", m.what.blocks()},
          {"recipes", m.what.recipes.size()},
          {"outputs", m.what.groups.size()},
          {"equal", m.equal},
          {"told_by_usual_probe", m.lost}};
}

void print(const made_probe& m, output form) {
  if (form == output::json) return print_json(json_of(m));
  fmt::print("{}: {} in {}\n", m.path, m.format, m.dtype);
  for (const probe_tensor& t : m.what.tensors) {
    fmt::print("  {} {}: {}, {} of them distinguish variants\n", t.name, io::shape_text(t.shape),
               io::counted(t.blocks, "block"), t.telling);
  }
  fmt::print("{} known recipes give {} different outputs\n", m.what.recipes.size(),
             m.what.groups.size());
  print_groups("the same bytes here, distinguished in f32 without --shape", m.lost);
  print_groups("the same bytes here, and on every block tried", m.equal);
}

}  // namespace

int make_tensor_probe(const std::string& path, const probe_options& options, output form) {
  const mx::recipe r = probed_recipe(options, "mxfp4");
  const probe_request request = request_of(options, r);
  expect_writable(path, {".safetensors"});
  const probe made = requested_probe(request);
  std::vector<io::tensor> tensors;
  for (const probe_tensor& t : made.tensors) tensors.push_back(tensor_of(t, request.type, path));
  io::save(path, tensors, {{"format", mx::format_word(r)}, {"probe", "1"}});
  made_probe result{made,
                    path,
                    mx::format_word(r),
                    mx::number_format_name(numbers_named("--dtype", options.dtype)),
                    undistinguished_groups(made),
                    {}};
  result.lost = distinguished_by_usual_probe(made, request);
  std::erase_if(result.equal, [&](const name_group& g) {
    return std::ranges::find(result.lost, g) != result.lost.end();
  });
  print(result, form);
  return exit_status::done;
}

}  // namespace sim::cli
