# SPDX-License-Identifier: Apache-2.0
# tests/e2e/tiny_study.py: a study that trains two arms in a second, and the parts that others share.

POLICY = """[policy]
width = 32
layers = 1
heads = 2
kv_heads = 1
head_width = 32
hidden = 64
[task]
digits = 1
"""

ARMS = """[formats.mxfp4]
numbers = "mxfp4"
[[arm]]
name = "fp32"
[[arm]]
name = "mxfp4"
format = "mxfp4"
"""

STUDY = f"""name = "tiny"
{POLICY}[warm_up]
schedule = "fixed"
steps = 8
sequences = 16
ramp_steps = 6
gate_problems = 32
[grpo]
steps = 6
prompts = 4
samples = 4
ramp_steps = 2
[outliers]
factors = [1]
[measurement]
frozen_batches = 2
evaluation_problems = 32
evaluation_interval = 2
final_problems = 32
{ARMS}"""


def claims(steps, seeds):
    """The head of a claims file about study.toml, with its first claim."""
    return f"""name = "miniature"
study = "study.toml"
overrides = ["grpo.steps={steps}"]
trained = ["fp32", "mxfp4"]
first_seed = 101
seeds = {seeds}
[metrics.accuracy]
phase = "train"
metric = "accuracy_final_in_fp32"
step = {steps}
diverged = 0.0
[metrics.kl]
phase = "frozen"
metric = "kl"
[[claim]]
name = "gap"
says = "training in MXFP4 costs accuracy"
rule = "positive"
metric = "accuracy"
contrasts = ["fp32 - mxfp4"]
"""
