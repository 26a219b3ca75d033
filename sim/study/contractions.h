// SPDX-License-Identifier: Apache-2.0
// sim/study/contractions.h: the lengths that the products of a policy contract over.
#pragma once
#include <array>
#include <string_view>

#include "sim/study/linear.h"
#include "sim/study/study.h"

namespace sim {

/// Numbers of a token that a linear reads, and that it writes.
struct linear_extents {
  int inputs, outputs;
};

[[nodiscard]] constexpr linear_extents extents_of(const policy_shape& p, linear l) {
  const int queries = p.heads * p.head_width, keys = p.kv_heads * p.head_width;
  switch (l) {
    case linear::q:
      return {p.width, queries};
    case linear::k:
    case linear::v:
      return {p.width, keys};
    case linear::o:
      return {queries, p.width};
    case linear::gate:
    case linear::up:
      return {p.width, p.hidden};
    case linear::down:
      break;
  }
  return {p.hidden, p.width};
}

/// Products that contract over one length.
///   of  their pass; those of the rollout are the forward pass'
struct contraction {
  pass of;
  std::string_view products;
  int length;
};

[[nodiscard]] constexpr std::array<contraction, 8> contractions_of(const policy_shape& p,
                                                                   const task_shape& t) {
  const int queries = extents_of(p, linear::q).outputs, keys = extents_of(p, linear::k).outputs;
  return {{{pass::forward, "rollout and forward of q, k, v, gate and up", p.width},
           {pass::forward, "rollout and forward of o", queries},
           {pass::forward, "rollout and forward of down", p.hidden},
           {pass::dgrad, "dgrad of q", queries},
           {pass::dgrad, "dgrad of k and v", keys},
           {pass::dgrad, "dgrad of o and down", p.width},
           {pass::dgrad, "dgrad of gate and up", p.hidden},
           {pass::wgrad, "every wgrad", t.sequence}}};
}

}  // namespace sim
