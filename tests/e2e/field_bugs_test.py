# SPDX-License-Identifier: Apache-2.0
# tests/e2e/field_bugs_test.py: bugs that public kernels had, emulated from their descriptions: the
# first cause that `verify` names.

import math
import random
import struct
from fractions import Fraction

import blocks
import tensor_files
from command_case import command_case, main

ROWS, COLUMNS = 32, 256
HALF_WAY = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)  # between the magnitudes of E2M1


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bfloat16(x):
    bits = bits_of(x)
    return number_of((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000)


def amax_of(block):
    return max(abs(v) for v in block)


def drawn_values(seed):
    """Blocks of far exponents with ties."""
    draw = random.Random(seed)
    values = []
    for _ in range(ROWS * COLUMNS // 32):
        unit = 2.0 ** draw.randint(-8, 8)
        values += [unit * (draw.gauss(0, 1) if draw.random() < 0.8 else
                           draw.choice(HALF_WAY) * draw.choice((1, -1))) for _ in range(31)]
        values.append(unit * draw.uniform(4, 8))  # so that the ties are ties
    return [float32(v) for v in values]


def floor_exponent(amax):
    return (bits_of(amax) >> 23) - 127 - 2


def even_exponent(amax):
    """That of (bits + 2^21), less 2."""
    return (bits_of(amax) + (1 << 21) >> 23) - 127 - 2


def old_vllm_exponent(amax):
    """That of the FP32 product amax * (1 / 6)."""
    return (bits_of(float32(amax * float32(1 / 6))) >> 23) - 127


def code_away(magnitude):
    """Ties go away from zero."""
    return sum(1 for k in range(7) if magnitude >= (blocks.GRID[k] + blocks.GRID[k + 1]) / 2)


def packed(codes):
    return bytes(codes[k] | codes[k + 1] << 4 for k in range(0, len(codes), 2))


def signed(value, code):
    return code | (8 if math.copysign(1, value) < 0 else 0)


class field_bugs_test(command_case):
    def setUp(self):
        super().setUp()
        self.values = drawn_values(5)
        self.write_input(self.values)

    def write_input(self, values, dtype="F32"):
        data = (struct.pack(f"<{len(values)}f", *values) if dtype == "F32" else
                b"".join(struct.pack("<H", bits_of(v) >> 16) for v in values))
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": (dtype, [ROWS, COLUMNS], data)})

    def write_kernel(self, exponent_of, nearest=blocks.nearest_code, values=None,
                     scaled_by=lambda amax: amax):
        """MXFP4 by a rule for exponents and one for the codes of magnitudes."""
        values = self.values if values is None else values
        codes, scales = [], []
        for at in range(0, len(values), 32):
            block = values[at:at + 32]
            exponent = max(-127, exponent_of(scaled_by(amax_of(block))))
            scales.append(exponent + 127)
            codes += [signed(v, nearest(abs(Fraction(v)) / blocks.power(exponent)))
                      for v in block]
        tensor_files.write_safetensors(self.path("k.safetensors"), {
            "codes": ("U8", [ROWS, COLUMNS // 2], packed(codes)),
            "scales": ("U8", [ROWS, COLUMNS // 32], bytes(scales))})

    def quantize(self, *words):
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", *words)

    def change(self, name, change):
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        dtype, shape, data = tensors[name]
        tensors[name] = (dtype, shape, bytes(change(bytearray(data))))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)

    def verify(self, *words):
        return self.run_json("verify", "k.safetensors", "--input", "x.safetensors", *words,
                             status=1)

    def text(self, *words):
        return self.run_command("verify", "k.safetensors", "--input", "x.safetensors", *words,
                                status=1).stdout

    def assert_first(self, told, *causes):
        self.assertEqual(told["verdict"], "explained", told)
        self.assertEqual([(c["dimension"], c["found"]) for c in told["explanation"]],
                         list(causes), told)
        for c in told["explanation"]:
            self.assertNotEqual(c["expected"], c["found"])

    def test_ties_rounded_away_from_zero(self):
        self.write_kernel(even_exponent, code_away)
        for words in (("--scale-rule", "even"), ("--variant", "aiter.even")):
            self.assert_first(self.verify(*words), ("element_rounding", "nearest-away"))
        self.assertIn("because aiter.even + element_rounding: expected nearest-even, found "
                      "nearest-away", self.text("--variant", "aiter.even"))

    def test_the_exponent_of_a_sixth(self):
        self.write_kernel(old_vllm_exponent)
        told = self.verify()
        self.assert_first(told, ("scale_rule", "floor6"))
        self.assertIn("vllm.ue8m0-old", [other["found"] for other in told["ambiguous"]])
        self.assert_first(self.verify("--variant", "vllm.ue8m0"), ("variant", "vllm.ue8m0-old"))

    def test_amax_in_bfloat16(self):
        self.write_kernel(floor_exponent, scaled_by=bfloat16,
                          values=self.near_powers_of_two())
        for words in ((), ("--variant", "aiter.floor")):
            self.assert_first(self.verify(*words),
                              ("input_precision", "bf16, for the scale only"))

    def near_powers_of_two(self):
        """Every fourth block has an amax that BF16 rounds up to a power of two."""
        values = list(self.values)
        for at in range(0, len(values), 128):
            block = values[at:at + 32]
            values[at + 31] = 2.0 ** math.ceil(math.log2(amax_of(block)) + 1) * (1 - 2.0 ** -20)
        self.write_input(values)
        return values

    def test_subnormal_inputs_flushed(self):
        tiny = [v if k // 32 % 2 else float32(v * 2.0 ** -130) for k, v in enumerate(self.values)]
        self.write_input(tiny)
        for keeps, word in ((True, "inputs flushed"), (False, "inputs flushed to +0")):
            flushed = [v if abs(v) >= 2.0 ** -126 else math.copysign(0.0, v if keeps else 1.0)
                       for v in tiny]
            self.write_kernel(lambda amax: floor_exponent(amax) if amax else -127, values=flushed)
            self.assert_first(self.verify(), ("subnormals", word))

    def test_a_tensor_scale_by_reciprocal(self):
        values = list(self.values)
        reciprocal = float32(1 / 2688)
        for k in range(1, 200):  # an amax for which the product is not the quotient
            values[0] = float32(2.0 ** 13 * (1 + k / 64))
            right, found = float32(values[0] / 2688), float32(values[0] * reciprocal)
            if right != found and found != float32(float32(values[0] / 448) / 6):
                break
        self.write_input(values)
        numbers = [f"0x{bits_of(x):08x}" for x in (right, found)]
        self.quantize("--format", "nvfp4")
        self.change("tensor_scale", lambda data: struct.pack("<f", found))
        self.assert_number(numbers, "")  # no code changes: the smallest cause that explains it
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        codes, scales = self.nvfp4_under(values, found)
        tensors["codes"] = (*tensors["codes"][:2], codes)
        tensors["scales"] = (*tensors["scales"][:2], scales)
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        self.assert_number(numbers, " = amax * (1 / 2688)")

    def test_blocks_under_another_tensor_scale_than_the_one_that_is_written(self):
        right = float32(amax_of(self.values) / 2688)
        above = number_of(bits_of(right) + 1)
        for written, words in ((right, "amax / 2688"), (above, f"0x{bits_of(above):08x} (")):
            with self.subTest(written=words):
                self.quantize("--variant", "te.4over6-mae-256")
                self.change("tensor_scale", lambda data, x=written: struct.pack("<f", x))
                told = self.verify("--format", "nvfp4")
                self.assertEqual([c["dimension"] for c in told["explanation"]],
                                 ["variant", "tensor_scale"], told)
                found = told["explanation"][1]["found"]
                self.assertTrue(found.startswith(words), found)
                self.assertTrue(found.endswith(
                    ", but blocks are encoded under 1 / (1536 / amax)"), found)

    def assert_number(self, numbers, formula):
        told = self.verify("--format", "nvfp4")
        self.assertEqual([c["dimension"] for c in told["explanation"]], ["tensor_scale"], told)
        expected, found = (told["explanation"][0][side] for side in ("expected", "found"))
        self.assertTrue(expected.startswith("amax / 2688, " + numbers[0]), told)
        self.assertTrue(found.startswith(numbers[1]), told)
        self.assertIn(formula, found)
        listed = told["tensors"][0]["tensor_scale"]
        self.assertEqual([listed["expected_bits"], listed["found_bits"]], numbers)
        lines = self.text("--format", "nvfp4").splitlines()
        self.assertIn(f"and the tensor scale {numbers[1]}", lines[0])
        self.assertIn(f"expected {numbers[0]}", lines[0])
        self.assertLessEqual(sum(line.startswith("  or ") for line in lines), 4)

    def nvfp4_under(self, values, above):
        """Codes and scales of NVFP4 in exact fractions."""
        codes, scales = [], []
        for at in range(0, len(values), 16):
            block = values[at:at + 16]
            byte, scale = self.ue4m3(Fraction(amax_of(block)) / 6 / Fraction(above))
            scales.append(byte)
            codes += [signed(v, blocks.nearest_code(abs(Fraction(v)) / (scale * Fraction(above)))
                             if scale else 0) for v in block]
        return packed(codes), bytes(scales)

    @staticmethod
    def ue4m3(x):
        """The nearest code, and its value."""
        table = [Fraction(f, 512) if e == 0 else Fraction(8 + f) * blocks.power(e - 10)
                 for e in range(16) for f in range(8)][:127]
        distances = [abs(x - value) for value in table]
        near = [k for k in range(127) if distances[k] == min(distances)]
        code = near[0] if len(near) == 1 else next(k for k in near if k % 2 == 0)
        return code, table[code]

    def test_a_tensor_scale_that_was_never_computed(self):
        for word, number in (("0x00000000 (0)", 0.0), ("0x7f800000 (Inf)", math.inf),
                             ("0x7fc00000 (NaN)", math.nan)):
            self.quantize("--format", "nvfp4")
            self.change("tensor_scale", lambda data, x=number: struct.pack("<f", x))
            self.assert_first(self.verify("--format", "nvfp4"),
                              ("tensor_scale", word + ", not a positive finite number"))

    def test_the_complement_of_the_random_bits(self):
        # Half way between two codes that differ in the lowest bit, the complement takes the other.
        self.write_input([5.0, -2.5, 1.25, -0.25] * (len(self.values) // 4))
        drawn = ("--rounding", "stochastic", "--seed", "7")
        self.quantize(*drawn)
        self.change("codes", lambda data: bytes(pair ^ 0x11 for pair in data))
        self.assert_first(self.verify(*drawn),
                          ("element_rounding", "stochastic, seed 7, 8 bits, ptx, the complement of "
                                               "the random bits"))

    def test_signs_of_nan_that_differ_alone(self):
        values = list(self.values)
        for at in (3, 700, 5000):
            values[at] = number_of(0xFFC00000 if at == 700 else 0x7FC00000)
        self.write_input(values)
        words = ("--format", "mxfp8-e4m3", "--variant", "torchao-0.18.rceil")
        self.quantize(*words)
        self.change("codes", lambda data: bytes(
            code ^ 0x80 if code & 0x7F == 0x7F and at % 3 == 0 else code
            for at, code in enumerate(data)))
        told = self.verify(*words)
        self.assertEqual(told["differs_alone"], "nan_signs")
        self.assert_first(told, ("nan_rule", "other signs of NaN, and no other difference"))
        self.assertIn("NaN signs alone differ", self.text(*words))
        self.change("codes", lambda data: data[:-1] + bytes([data[-1] ^ 1]))
        self.assertNotIn("differs_alone", self.verify(*words))

    def test_codes_without_a_value_under_a_tensor_scale_that_is_nan(self):
        values = [bfloat16(v) for v in self.values]
        values[77] = math.nan
        self.write_input(values, "BF16")
        self.quantize("--variant", "torchao.nvfp4")
        self.change("codes", lambda data: bytes([0x33]) * len(data))
        told = self.verify("--variant", "torchao.nvfp4")
        self.assertEqual(told["differs_alone"], "nan_codes")
        self.assertEqual(told["explanation"][0]["dimension"], "nan_rule", told)

    def test_nan_of_other_signs_in_codes_scales_and_tensor_scale(self):
        self.write_input([math.nan, *self.values[1:]])
        words = ("--variant", "torchao.nvfp4")
        self.quantize(*words)
        self.change("codes", lambda data: bytes(pair ^ 0x88 for pair in data))
        self.change("scales", lambda data: bytes(scale | 0x80 for scale in data))
        for bits, alone in ((0xFFC00000, "nan_signs"), (0xFFFFFFFF, "nan_codes")):
            self.change("tensor_scale", lambda data, word=bits: struct.pack("<I", word))
            told = self.verify(*words)
            self.assertEqual((told["verdict"], told.get("differs_alone")), ("explained", alone))
            self.assertEqual(told["explanation"][0]["dimension"], "nan_rule", told)
        self.change("scales", lambda data: data[:-1] + b"\x7e")
        self.assertNotIn("differs_alone", self.verify(*words))

    def test_two_habits_at_once(self):
        pairs = ((("--scale-rule", "rceil", "--rounding", "toward-zero"),
                  {("scale_rule", "rceil"), ("element_rounding", "toward-zero")}),
                 (("--scale-rule", "even", "--layout", "128x4"),
                  {("scale_rule", "even"), ("scale_layout", "128x4")}),
                 (("--rounding", "toward-zero", "--packing", "high-first"),
                  {("element_rounding", "toward-zero"), ("nibble_order", "high-first")}))
        for words, causes in pairs:
            self.quantize(*words)
            told = self.verify()
            self.assertEqual({(c["dimension"], c["found"]) for c in told["explanation"]}, causes)

    def test_amax_in_bfloat16_under_another_rule(self):
        values = self.near_powers_of_two()
        self.write_kernel(even_exponent, code_away, values, bfloat16)
        told = self.verify("--variant", "aiter.even")
        self.assertEqual({(c["dimension"], c["found"]) for c in told["explanation"]},
                         {("element_rounding", "nearest-away"),
                          ("input_precision", "bf16, for the scale only")})

    def test_storage_with_the_axis_first_names_the_order_alone(self):
        self.quantize()
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        for name in ("codes", "scales"):
            dtype, (rows, columns), data = tensors[name]
            data = bytes(data[r * columns + c] for c in range(columns) for r in range(rows))
            tensors[name] = (dtype, [columns, rows], data)
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        told = self.verify()
        self.assert_first(told, ("block_axis", "stored with the axis first"))
        self.assertEqual(told["explanation"][0]["expected"], "stored as the input is")


if __name__ == "__main__":
    main()
