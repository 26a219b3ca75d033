# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/corpus_runs.py: what `train` writes, right and wrong: metrics, cells, checkpoints.

import hashlib
import json

import corpus_tensors

ROW = {"phase": "frozen", "arm": "mxfp4", "seed": 1, "step": None, "outliers": 4, "passes": "all",
       "layer": "0", "metric": "kl", "value": 0.5, "standard_error": 0.125}
LAYER = "model.layers.0."
# A policy whose widths, heads, hidden units and vocabulary are 2 or 1: name -> shape, in the file's order.
PARAMETERS = {
    "model.embed_tokens.weight": [2, 2], LAYER + "input_layernorm.weight": [2],
    **{f"{LAYER}self_attn.{name}_proj.weight": [2, 2] for name in "qkvo"},
    LAYER + "self_attn.q_norm.weight": [2], LAYER + "self_attn.k_norm.weight": [2],
    LAYER + "post_attention_layernorm.weight": [2],
    **{f"{LAYER}mlp.{name}_proj.weight": [2, 2] for name in ("gate", "up", "down")},
    "model.norm.weight": [2],
}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def metrics_files():
    def rows(*changes):
        return "".join(compact(ROW | change) + "\n" for change in changes)
    train = {"phase": "train", "outliers": None, "step": 3, "passes": "", "standard_error": None}
    return {
        "one-row": rows({}), "two-phases": rows({}, train), "blank-lines": "\n \t\r\n" + rows({}),
        "nan-and-inf": rows({"value": "NaN"}, {"value": "-Inf", "standard_error": "inf"}),
        "no-newline-at-the-end": rows({})[:-1], "row-cut": rows({}, {})[:-20], "empty": "",
        "value-deep": rows({})[:-2] + ',"value":' + "[" * 1500 + "]" * 1500 + "}\n",
        "objects-deep": '{"a":' * 700, "value-a-long-string": rows({"value": "x" * 2000}),
        "value-null": rows({"value": None}), "value-beyond-binary64": '{"value":1e999}\n',
        "step-a-fraction": rows({"step": 0.5}), "step-beyond-64-bits": rows({"step": 1 << 70}),
        "layer-a-number": rows({"layer": 3}), "arm-control": rows({"arm": "\x1b[2J\u009b"}),
        "not-utf8": b'{"phase":"\xff"}\n', "zero": b"\0\n", "a-list": "[1]\n",
        "factorial": rows({"arm": "factorial", "metric": "kl.injection.shapley.S"}),
    }


def with_sum(members):
    return compact(members | {"sha256": hashlib.sha256(compact(members).encode()).hexdigest()})


def cell_files():
    figure = {"metric": "kl", "passes": "", "layer": "", "full": 0.5, "without": [0.25, "NaN"]}
    energy = {"layer": "0.q", "metric": "energy.x.scale", "value": 0.75}
    good = {"study": "study", "figures": [figure], "energies": [energy]}
    def figures(**change):
        return with_sum(good | {"figures": [figure | change]})
    return {
        "good": with_sum(good), "of-another-study": with_sum(good | {"study": "other"}),
        "without-a-checksum": compact(good), "checksum-wrong": compact(good | {"sha256": "0" * 64}),
        "checksum-a-number": compact(good | {"sha256": 1}),
        "energies-missing": with_sum({"study": "study", "figures": []}),
        "figures-a-number": with_sum(good | {"figures": 1}),
        "full-a-word": figures(full="Infinity"), "full-null": figures(full=None),
        "without-deep": figures(without=[[[[1]]]]), "metric-a-number": figures(metric=1),
        "cut": with_sum(good)[:60], "empty": "", "a-list": "[]", "deep": '{"figures":' + "[" * 2000,
        "deep-whole": '{"figures":' + "[" * 1500 + "]" * 1500 + "}", "not-utf8": b'{"study":"\xff"}',
        "key-twice": '{"study":"other",' + with_sum(good)[1:], "value-beyond-binary64": "[1e999]",
    }


def checkpoint(names=tuple(PARAMETERS), **changes):
    """A checkpoint with a right checksum."""
    row = {"phase": "train", "arm": "a", "step": 1, "outliers": None, "passes": "", "layer": "",
           "metric": "loss", "value": 0.5, "standard_error": None}
    notes = {"study": "study", "step": "1", "updates": "2", "rows": compact([row]),
             "hashes": compact([["a", 1, "0" * 64]])} | changes
    notes = {key: text for key, text in notes.items() if text is not None}
    header, data, result = {}, b"", b""
    for name in names:
        shape = PARAMETERS[name.removeprefix("optimizer.m.").removeprefix("optimizer.v.")]
        content = bytes(range(4 * shape[0] * (shape + [1])[1]))
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
        for text in (name, "F32", str(shape)):
            result += f"{len(text)}:{text}".encode()
        result += content
    summed = b"".join(f"{len(text.encode())}:{text}".encode()
                      for pair in sorted(notes.items()) for text in pair)
    notes.setdefault("sha256", hashlib.sha256(summed + result).hexdigest())
    return corpus_tensors.safetensors(compact({"__metadata__": notes} | header), data)


def checkpoint_files():
    moments = [prefix + name for prefix in ("", "optimizer.m.", "optimizer.v.") for name in PARAMETERS]
    return {
        "good": checkpoint(), "good-with-moments": checkpoint(moments),
        "of-another-study": checkpoint(study="other"), "checksum-wrong": checkpoint(sha256="0" * 64),
        "weight-missing": checkpoint(list(PARAMETERS)[1:]),
        "moment-missing": checkpoint(moments[:-1]), "no-tensors": checkpoint([]),
        "rows-missing": checkpoint(rows=None), "rows-cut": checkpoint(rows='[{"phase":"'),
        "rows-deep": checkpoint(rows="[" * 1000), "rows-a-number": checkpoint(rows="1"),
        "step-negative": checkpoint(step="-1"), "step-a-word": checkpoint(step="one"),
        "step-beyond-an-int": checkpoint(step="2147483648"), "hashes-short": checkpoint(hashes="[[]]"),
        "hash-step-huge": checkpoint(hashes='[["a",1e300,"x"]]'), "no-metadata": checkpoint([], **{
            key: None for key in ("study", "step", "updates", "rows", "hashes")}),
    }


def as_bytes(texts):
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}


def corpora():
    return {"metrics": as_bytes(metrics_files()), "cell": as_bytes(cell_files()),
            "checkpoint": checkpoint_files()}
