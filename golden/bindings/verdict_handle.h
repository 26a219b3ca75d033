// SPDX-License-Identifier: Apache-2.0
// golden/bindings/verdict_handle.h: what a mx_verdict is: everything that callers may ask of it, as a
// value of its own.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/bindings/arguments.h"
#include "mxprism/verify_product.h"

namespace bindings {

/// One thing that is otherwise.
struct told_change {
  std::string dimension, expected, found;
};

/// What would tell an explanation from the first one.
struct told_probe {
  std::string what;
  std::vector<float> block;
};

struct told_explanation {
  std::vector<told_change> changes;
  std::uint64_t telling = 0;
  std::string text;
  std::optional<told_probe> probe;
};

/// The first difference of a tensor.
///   facts  as callers get them, but for what points into this
struct told_difference {
  mx_difference facts = {};
  std::vector<std::uint64_t> index;
  std::vector<std::uint32_t> block_bits;
  std::string text;
};

/// A model, what it rests on, and the element that excludes it.
struct told_candidate {
  mx_candidate facts = {};
  std::string name, evidence;
};

struct told_distinction {
  std::string model, from;
  std::vector<std::string> data;
  std::vector<const char*> pointers;  ///< to the data, once these stay where they are
};

struct told_breach {
  mx_breach facts = {};
  std::string exact, error, bound;
};

struct told_bound {
  mx_bound facts = {};
  std::string model;
  std::optional<told_breach> first, worst;
};

}  // namespace bindings

/// The C header names it in the global namespace.
struct mx_verdict {
  mx_verdict_facts facts = {};
  std::string text;
  std::vector<bindings::told_explanation> explanations;
  std::optional<bindings::told_difference> difference;
  std::vector<bindings::told_candidate> candidates;
  std::vector<bindings::told_distinction> distinctions;
  std::optional<bindings::told_bound> bound;
};
