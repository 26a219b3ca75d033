# SPDX-License-Identifier: Apache-2.0
# tests/e2e/verify_corrected_test.py: verdicts on formats with corrections or two passes: every
# array is compared, and one different option or omitted correction is found.

import random
import re
import struct

import tensor_files
from command_case import command_case, main

FORMS = ("mxfp4+mbs=128,8", "mxfp4+of=0.5", "mxfp4+of=0.5,dead:0.01,64", "mxfp4+gain=3/4",
         "mxfp8-e4m3+rotate=64", "mxfp4+double", "nvfp4+double", "nvfp4+gain=16/17",
         "mxfp4+mbs=64,4+of=0.5+rotate=128,random:7", "mxfp4+double+mbs=64")
LEFT_OUT = (("mxfp4+double", "mxfp4"), ("mxfp4+gain=3/4", "mxfp4"),
            ("mxfp8-e5m2+rotate=32", "mxfp8-e5m2"), ("mxfp4+double+gain=3/4", "mxfp4+gain=3/4"))
HOLDING_ZEROS = (("mxfp4+mbs=64", ("macro_fractions",)),
                 ("mxfp4+of=0.5", ("residual.codes", "residual.scales")))


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def with_change(path, name, change):
    """Changes the bytes of an array of a file; None removes it."""
    tensors, metadata = tensor_files.read_safetensors(path)
    dtype, shape, data = tensors.pop(name)
    changed = change(bytearray(data)) if change else None
    if changed is not None:
        tensors[name] = (dtype, shape, bytes(changed))
    tensor_files.write_safetensors(path, tensors, metadata)


def flipped(place, bits=1):
    def change(data):
        data[place] ^= bits
        return data
    return change


class verify_corrected_test(command_case):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        values = [float32(draw.gauss(0, 1) * 2.0 ** draw.randrange(-3, 4)) for _ in range(16 * 200)]
        self.write(values, [16, 200])

    def write(self, values, shape):
        self.values = values
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats(shape, values)})

    def quantize(self, *words):
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", *words)

    def change(self, name, change):
        with_change(self.path("k.safetensors"), name, change)

    def verify(self, *words, status=1):
        return self.run_json("verify", "k.safetensors", "--input", "x.safetensors", *words,
                             status=status)

    def assert_explained(self, told, dimension, found):
        self.assertEqual(told["verdict"], "explained", told)
        offered = told["explanation"] + told["ambiguous"]
        self.assertIn((dimension, found), [(c["dimension"], c["found"]) for c in offered])
        self.assertEqual(told["explanation"][0]["dimension"], dimension)

    def test_the_command_s_own_output_is_exact(self):
        for form in FORMS:
            for words in ([], ["--packing", "unpacked"], ["--axis", "0"], ["--layout", "128x4"],
                          ["--rounding", "stochastic", "--seed", "3"]):
                with self.subTest(form=form, words=words):
                    self.quantize("--format", form, *words)
                    told = self.verify("--format", form, *words, status=0)
                    self.assertEqual((told["verdict"], told["mismatches"], told["elements"],
                                      told["first"]), ("exact", 0, 3200, None))

    def test_packing_is_seen_where_it_was_not_asked_for(self):
        for form in ("mxfp4+rotate=64", "mxfp4+double"):
            self.quantize("--format", form, "--packing", "unpacked")
            self.assertEqual(self.verify("--format", form, status=0)["verdict"], "exact")

    def test_every_array_is_looked_at(self):
        form = "mxfp4+mbs=64,8+of=0.5"
        for name, place, what in (("codes", 700, "code"), ("scales", 9, "scale"),
                                  ("macro_fractions", 3, "macro_fractions"),
                                  ("residual.codes", 11, "residual.code"),
                                  ("residual.scales", 5, "residual.scale"),
                                  ("residual.macro_fractions", 0, "residual.macro_fractions")):
            with self.subTest(name=name):
                self.quantize("--format", form)
                self.change(name, flipped(place))
                told = self.verify("--format", form)
                self.assertEqual((told["verdict"], told["first"]["what"]), ("unexplained", what))
                self.assertGreater(told["mismatches"], 0)
                text = self.run_command("verify", "k.safetensors", "--input", "x.safetensors",
                                        "--format", form, status=1).stdout
                self.assertIn("verdict: unexplained", text)

    def test_a_wrong_macro_fraction_makes_mismatches_of_its_macro_block(self):
        form = "mxfp4+mbs=128,8"
        self.quantize("--format", form)
        self.change("macro_fractions", flipped(7))  # the second of row 3, of 72 elements
        told = self.verify("--format", form)
        self.assertEqual((told["mismatches"], told["first"]["what"]), (72, "macro_fractions"))
        self.assertEqual(told["where"], {
            "tensor": "x", "codes": 0, "scales": 0, "tensor_scales": 0, "rows": [3, 3],
            "columns": [128, 199], "pattern": "row 3, columns 128..199"})
        text = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", "--format",
                                form, status=1).stdout
        self.assertIn("  where: macro fraction in row 3, columns 128..199\n", text)

    def test_the_first_difference_is_told_by_its_element(self):
        self.quantize("--format", "mxfp4+gain=3/4", "--packing", "unpacked")
        self.change("codes", flipped(3 * 224 + 33))  # 200 elements are 7 blocks
        first = self.verify("--format", "mxfp4+gain=3/4")["first"]
        self.assertEqual((first["element"], first["index"], first["block"], first["position"]),
                         (3 * 200 + 33, [3, 33], 3 * 7 + 1, 1))
        bits = struct.unpack("<I", struct.pack("<f", self.values[633]))[0]
        self.assertEqual(int(first["input_bits"], 16), bits)
        self.assertEqual(int(first["block_bits"][1], 16), bits)

    def test_rotations_add_padding_that_is_compared_too(self):
        self.write(self.values[:16 * 32], [16, 32])
        form = "mxfp8-e4m3+rotate=128"
        self.quantize("--format", form)
        self.change("codes", flipped(128 + 100))
        first = self.verify("--format", form)["first"]
        self.assertEqual((first["what"], first["element"], first["block_bits"]), ("code", None, []))
        self.assertEqual((first["block"], first["position"]), (4 + 3, 4))
        self.quantize("--format", form)
        self.change("codes", flipped(128 + 5))
        first = self.verify("--format", form)["first"]
        self.assertEqual((first["element"], first["block"], first["position"]), (32 + 5, 1, 5))

    def test_both_nibbles_are_compared(self):
        for bits, position in ((1, 22), (0x10, 23)):
            self.quantize("--format", "mxfp4+double")
            self.change("codes", flipped(11, bits))
            told = self.verify("--format", "mxfp4+double")
            self.assertEqual((told["mismatches"], told["first"]["element"]), (1, position))

    def test_other_options_are_found(self):
        form = "mxfp4+mbs=64"
        for words, dimension, found in (
                (["--scale-rule", "rceil"], "scale_rule", "rceil"),
                (["--rounding", "toward-zero"], "element_rounding", "toward-zero"),
                (["--packing", "high-first"], "nibble_order", "high-first"),
                (["--layout", "128x4"], "scale_layout", "128x4")):
            self.quantize("--format", form, *words)
            self.assert_explained(self.verify("--format", form), dimension, found)

    def test_every_listed_correction_is_left_out_below(self):
        listed = {entry["name"] for entry in self.run_json("formats")["corrections"]}
        forms = " ".join(form for form, _ in LEFT_OUT + HOLDING_ZEROS)
        self.assertEqual(listed, set(re.findall(r"\+(\w+)", forms)))

    def test_a_correction_left_out_is_found(self):
        for form, without in LEFT_OUT:
            self.quantize("--format", without)
            self.assert_explained(self.verify("--format", form), "variant", without)

    def test_a_correction_whose_arrays_hold_zeros_is_left_out(self):
        for form, zeros in HOLDING_ZEROS:
            self.quantize("--format", form)
            added = tensor_files.read_safetensors(self.path("k.safetensors"))[0]
            self.quantize("--format", "mxfp4")
            tensors, metadata = tensor_files.read_safetensors(self.path("k.safetensors"))
            for name in zeros:
                dtype, shape, data = added[name]
                tensors[name] = (dtype, shape, bytes(len(data)))
            tensor_files.write_safetensors(self.path("k.safetensors"), tensors, metadata)
            self.assert_explained(self.verify("--format", form), "variant", "mxfp4")
            self.change(zeros[0], flipped(2))
            self.assertEqual(self.verify("--format", form)["verdict"], "unexplained")

    def test_several_tensors_share_one_explanation(self):
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "a": tensor_files.floats([8, 64], self.values[:512]),
            "b": tensor_files.floats([4, 200], self.values[512:1312])})
        self.quantize("--format", "mxfp4+double", "--scale-rule", "rceil")
        told = self.verify("--format", "mxfp4+double")
        self.assert_explained(told, "scale_rule", "rceil")
        self.assertEqual(told["mismatches"], sum(t["mismatches"] for t in told["tensors"]))
        self.change("b.codes", flipped(100, 0x11))
        self.assertEqual(self.verify("--format", "mxfp4+double")["verdict"], "unexplained")

    def test_what_cannot_be_compared_is_refused(self):
        form = "mxfp4+mbs=64"
        verify = ("verify", "k.safetensors", "--input", "x.safetensors", "--format", form)
        self.quantize("--format", form)
        self.assert_refused(*verify, "--repro", "bundle", naming=("--repro", form))
        self.change("macro_fractions", lambda data: data[:-1])
        self.assert_refused(*verify)
        self.quantize("--format", "mxfp4")
        self.assert_refused(*verify, naming=("macro_fractions",))
        self.quantize("--format", "mxfp4", "--axis", "0")
        self.assert_refused("verify", "k.safetensors", "--input", "x.safetensors", "--format",
                            "mxfp4+double", naming=("codes", "bytes"))


if __name__ == "__main__":
    main()
