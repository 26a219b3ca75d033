# SPDX-License-Identifier: Apache-2.0
"""study_texts.py: small right studies, claims and sweeps, whose runs take a tenth of a second."""
import tiny_study

STUDY = f"""name = "tiny"
seed = 1
{tiny_study.POLICY}[warm_up]
schedule = "fixed"
steps = 2
sequences = 4
ramp_steps = 2
gate_problems = 8
[grpo]
steps = 2
prompts = 2
samples = 2
ramp_steps = 2
[outliers]
factors = [1]
[measurement]
frozen_batches = 2
evaluation_problems = 4
evaluation_interval = 1
final_problems = 4
{tiny_study.ARMS}[formats.own]
recipe = "e2m1:e8m3:32"
rounding = "stochastic"
[[arm]]
name = "rollout"
rollout = "own"
"""

OWN_PROBLEMS = """name = "own"
[policy]
checkpoint = "policy"
[task]
file = "problems.jsonl"
sequence = 32
max_response_length = 8
[warm_up]
schedule = "fixed"
steps = 0
[grpo]
steps = 1
prompts = 2
samples = 2
[measurement]
frozen_batches = 2
evaluation_problems = 2
final_problems = 2
additivity_steps = []
[outliers]
factors = [1]
[[arm]]
name = "fp32"
"""

EXPERTS = """name = "experts"
[policy]
family = "qwen3_moe"
width = 32
layers = 1
heads = 2
kv_heads = 1
head_width = 32
hidden = 32
experts = 3
experts_per_token = 2
expert_weights = "over-chosen"
[task]
digits = 1
[warm_up]
schedule = "fixed"
steps = 2
sequences = 4
ramp_steps = 2
gate_problems = 8
[grpo]
steps = 1
prompts = 2
samples = 2
ramp_steps = 1
[outliers]
factors = [1]
norm_channels = [5]
hidden_units = [17]
[measurement]
frozen_batches = 2
evaluation_problems = 4
final_problems = 4
mismatch_rollouts = 0
additivity_steps = []
[formats.mxfp4]
numbers = "mxfp4"
[[arm]]
name = "fp32"
[[arm]]
name = "by-name"
rollout = "mxfp4"
by_name = [{ names = '.*experts[.]0[.].*', format = "bf16" }]
"""

SWEEP_ON_A_POLICY = """name = "on-a-policy"
measures = ["frozen", "training"]
[[input]]
name = "tiny"
policy = "base.toml"
texts = "texts.jsonl"
tokens = 40
batch = 1
steps = 1
[[grid]]
format = ["mxfp4", "nvfp4"]
"""

CLAIMS = tiny_study.claims(steps=1, seeds=2) + """[[claim]]
name = "rollout"
rule = "spread"
within = [0.5, 2.0]
metric = "kl"
contrasts = ["mxfp4 - rollout"]
"""

SWEEP = """name = "small"
constraints = ["bits <= 6"]
measures = ["total", "components"]
[[input]]
name = "drawn"
law = "gaussian"
rows = 4
columns = 64
[[grid]]
element = ["e2m1", "int4"]
scale = ["e8m0", "ue4m3"]
block = { from = 16, to = 32, factor = 2 }
scale_rule = { values = ["floor", "rceil"], when = "scale == e8m0" }
"""

SWEEP_OF_A_FILE = """name = "of-a-file"
[[input]]
name = "weights"
file = "named.safetensors"
tensors = ["*.q_proj.*", "*norm*"]
role = "weight"
[[grid]]
format = ["mxfp4", "nvfp4"]
"""
