# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/golden_test.py: explanations, packs and probes in Python, by hand and against
# the command.

import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from fractions import Fraction

from package_case import ml_dtypes, np

import mxprism
import tensor_files
from command_case import PROGRAM

has_command = unittest.skipUnless(os.access(PROGRAM, os.X_OK), "the command is not built")


def run_json(*words, cwd=None):
    done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, encoding="utf-8",
                          check=False, cwd=cwd)
    return json.loads(done.stdout)


WITHOUT_ML_DTYPES = """
import sys
sys.modules["ml_dtypes"] = None
import mxprism, numpy
from mxprism import testing
q = mxprism.quantize(numpy.ones((2, 32), numpy.float32))
assert testing.assert_bits_equal(q.codes, q.scales, numpy.ones((2, 32), numpy.float32))
assert mxprism.probe("mxfp4").x.dtype == numpy.float32
try:
    mxprism.pack("ties")
except ImportError as error:
    print(error.name)
"""


class explain_test(unittest.TestCase):
    def test_a_block_by_hand(self):
        b = mxprism.explain([7, -1.25, 0], scale_rule="floor")
        self.assertEqual((b.amax, b.scale, b.scale_code, b.exponent), (7, 1, 127, 0))
        self.assertEqual([(e.code, e.value, e.decision) for e in b.elements],
                         [(7, 6.0, "saturated"), (10, -1.0, "tie_to_even"), (0, 0.0, "exact")])
        self.assertEqual(b.elements[1].over_scale, Fraction(-5, 4))
        self.assertIn("scale = 1, code 0x7f\n", str(b))
        self.assertIn("[1] x = -1.25 -> code 0xa, value -1.0: x / scale = -5/4 between -1.0 and "
                      "-1.5, tie_to_even\n", str(b))

    def test_a_tensor_scale_is_apart_from_the_scale(self):
        b = mxprism.explain([2688 * 3.0], "nvfp4")
        self.assertEqual((b.tensor_scale, b.scale, b.elements[0].over_scale), (3.0, 448, 6))

    def test_blocks_without_a_scale(self):
        b = mxprism.explain([1, float("nan")])
        self.assertEqual((b.scale, b.scale_code), (None, 255))
        self.assertEqual([e.decision for e in b.elements], ["special", "special"])

    def test_what_is_refused(self):
        for arguments, options, error, sentence in [
                (([1.0] * 33,), {}, ValueError, "`values` has 33 numbers; a block holds 32"),
                (([1.0], "mxfp4+double"), {}, ValueError, "one block alone"),
                (([1.0],), {"scale_rule": "foor"}, ValueError, "did you mean `floor`"),
                (([1.0],), {"seed": -4}, ValueError, "`seed` is -4; expected a whole number from 0"),
                (([1.0],), {"seed": 1.5}, TypeError, "`seed` is 1.5; expected a whole number"),
                (([1.0],), {"random_bits": 25}, ValueError, "`random_bits` is 25; .* from 1 to 24"),
                (([1.0],), {"scale_rule": 3}, TypeError, "`scale_rule` is 3; expected a name"),
                (([1.0],), {"rounding": 3}, TypeError, "`rounding` is 3; expected a name"),
                (([1.0],), {"variant": "torchao.rceil", "scale_rule": "nonsense"}, ValueError,
                 "torchao.rceil has its own"),
                (([1.0],), {"variant": "torchao.rceil", "rounding": "toward-zero"}, ValueError,
                 "torchao.rceil has its own"),
                (([1.0, None],), {}, TypeError, "expected a sequence of numbers"),
                ((1.0,), {}, TypeError, "expected a sequence of numbers"),
                (("12",), {}, TypeError, "`values` is '12'; expected a sequence of numbers"),
                ((["1"],), {}, TypeError, "expected a sequence of numbers"),
                (([b"1"],), {}, TypeError, "expected a sequence of numbers"),
                ((np.array(["1"]),), {}, TypeError, "expected a sequence of numbers"),
                (([1.0], ""), {}, ValueError, "there is no format ``"),
                (([1.0], np.float32), {}, TypeError, "such as 'mxfp4'")]:
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                mxprism.explain(*arguments, **options)

    def test_numbers_beyond_fp32_are_infinite_without_a_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            blocks = [mxprism.explain([value, 1.0]) for value in (1e39, 10**400, np.inf)]
        self.assertEqual({str(b) for b in blocks}, {str(blocks[2])})
        self.assertEqual(mxprism.explain([-10**400]).elements[0].x, -np.inf)

    def test_numbers_are_rounded_once(self):
        above = 2**54 + 2**30 + 1  # FP64 has the tie below it
        for number in (above, Fraction(above), np.longdouble(2**54 + 2**30) + 1):
            self.assertEqual(mxprism.explain([number]).elements[0].x, 2**54 + 2**31, repr(number))

    @has_command
    def test_steps_are_those_of_the_command(self):
        values = [0.3, -1.2, 4.7, 0.0, 1e-3, 1.25]
        words = [str(value) for value in values]
        for format, rule, rounding in (("mxfp4", "rceil", "nearest-even"),
                                       ("nvfp4", "ideal", "nearest-even"),
                                       ("mxfp8-e4m3", "floor", "stochastic"),
                                       ("e2m1:e8m3:32", "even", "toward-zero")):
            want = run_json("explain", *words, "--format", format, "--scale-rule", rule,
                            "--rounding", rounding, *(["--seed", "7"] * (rounding == "stochastic")))
            b = mxprism.explain(values, format, scale_rule=rule, rounding=rounding,
                                seed=7 if rounding == "stochastic" else None)
            self.assertEqual(b.scale_code, want["scale"]["code"])
            self.assertEqual(b.scale, Fraction(want["scale"]["exact"].replace(" ", "")))
            self.assertEqual([(e.code, e.value, e.decision) for e in b.elements],
                             [(e["code"], e["value"], e["decision"]) for e in want["elements"]])

    @has_command
    def test_variants_are_those_of_the_command(self):
        want = run_json("explain", "0.3", "-1.2", "4.7", "--variant", "ggml.mxfp4")
        b = mxprism.explain([0.3, -1.2, 4.7], variant="ggml.mxfp4")
        self.assertEqual((b.variant, b.scale_code), ("ggml.mxfp4", want["scale"]["code"]))
        self.assertEqual([(e.code, e.value) for e in b.elements],
                         [(e["code"], e["value"]) for e in want["elements"]])


class pack_test(unittest.TestCase):
    def test_cases_are_what_quantize_makes(self):
        self.assertEqual(list(mxprism.packs())[:2], ["ties", "nvfp4-ties"])
        for name in ("ties", "nvfp4-ties", "specials"):
            cases = mxprism.pack(name).cases()
            self.assertGreater(len(cases), 4)
            for case in cases:
                q = mxprism.quantize(case.x, case.format, scale_rule=case.scale_rule)
                np.testing.assert_array_equal(q.codes, case.codes)
                np.testing.assert_array_equal(q.scales, case.scales)
                self.assertEqual(len(case.rows), len(case.x))

    def test_cases_of_a_format(self):
        cases = mxprism.pack("ties").cases("mxfp8-e5m2")
        self.assertEqual({case.format for case in cases}, {"mxfp8-e5m2"})
        self.assertEqual({case.x.dtype for case in cases},
                         {np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16)})
        self.assertEqual(mxprism.pack("layouts").cases(), [])
        self.assertEqual([case.name for case in mxprism.pack("ties").cases("e2m1:e8m0:32")],
                         [case.name for case in mxprism.pack("ties").cases("mxfp4")])
        for name, form, sentence in (
                ("ties", "mxpf4", "`format` is 'mxpf4', and the pack 'ties' has no case of it; "
                                  "expected mxfp4, mxfp6-e2m3, "),
                ("ties", "", "`format` is '', and"),
                ("nvfp4-ties", "mxfp4", "has no case of it; expected nvfp4"),
                ("layouts", "mxfp4", "expected None, since it has no cases of quantizers")):
            with self.subTest(name, form=form), self.assertRaisesRegex(ValueError, sentence):
                mxprism.pack(name).cases(form)
        with self.assertRaisesRegex(TypeError, "such as 'mxfp4'"):
            mxprism.pack("ties").cases(4)

    def test_what_is_written_to_arrays_stays_there(self):
        made = mxprism.pack("nvfp4-ties")
        arrays = next(iter(made.files.values())).arrays

        def of_case():
            case = made.cases()[0]
            return [case.x, case.codes, case.scales, case.tensor_scale]

        def of_both():
            return [array.tobytes() for array in (*of_case(), *arrays.values())]
        want = of_both()
        for array in (*of_case(), *arrays.values()):
            array[...] = 0
        self.assertTrue(of_both() == want)

    def test_packs_and_cases_are_compared_by_identity(self):
        one, other = mxprism.pack("ties"), mxprism.pack("ties")
        self.assertEqual((one == one, one == other), (True, False))
        for first, second in ((one.cases()[0], other.cases()[0]),
                              (one.files["mxfp4.f32.input"], other.files["mxfp4.f32.input"])):
            self.assertEqual((first == first, first == second), (True, False))

    def test_bf16_needs_ml_dtypes_and_nothing_else_does(self):
        done = subprocess.run([sys.executable, "-B", "-c", WITHOUT_ML_DTYPES], capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "ml_dtypes\n"), done.stderr)

    def test_unknown_packs_are_refused(self):
        with self.assertRaisesRegex(ValueError, "`name` is 'tie'; expected one of ties, "):
            mxprism.pack("tie")

    @has_command
    def test_files_are_those_of_the_command(self):
        for name in mxprism.packs():
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([PROGRAM, "vectors", name, "-o", os.path.join(folder, "pack")],
                               check=True, capture_output=True)
                written = {file.removesuffix(".safetensors") for file
                           in os.listdir(os.path.join(folder, "pack")) if ".safe" in file}
                made = mxprism.pack(name)
                self.assertEqual(set(made.files), written)
                for file in sorted(written)[:4]:
                    path = os.path.join(folder, "pack", f"{file}.safetensors")
                    for array, (_, shape, data) in tensor_files.read_safetensors(path)[0].items():
                        mine = made.files[file].arrays[array]
                        self.assertEqual((list(mine.shape), mine.tobytes()), (list(shape), data))


class probe_test(unittest.TestCase):
    made = mxprism.probe("mxfp4")

    def kernel(self, x):
        q = mxprism.quantize(x, variant="torchao.rceil")
        return q.codes, q.scales

    def test_a_kernel_is_identified(self):
        card = self.made.identify(self.kernel)
        self.assertTrue(card.explained)
        self.assertEqual(card.presets, ("torchao.rceil",))
        self.assertEqual(card.properties["scale_rule"].values, ("rceil",))
        self.assertIn("presets                     torchao.rceil\n", str(card))

    def test_equal_cards_have_one_hash(self):
        one, other = (self.made.identify(self.kernel) for _ in range(2))
        self.assertEqual((one, hash(one)), (other, hash(other)))

    def test_a_kernel_may_write_to_its_input(self):
        def clobbering(x):
            made = self.kernel(x)
            x[:] = 0
            return made
        before = self.made.x.tobytes()
        self.made.x[:] = 0
        self.made.tensors["x"][:] = 0
        self.assertTrue(self.made.x.tobytes() == before)
        for _ in range(2):
            self.assertEqual(self.made.identify(clobbering).presets, ("torchao.rceil",))
        self.assertTrue(self.made.x.tobytes() == before)

    def test_what_no_recipe_gives_has_nearest_ones(self):
        codes, scales = self.kernel(self.made.x)
        codes[0] ^= 0x55
        card = self.made.read({"x": (codes, scales)})
        self.assertFalse(card.explained)
        self.assertGreater(len(card.nearest), 0)
        self.assertIn("mxfp4: no known recipe gives every byte", str(card))
        self.assertIn("\nnearest                     ", str(card))

    def test_a_recipe_that_is_changed_in_a_part_is_told(self):
        made = mxprism.probe("mxfp4", shape=(128, 512))
        codes, scales = self.kernel(made.x)
        codes[32:64] = codes[32:64] >> 4 | codes[32:64] << 4
        card = made.read({"x": (codes, scales)})
        self.assertFalse(card.explained)
        self.assertEqual((card.changed, card.part), ("torchao.rceil", "rows 32..63"))
        self.assertEqual(card.changes[0][0], "nibble_order")
        self.assertGreater(card.without, 0)
        self.assertIn("a known recipe, changed in a part, gives every byte; these properties are of "
                      f"all blocks but {card.without}\n", str(card))
        self.assertIn("differs                     nibble_order: high-first", str(card))

    def test_a_probe_is_pickled_as_what_makes_it_again(self):
        for made in (self.made, mxprism.probe("mxfp4", dtype="float16", shape=(16, 512))):
            again = pickle.loads(pickle.dumps(made))
            self.assertEqual((again == made, made == made), (False, True))
            self.assertEqual((again.format, list(again.tensors)), (made.format, list(made.tensors)))
            for name, x in made.tensors.items():
                self.assertEqual((x.dtype, x.tobytes()),
                                 (again.tensors[name].dtype, again.tensors[name].tobytes()))
            self.assertEqual(str(again.identify(self.kernel)), str(made.identify(self.kernel)))

    def test_probes_of_tensor_scales_have_several_tensors(self):
        p = mxprism.probe("nvfp4", dtype="bfloat16", shape=(16, 512))
        self.assertGreater(len(p.tensors), 3)
        self.assertEqual((p.x.dtype, p.x.shape), (np.dtype(ml_dtypes.bfloat16), (16, 512)))

        def kernel(x):
            q = mxprism.quantize(x, "nvfp4")
            return q.codes, q.scales, q.tensor_scale

        self.assertEqual(p.identify(kernel).properties["scale_rule"].values, ("ideal",))

    def test_what_is_refused(self):
        codes, scales = self.kernel(self.made.x)
        for outputs, sentence in [({}, "has the keys"), ({"y": (codes, scales)}, "has the keys"),
                                  ({"x": (codes,)}, "'x' has 1 arrays"),
                                  ({"x": (codes[:1], scales)}, "no known packing and layout")]:
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                self.made.read(outputs)
        with self.assertRaisesRegex(TypeError, "'x' is a ndarray; expected a tuple of codes and"):
            self.made.identify(lambda x: codes)
        for turned, sentence in ((">u2", "`scales` has type >u2; expected uint16"),
                                 (">f4", "`scales` has type >f4; expected float32"),
                                 ("f8", "`scales` has type float64; expected uint8, uint16")):
            with self.assertRaisesRegex(TypeError, sentence):
                self.made.identify(lambda x: (codes, scales.astype(turned)))
        with self.assertRaisesRegex(ValueError, "`dtype` is 'float64'; expected one of float32"):
            mxprism.probe(dtype="float64")
        for shape, error, sentence in (
                ((-1, 3), ValueError, "`shape` is -1; expected a whole number from 1"),
                ((16,), ValueError, "`shape` has 1 numbers; expected two, of rows and of columns"),
                ((16, 1.5), TypeError, "`shape` is 1.5; expected a whole number"),
                (16, TypeError, "`shape` is 16; expected two numbers, of rows and of columns")):
            with self.assertRaisesRegex(error, sentence):
                mxprism.probe(shape=shape)
        with self.assertRaisesRegex(ValueError, "without corrections"):
            mxprism.probe("mxfp4+double")

    @has_command
    def test_cards_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "probe", "make", "-o", "probe.safetensors"], check=True,
                           capture_output=True, cwd=folder)
            _, shape, data = tensor_files.read_safetensors(
                os.path.join(folder, "probe.safetensors"))[0]["x"]
            self.assertEqual((list(shape), data), (list(self.made.x.shape), self.made.x.tobytes()))
            codes, scales = self.kernel(self.made.x)
            tensor_files.write_safetensors(
                os.path.join(folder, "out.safetensors"),
                {"codes": ("U8", codes.shape, codes.tobytes()),
                 "scales": ("U8", scales.shape, scales.tobytes())})
            want = run_json("probe", "read", "out.safetensors", "--input", "probe.safetensors",
                            cwd=folder)
        card = self.made.identify(self.kernel)
        self.assertEqual(list(card.presets), want["presets"])
        self.assertEqual([(p.name, p.known, list(p.values), list(p.why), p.note)
                          for p in card.properties.values()],
                         [(line["property"], line["known"], line["values"], line["why"],
                           line["note"]) for line in want["card"]])


if __name__ == "__main__":
    unittest.main()
