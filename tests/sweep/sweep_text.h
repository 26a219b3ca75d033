// SPDX-License-Identifier: Apache-2.0
// tests/sweep/sweep_text.h: small sweeps as text.
#pragma once
#include <string>

#include "sim/study/input_error.h"
#include "sim/sweep/sweep_reader.h"
#include "sim/sweep/sweep_run.h"

namespace test {

inline const std::string gaussian_input =
    "[[input]]\nname = \"g\"\nlaw = \"gaussian\"\nrows = 4\ncolumns = 256\n";

/// A sweep of one grid on a small input.
///   keys  of the root
inline std::string sweep_text(const std::string& axes, const std::string& keys = "") {
  return keys + gaussian_input + "[[grid]]\n" + axes;
}

inline sim::sweep_study sweep_of(const std::string& axes, const std::string& keys = "") {
  return sim::sweep_in(sweep_text(axes, keys), "s.toml");
}

/// The message with which work is refused; empty if it is not.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    static_cast<void>(work());
  } catch (const sim::input_error& e) {
    return e.what();
  }
  return "";
}

inline std::string grid_refusal(const std::string& axes, const std::string& keys = "") {
  return refusal_of([&] { return sim::points_of(sweep_of(axes, keys)); });
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Points on drawn inputs.
inline sim::loaded_sweep loaded(sim::sweep_study study) {
  sim::loaded_sweep s{std::move(study), {}, {}};
  s.list = sim::points_of(s.study);
  for (const sim::sweep_input& in : s.study.inputs) s.inputs.push_back(sim::drawn_input(in));
  return s;
}

}  // namespace test
