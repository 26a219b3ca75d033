// SPDX-License-Identifier: Apache-2.0
// sim/study/agreement.h: what each meaning of a toggle shows of a component's effect, and whether
// the two meanings agree. An effect is shown beyond two standard errors. The error of the
// difference of two estimates is taken as the sum of theirs, which it never exceeds. That an effect
// was not shown is no evidence that there is none: that is shown too.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/study/statistics.h"

namespace sim {

using three_effects = std::array<estimate, 3>;  ///< of scale, deadzone, grid

/// Share of the whole effect below which a part's effect is negligible.
inline constexpr double negligible_share = 0.2;

/// An effect under one meaning.
///   negligible  less than the margin with two standard errors added, whether shown or not
///   open        neither negligible nor shown
enum class effect_state : std::uint8_t { raises, lowers, negligible, open };

/// The margin of the parts of a whole effect; 0, below which nothing is, where the whole one is not
/// shown.
[[nodiscard]] double margin_of(const estimate& total);
[[nodiscard]] effect_state state_of(const estimate& e, double margin);

/// Whether a component harms most, under one meaning.
///   shown    it harms, and more than either of the others
///   refuted  another one harms more, or its own effect is negligible or the reverse
///   open     neither
enum class showing : std::uint8_t { shown, refuted, open };

/// harm: +1 or -1, the sign of a harmful effect
[[nodiscard]] showing harms_most(const three_effects& effects, std::size_t component, int harm,
                                 double margin);

/// Conclusion from both meanings.
///   agree         both show the same
///   disagree      one shows what the other shows to be reversed or negligible
///   not_resolved  at least one of them is open
enum class agreement : std::uint8_t { agree, disagree, not_resolved };

[[nodiscard]] agreement agreement_of(effect_state injection, effect_state operation);
[[nodiscard]] agreement agreement_of(showing injection, showing operation);

/// The component that moves a figure most in the direction of the whole effect.
///   injection, operation  no value where no component exceeds both others
struct culprit {
  agreement verdict = agreement::not_resolved;
  std::optional<std::size_t> injection, operation;
};

[[nodiscard]] culprit culprit_of(const factorial<estimate>& injection,
                                 const factorial<estimate>& operation);

}  // namespace sim
