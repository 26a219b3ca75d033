# SPDX-License-Identifier: Apache-2.0
"""model_scenes.py: commands on checkpoints of language models, their texts, and studies and sweeps
that read them."""
import json
import os
import random
import struct

import gguf_files
import tensor_files
import study_texts
from attacked_command import Attacked

CONFIG = {"model_type": "qwen3", "hidden_size": 32, "num_hidden_layers": 1,
          "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32,
          "intermediate_size": 64, "vocab_size": 32, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
          "hidden_act": "silu", "tie_word_embeddings": True, "attention_bias": False,
          "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
# Name in Hugging Face's files, in GGUF's, shape.
LAYER = (("input_layernorm", "attn_norm", [32]), ("self_attn.q_proj", "attn_q", [64, 32]),
         ("self_attn.k_proj", "attn_k", [32, 32]), ("self_attn.v_proj", "attn_v", [32, 32]),
         ("self_attn.o_proj", "attn_output", [32, 64]), ("self_attn.q_norm", "attn_q_norm", [32]),
         ("self_attn.k_norm", "attn_k_norm", [32]), ("post_attention_layernorm", "ffn_norm", [32]),
         ("mlp.gate_proj", "ffn_gate", [64, 32]), ("mlp.up_proj", "ffn_up", [64, 32]),
         ("mlp.down_proj", "ffn_down", [32, 64]))
EXPERTS = {**CONFIG, "model_type": "qwen3_moe", "num_experts": 3, "num_experts_per_tok": 2,
           "moe_intermediate_size": 32, "norm_topk_prob": True, "decoder_sparse_step": 1,
           "mlp_only_layers": []}
NOTES = {"qwen3.embedding_length": 32, "qwen3.block_count": 1, "qwen3.attention.head_count": 2,
         "qwen3.attention.head_count_kv": 1, "qwen3.attention.key_length": 32,
         "qwen3.feed_forward_length": 64, "qwen3.context_length": 256}


def weights():
    """(name in Hugging Face's files, in GGUF's, tensor) of each parameter."""
    chance = random.Random(1)
    named = [(f"model.layers.0.{one}.weight", f"blk.0.{other}.weight", shape)
             for one, other, shape in LAYER]
    named += [("model.embed_tokens.weight", "token_embd.weight", [32, 32]),
              ("model.norm.weight", "output_norm.weight", [32])]
    for one, other, shape in named:
        count = shape[0] * (shape + [1])[1]
        center = 1 if len(shape) == 1 else 0
        values = [center + chance.gauss(0, 0.2) for _ in range(count)]
        yield one, other, tensor_files.floats(shape, values)


def weights_with_experts():
    """(name, tensor): a router and three experts in place of one feed-forward part."""
    for name, _, tensor in weights():
        if ".mlp." not in name:
            yield name, tensor
    chance = random.Random(3)
    shapes = {"gate": [3, 32]}
    for expert in range(3):
        shapes |= {f"experts.{expert}.{part}_proj": [32, 32] for part in ("gate", "up", "down")}
    for name, shape in shapes.items():
        values = [chance.gauss(0, 0.2) for _ in range(shape[0] * shape[1])]
        yield f"model.layers.0.mlp.{name}.weight", tensor_files.floats(shape, values)


def write_policy(path, name, config, tensors):
    os.mkdir(path(name))
    tensor_files.write_safetensors(path(name, "model.safetensors"), tensors)
    write_text(path(name, "config.json"), json.dumps(config))


def write_gguf_policy(path):
    text = gguf_files.text
    notes = [text("general.architecture") + struct.pack("<I", 8) + text("qwen3"),
             text("qwen3.attention.layer_norm_rms_epsilon") + struct.pack("<If", 6, 1e-6)]
    notes += [text(key) + struct.pack("<II", 4, number) for key, number in NOTES.items()]
    entries, data = b"", b""
    tensors = [(name, tensor) for _, name, tensor in weights()]
    for name, (_, shape, content) in tensors:
        entries += text(name) + struct.pack("<I", len(shape))
        entries += struct.pack(f"<{len(shape)}Q", *reversed(shape))
        entries += struct.pack("<IQ", 0, len(data))
        data += content + bytes(-len(content) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(notes)) + b"".join(notes) + entries
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + data)


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_texts(path):
    chance = random.Random(2)
    lines = [{"tokens": [chance.randrange(32) for _ in range(n)]} for n in (9, 20, 31)]
    lines.append({"prompt": [1, 2, 3], "response": [4, 5]})
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def write_problems(path):
    lines = [{"end": 13, "answer_mark": 12, "text": ["a", "b", "1", "2"],
              "verify": {"compare": "text", "remove": " "}}]
    lines += [{"prompt": [a, b, 11], "answer": [a, b]} for a in range(5) for b in range(4)]
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def make(path, call):
    write_policy(path, "policy", CONFIG, {name: tensor for name, _, tensor in weights()})
    write_policy(path, "experts", EXPERTS, dict(weights_with_experts()))
    write_gguf_policy(path("policy.gguf"))
    write_texts(path("texts.jsonl"))
    write_problems(path("problems.jsonl"))
    write_text(path("base.toml"), study_texts.STUDY)
    write_text(path("study.toml"), 'extends = "base.toml"\nname = "over"\n')
    write_text(path("own.toml"), study_texts.OWN_PROBLEMS)
    write_text(path("with_experts.toml"), study_texts.EXPERTS)
    write_text(path("on_a_policy.toml"), study_texts.SWEEP_ON_A_POLICY)
    write_text(path("sweep.toml"), study_texts.SWEEP_OF_A_FILE)
    names = ("l.q_proj.w", "norm", "a" * 60)
    tensor_files.write_safetensors(path("named.safetensors"), {
        name: ("F32", [2, 32], bytes(256)) for name in names})
    call("assess", "policy", "--study", "study.toml", "--prompts", "texts.jsonl", "-o", "assessed")


POLICY = ["policy/config.json", "policy/model.safetensors"]
# The fields of experts stand in the configuration and in the names of tensors.
WITH_EXPERTS = ["experts/config.json", "experts/config.json", "experts/model.safetensors"]


def assess(chance):
    model = chance.choice(("policy", "policy.gguf"))
    output = chance.choice(("out", "assessed")) if model == "policy" else "out"
    reads = POLICY if model == "policy" else ["policy.gguf"]
    reads = [*reads, "texts.jsonl", "study.toml", "base.toml"]
    if output == "assessed":
        reads += ["assessed/pieces/0-fp32.json", "assessed/pieces/1-mxfp4.json",
                  "assessed/pieces/energies-mxfp4.json", "assessed/pieces/identity",
                  "assessed/run.lock"]
    words = ["assess", model, "--study", "study.toml", "--prompts", "texts.jsonl", "-o", output]
    return Attacked(words, reads, [output], kept=True, speaks=True)


def export(chance):
    model = chance.choice(("policy", "policy.gguf"))
    return Attacked(["export", model, "-o", "copy", *chance.choice(([], ["--numbers", "bf16"]))],
                    POLICY if model == "policy" else ["policy.gguf"], ["copy"])


def train_from_a_model(_chance):
    return Attacked(["train", "own.toml", "-o", "run"], ["own.toml", "problems.jsonl", *POLICY],
                    ["run"], kept=True, speaks=True)


def assess_experts(_chance):
    words = ["assess", "experts", "--study", "study.toml", "--prompts", "texts.jsonl", "-o", "out"]
    return Attacked(words, [*WITH_EXPERTS, "texts.jsonl", "study.toml"], ["out"], kept=True,
                    speaks=True, needs=["base.toml"])


def export_experts(_chance):
    return Attacked(["export", "experts", "-o", "copy"], WITH_EXPERTS, ["copy"])


def decompose_a_policy(chance):
    name = chance.choice(("experts", "policy.gguf"))
    return Attacked(["decompose", name], WITH_EXPERTS if name == "experts" else [name])


def train_experts(_chance):
    return Attacked(["train", "with_experts.toml", "-o", "run"], ["with_experts.toml"] * 3, ["run"],
                    kept=True, speaks=True)


def sweep_on_a_policy(_chance):
    return Attacked(["sweep", "on_a_policy.toml", "-o", "swept"],
                    ["on_a_policy.toml", "on_a_policy.toml", "base.toml", "texts.jsonl"], ["swept"],
                    kept=True, speaks=True)


def sweep_of_a_file(_chance):
    return Attacked(["sweep", "sweep.toml", "-o", "swept"],
                    ["sweep.toml", "named.safetensors"], ["swept"], kept=True, speaks=True)


COMMANDS = (assess, assess, assess, export, export, train_from_a_model, train_from_a_model,
            sweep_of_a_file, assess_experts, export_experts, decompose_a_policy, train_experts,
            sweep_on_a_policy)
