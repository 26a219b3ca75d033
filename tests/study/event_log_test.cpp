// SPDX-License-Identifier: Apache-2.0
// tests/study/event_log_test.cpp: the tags under which TensorBoard shows the rows of a run.
#include "sim/cli/train/event_log.h"

#include "catch.h"

namespace {

sim::metric_row row(const char* phase, const char* arm, const char* metric) {
  return {phase, arm, 1, {}, "", "", metric, 0.5, {}};
}

}  // namespace

TEST_CASE("rows_of_other_arms_have_a_tag_of_their_own") {
  using sim::cli::tag_of;
  CHECK(tag_of("fp32", row("train", "fp32", "reward")) == "train/reward");
  CHECK(tag_of("fp32", row("train", "mxfp4", "accuracy_sampled_of_fp32")) ==
        "eval/accuracy_sampled_of_fp32/mxfp4");
  // Steps of the reference's training that are replayed under several arms.
  CHECK(tag_of("fp32", row("additivity", "inj-s", "change.logits")) == "train/change.logits/inj-s");
  CHECK(tag_of("fp32", row("additivity", "mxfp4", "change.logits")) == "train/change.logits/mxfp4");
  CHECK(tag_of("warm-up", row("warm-up", "fp32", "loss")) == "train/loss");
}
