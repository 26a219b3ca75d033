// SPDX-License-Identifier: Apache-2.0
// golden/bindings/verdict_handle.h: the contents of an mx_verdict: all that callers may read,
// without references to the verified data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/bindings/arguments.h"
#include "mxprism/verify_product.h"

namespace bindings {

/// One deviation from the declared rules.
struct owned_change {
  std::string dimension, expected, found;
};

/// Input that would distinguish an explanation from the first one.
struct owned_probe {
  std::string what;
  std::vector<float> block;
};

struct owned_explanation {
  std::vector<owned_change> changes;
  std::uint64_t telling = 0;
  std::string text;
  std::optional<owned_probe> probe;
};

/// The first difference of a tensor.
///   facts  as returned to callers, except for pointers into this structure
struct owned_difference {
  mx_difference facts = {};
  std::vector<std::uint64_t> index;
  std::vector<std::uint32_t> block_bits;
  std::string text;
};

/// A model, its evidence, and the element that excludes it.
struct owned_candidate {
  mx_candidate facts = {};
  std::string name, evidence;
};

struct owned_distinction {
  std::string model, from;
  std::vector<std::string> data;
  std::vector<const char*> pointers;  ///< into data, set once its address is final
};

struct owned_breach {
  mx_breach facts = {};
  std::string exact, error, bound;
};

struct owned_bound {
  mx_bound facts = {};
  std::string model;
  std::optional<owned_breach> first, worst;
};

}  // namespace bindings

/// In the global namespace, where the C header declares it.
struct mx_verdict {
  mx_verdict_facts facts = {};
  std::string text;
  std::vector<bindings::owned_explanation> explanations;
  std::optional<bindings::owned_difference> difference;
  std::vector<bindings::owned_candidate> candidates;
  std::vector<bindings::owned_distinction> distinctions;
  std::optional<bindings::owned_bound> bound;
};
