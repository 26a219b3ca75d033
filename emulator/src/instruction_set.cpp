// SPDX-License-Identifier: Apache-2.0
// emulator/src/instruction_set.cpp: the instruction set of the bulk functions, queried or forced.
#include <cstdint>
#include <stdexcept>

#include "mx/tensor/bulk.h"
#include "mx/tensor/vector_targets.h"

#include "hwy/targets.h"

namespace mx {
namespace {

std::vector<std::int64_t> offered_targets() {
  std::vector<std::int64_t> targets;
  const std::int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
  for (std::int64_t rest = all; rest != 0; rest &= rest - 1) targets.push_back(rest & -rest);
  return targets;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : offered_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string instruction_set() { return instruction_sets().front(); }

void use_instruction_set(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  for (const std::int64_t target : offered_targets()) {
    if (name == hwy::TargetName(target)) hwy::SetSupportedTargetsForTest(target);
  }
  if (!name.empty() && instruction_set() != name) {
    throw std::invalid_argument("this machine does not offer the instruction set " + name);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace mx
