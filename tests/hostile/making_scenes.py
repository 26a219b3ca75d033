# SPDX-License-Identifier: Apache-2.0
"""making_scenes.py: commands that write and read no file: only their outputs can be attacked."""
from attacked_command import Attacked


def make(_path, _call):
    """They need nothing."""


def vectors(_chance):
    return Attacked(["vectors", "ties", "-o", "packs"], [], ["packs"])


def probe_make(chance):
    if chance.random() < 0.3:
        return Attacked(["probe", "make", "--gemm", "-o", "operands"], [], ["operands"])
    return Attacked(["probe", "make", "-o", "probe.safetensors"], [], ["probe.safetensors"])


def explain(_chance):
    return Attacked(["explain", "0.3", "-1.2", "--save", "x.npy"], [], ["x.npy"])


def formats(chance):
    words = chance.choice((["--all"], ["mxfp4"], ["e2m1:e8m3:32"], ["--files"]))
    return Attacked(["formats", *words], [])


COMMANDS = (vectors, probe_make, explain, formats)
