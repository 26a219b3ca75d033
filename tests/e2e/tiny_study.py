# SPDX-License-Identifier: Apache-2.0
# tests/e2e/tiny_study.py: a study that trains two arms in a second.

STUDY = """name = "tiny"
[policy]
width = 32
layers = 1
heads = 2
kv_heads = 1
head_width = 32
hidden = 64
[task]
digits = 1
[warm_up]
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
[[arm]]
name = "fp32"
[[arm]]
name = "mxfp4"
format = "mxfp4"
[formats.mxfp4]
numbers = "mxfp4"
"""
