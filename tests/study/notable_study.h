// SPDX-License-Identifier: Apache-2.0
// tests/study/notable_study.h: a study whose arms have recipes, models, rotations, W and X of
// forward, and exempt products, and rules by name.
#pragma once
#include <string>

#include "sim/study/study_file.h"
#include "text_file.h"

inline const std::string notable_text = R"([formats]
mxfp4 = { numbers = "mxfp4", macro_block = 128 }
plain = { recipe = "mxfp4" }
nvfp4 = { recipe = "nvfp4" }
kernel = { variant = "torchao.rceil" }
random = { recipe = "mxfp8-e4m3", rounding = "stochastic" }
[[arm]]
name = "fp32"
[[arm]]
name = "cores"
format = "plain"
forward = { model = "blackwell.mxf4" }
rollout = { model = "blackwell.mxf4" }
wgrad = { model = "exact.rne" }
[[arm]]
name = "turned"
format = "mxfp4"
dgrad = { data = "random", other = "forward" }
wgrad = { data = "nvfp4", other = "mxfp4", rotate = "16,fixed", sequences = 4 }
[[arm]]
name = "kernel"
rollout = { other = "kernel", rotate = "32" }
[[arm]]
name = "dequantized"
format = "nvfp4"
dgrad = { data = "bf16", other = "forward" }
wgrad = { data = "bf16", other = "forward" }
exempt = { last = 1, linears = "attention", format = "bf16" }
by_name = [{ names = '.*\.(gate|up)_proj', operands = ["other"], passes = ["dgrad", "forward"], format = "random" }, { names = '.*[.]1[.].*', format = "plain" }]
[[arm]]
name = "all"
format = "kernel"
)";

inline sim::study notable_study() {
  const text_folder folder;
  return sim::read_study(folder.write("s.toml", notable_text));
}
