# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/names_test.py: names of formats, rules and models: lists, types that mypy
# checks, and that they are those of the tables.

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import typing
import unittest

from package_case import SOURCE

import mxprism
from command_case import PROGRAM
from mxprism import _names

EMITTER = os.path.join(SOURCE, "golden", "bindings", "python", "emit_names.py")
NAMES = os.path.join(SOURCE, "golden", "bindings", "python", "mxprism", "_names.py")

GOOD = """
import numpy as np

import mxprism
from mxprism.testing import assert_bits_equal, assert_product_bits_equal

x = np.zeros((4, 64), np.float32)
rule: mxprism.ScaleRule = "rceil"
q = mxprism.quantize(x, "mxfp4", scale_rule=rule, rounding="stochastic", layout="128x4")
mxprism.quantize(x, mxprism.CustomFormat("e2m1:e8m3:32"), packing="unpacked")
mxprism.fake_quantize(x, "nvfp4", scale_rule="ideal")
mxprism.verify(x, q.codes, q.scales, "mxfp4", variant="torchao.rceil")
assert_bits_equal(q.codes, q.scales, x, format="mxfp4", scale_rule="rceil")
d = mxprism.gemm(q, q, model="blackwell.mxf4", split_order="pairwise")
assert_product_bits_equal(d, q, q, model="blackwell.mxf4")
mxprism.probe("mxfp8-e4m3").identify(lambda t: (t, t))
mxprism.explain([0.3, -1.2], scale_rule="even")
for case in mxprism.pack("ties").cases("mxfp4"):
    mxprism.quantize(case.x, case.format, scale_rule=case.scale_rule)
mxprism.quantize(x, q.format)
for model in mxprism.models():
    mxprism.gemm(q, q, model=model.name)
for variant in mxprism.formats().variants:
    mxprism.quantize(x, variant=variant.name)
mxprism.probe(mxprism.probe("mxfp4").format)
"""
BAD = """
mxprism.quantize(x, "mxfp4", scale_rule="rciel")
mxprism.quantize(x, "mxpf4")
mxprism.quantize(x, "e2m1:e8m3:32")
mxprism.quantize(x, rounding="nearest")
mxprism.quantize(x, layout="127x4")
mxprism.quantize(x, packing="low")
mxprism.quantize([1.0, 2.0])
mxprism.fake_quantize(x, scale_rule="rciel")
mxprism.decompose(x, byte_map="pxt")
mxprism.verify(x, q.codes, q.scales, variant="torchao.rciel")
mxprism.gemm(q, q, model="blackwell.mxf5")
mxprism.verify_gemm(q, q, d, c_entry="last")
mxprism.explain([0.3], scale_rule="rciel")
mxprism.probe("mxpf4")
assert_bits_equal(q.codes, q.scales, x, scale_rule="rciel")
assert_product_bits_equal(d, q, q, model="blackwell.mxf5")
"""


def run(*words, **options):
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False, **options)


class lists_test(unittest.TestCase):
    def test_types_are_those_of_the_tables(self):
        done = run(sys.executable, "-B", EMITTER, "--check", NAMES)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_another_name_is_seen(self):
        with open(NAMES, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "_names.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('"rceil"', '"rciel"'))
            done = run(sys.executable, "-B", EMITTER, "--check", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("write it again", done.stdout)

    def test_lists_have_every_name_of_the_types(self):
        listed = mxprism.formats()
        for table, kind in (("formats", _names.FormatName), ("scale_rules", _names.ScaleRule),
                            ("roundings", _names.Rounding), ("layouts", _names.Layout),
                            ("variants", _names.VariantName)):
            self.assertEqual(tuple(entry.name for entry in getattr(listed, table)),
                             typing.get_args(kind))
        self.assertEqual(tuple(model.name for model in mxprism.models()),
                         typing.get_args(_names.ModelName))
        self.assertIn("\nscale_rules\n  floor ", str(listed))

    @unittest.skipUnless(os.access(PROGRAM, os.X_OK), "the command is not built")
    def test_lists_are_those_of_the_command(self):
        wanted = json.loads(run(PROGRAM, "formats", "--json").stdout)
        listed = mxprism.formats()
        for table in ("formats", "elements", "scales", "scale_rules", "roundings", "byte_maps",
                      "packings", "layouts"):
            self.assertEqual([(one.name, one.meaning) for one in getattr(listed, table)],
                             [(one["name"], one["meaning"]) for one in wanted[table]])
        for listed, table, members in (
                (listed.variants, "variants", ("name", "evidence", "source", "doubts")),
                (mxprism.models(), "models", ("name", "evidence", "source", "doubts", "a", "b",
                                              "result"))):
            self.assertEqual([[getattr(one, member) for member in members] for one in listed],
                             [[one[member] for member in members] for one in wanted[table]
                              if one.get("a") != "f64"])  # words of `mxprism dot` alone


class checker_test(unittest.TestCase):
    def setUp(self):
        if importlib.util.find_spec("mypy") is None:
            print("SKIPPED: types of names under mypy, because Python has no mypy "
                  "(./bootstrap --oracles installs it)")
            self.skipTest("mypy is missing")

    def complaints(self, text, *options):
        """Lines of a file that mypy refuses."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "use.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            place = os.path.dirname(os.path.dirname(mxprism.__file__))
            done = run(sys.executable, "-m", "mypy", *options, "--follow-imports=silent",
                       f"--cache-dir={folder}", path, cwd=folder,
                       env=dict(os.environ, MYPYPATH=place))
        lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        return sorted(lines), done.stdout + done.stderr

    def test_mypy_takes_names_and_refuses_others(self):
        first = GOOD.count("\n") + 2
        lines, shown = self.complaints(GOOD + BAD, "--strict")
        self.assertEqual(lines, list(range(first, first + BAD.count("\n") - 1)), shown)

    def test_mypy_takes_the_examples_of_the_guide(self):
        with open(os.path.join(SOURCE, "docs", "python-api.md"), encoding="utf-8") as file:
            examples = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreater(len(examples), 1)
        for example in examples:
            lines, shown = self.complaints(example, "--check-untyped-defs")
            self.assertEqual(lines, [], shown)


if __name__ == "__main__":
    unittest.main()
