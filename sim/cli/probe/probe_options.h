// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_options.h: the command-line options that decide the bytes of a probe's input.
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor.h"
#include "golden/probe/probe_tensor.h"
#include "sim/cli/rules/chosen_recipe.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

struct probe_options {
  std::optional<std::string> format;
  std::string dtype = "f32";
  std::string shape;
};

/// --format --dtype --shape
void add_probe_options(CLI::App& command, probe_options& options);

/// The format of --format, or `otherwise` where it is absent.
///   errors  usage_error where a probe does not accept it
[[nodiscard]] mx::recipe probed_recipe(const probe_options& options, const std::string& otherwise);

/// The probe that the options describe.
///   errors  usage_error
[[nodiscard]] golden::probe::probe_request request_of(const probe_options& options,
                                                      const mx::recipe& r);
[[nodiscard]] golden::probe::probe requested_probe(
    const golden::probe::probe_request& request,
    golden::probe::probe_part part = golden::probe::probe_part::all);

/// A view of a probe's tensor, whose bytes the probe owns.
[[nodiscard]] golden::io::tensor tensor_of(const golden::probe::probe_tensor& t,
                                           mx::number_type type, const std::string& source);

/// "128,256": rows and columns, or M and N.
///   errors  usage_error naming the option
struct two_extents {
  std::uint64_t first = 0, second = 0;
};
[[nodiscard]] two_extents extents_of(const char* option, const std::string& text);

}  // namespace sim::cli
