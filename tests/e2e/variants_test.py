# SPDX-License-Identifier: Apache-2.0
# tests/e2e/variants_test.py: the command reproduces public kernels' bits, witness by witness.

import math
import struct

import tensor_files
from command_case import command_case, main


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


# From the table of observed scale bytes: amax, then byte by preset.
BYTES = ((0x40FFFFFF, {"torchao.floor": 127, "torchao.ceil": 128, "microxcaling.even": 128,
                       "ggml.mxfp4": 128, "triton.v0.down": 127, "triton.v2.up": 128}),
         (0x40C00001, {"torchao.rceil": 128, "torchao.floor": 127, "triton.v0.down": 127}),
         (0x40A00000, {"triton.v0.down": 126, "triton.v2.down": 127, "torchao.ceil": 128}),
         (0x01400000, {"torchao.rceil": 0, "triton.v2.up": 1, "torchao.ceil": 1}),
         (0x00800000, {"ggml.mxfp4": 255, "triton.v2.up": 1, "torchao.rceil": 0}),
         (0x7F600000, {"torchao.even": 255, "aiter.even": 254, "torchao.rceil": 253}))


class variants_test(command_case):
    def coded(self, values, shape, *words):
        tensor_files.write_npy(self.path("x.npy"), shape, values)
        self.run_command("quantize", "x.npy", "-o", "c.safetensors", *words)
        return tensor_files.read_safetensors(self.path("c.safetensors"))

    def decoded(self, *words):
        self.run_command("dequantize", "c.safetensors", "-o", "y.npy", *words)
        return tensor_files.read_npy(self.path("y.npy"))[1]

    def test_scale_bytes_of_the_witnesses(self):
        for bits, bytes_by_preset in BYTES:
            for preset, byte in bytes_by_preset.items():
                with self.subTest(amax=hex(bits), preset=preset):
                    coded, notes = self.coded([float_of(bits)], (1,), "--variant", preset)
                    self.assertEqual(coded["scales"][2], bytes([byte]))
                    self.assertEqual(notes["variant"], preset)
                    self.assertEqual(notes["format"], "mxfp4")

    def test_orders_of_operations_of_nvfp4(self):
        # In a tensor with amax 3.7 one ulp of the quotient decides this block's scale.
        values = [3.7] + [0.0] * 15 + [float_of(0x3C7541D5)] + [0.0] * 15
        for preset, byte in (("te.nvfp4", 0x3E), ("torchao.nvfp4", 0x3F)):
            coded, _ = self.coded(values, (2, 16), "--variant", preset)
            self.assertEqual(coded["scales"][2][1], byte, preset)
            self.assertEqual(set(coded), {"codes", "scales", "tensor_scale", "tensor_amax"})
            got = self.decoded()
            self.assertLess(abs(got[0] - 3.7), 1e-3)

    def test_a_preset_brings_its_nibble_order(self):
        values = [float(k) / 8 for k in range(-16, 16)]
        coded, notes = self.coded(values, (32,), "--variant", "ggml.mxfp4", "--packing", "unpacked")
        flat = coded["codes"][2]
        coded, notes = self.coded(values, (32,), "--variant", "ggml.mxfp4")
        self.assertEqual(notes["packing"], "split-half")
        self.assertEqual(coded["codes"][2], bytes(flat[k] | flat[k + 16] << 4 for k in range(16)))
        self.assertEqual(len(self.decoded()), 32)

    def test_elements_follow_the_preset(self):
        # Ties in a block whose scale is 1; codes of 0.25, 0.75, 2.5, 5 and -0.
        ties = [4.0, 0.25, 0.75, 2.5, 5.0, -0.0]
        for preset, codes in (("torchao.floor", [6, 0, 2, 4, 6, 8]),
                              ("triton.v0.up", [6, 1, 2, 5, 7, 8]),
                              ("microxcaling.floor", [6, 0, 1, 4, 6, 0]),
                              ("ggml.mxfp4", [6, 0, 1, 4, 6, 0])):
            with self.subTest(preset=preset):
                coded, _ = self.coded(ties, (6,), "--variant", preset, "--packing", "unpacked")
                self.assertEqual(coded["scales"][2], b"\x7f")
                self.assertEqual(list(coded["codes"][2][:6]), codes)

    def test_decoders_differ_at_the_ends_of_the_scales(self):
        tensor_files.write_safetensors(
            self.path("c.safetensors"),
            {"codes": ("U8", [2, 16], bytes([0x20]) + bytes(15) + bytes([0x20]) + bytes(15)),
             "scales": ("U8", [2, 1], bytes([0, 255]))}, {"format": "mxfp4"})
        plain = self.decoded()
        self.assertEqual(plain[1], 2.0 ** -127)
        self.assertTrue(math.isnan(plain[33]))
        self.assertEqual(self.decoded("--variant", "gpt-oss")[33], math.inf)
        self.assertEqual(self.decoded("--variant", "triton.reference-old")[1], 0.0)

    def test_tiles_and_rows_of_presets(self):
        values = [math.sin(k) * (1 + k // 48) for k in range(40 * 48)]
        for preset, scales, tensor in (("te.nvfp4-2d", [3, 3], [1]),
                                       ("te.nvfp4-row-scaled", [40, 3], [40, 1]),
                                       ("te.4over6-mse", [40, 3], [1])):
            with self.subTest(preset=preset):
                coded, _ = self.coded(values, (40, 48), "--variant", preset)
                self.assertEqual(coded["scales"][1], scales)
                self.assertEqual(coded["tensor_scale"][1], tensor)
                worst = max(abs(a - b) for a, b in zip(self.decoded(), values))
                self.assertLess(worst, 8)
                if preset.endswith("row-scaled"):
                    data = coded["scales"][2]
                    largest = [max(data[3 * r:3 * r + 3]) for r in range(40)]
                    self.assertEqual(largest, [0x7E] * 40)

    def test_every_quantizer_runs_and_comes_back(self):
        result = self.run_json("formats")["variants"]
        self.assertGreater(len(result), 40)
        values = [math.sin(k) for k in range(32 * 33)]
        for preset in result:
            name = preset["name"]
            tensor_files.write_npy(self.path("x.npy"), (32, 33), values)
            if not preset["family"].startswith("quantizer"):
                self.assert_refused("quantize", "x.npy", "-o", "c.safetensors", "--variant", name,
                                    naming=[name])
                continue
            for fmt in preset["formats"]:
                with self.subTest(preset=name, format=fmt):
                    self.run_command("quantize", "x.npy", "-o", "c.safetensors", "--variant", name,
                                     "--format", fmt)
                    scale = 3 if name == "qutlass.absmax" else 1
                    self.assertLess(max(abs(a / scale - b) for a, b in
                                        zip(self.decoded(), values)), 0.6)
                    self.run_command("explain", "1", "-2", "--variant", name, "--format", fmt)

    def test_what_does_not_go_with_a_preset(self):
        tensor_files.write_npy(self.path("x.npy"), (32,), [1.0] * 32)
        out = ("quantize", "x.npy", "-o", "c.safetensors", "--variant")
        self.assert_refused(*out, "torchao.rceil", "--scale-rule", "floor", naming=["scale-rule"])
        self.assert_refused(*out, "torchao.rceil", "--seed", "1", naming=["seed"])
        self.assert_refused(*out, "torchao.rceil", "--format", "nvfp4",
                            naming=["torchao.rceil", "mxfp4 mxfp6-e2m3"])
        self.assert_refused(*out, "torchao.rcel", naming=["did you mean `torchao.rceil`"])
        self.assert_refused("decompose", "x.npy", "--variant", "torchao.rceil",
                            naming=["decompose"])

    def test_stochastic_presets_draw_their_bits_by_seed(self):
        values = [6.0 if k % 16 == 0 else 2.4 for k in range(1008)]
        for preset in ("te.nvfp4-stochastic", "fouroversix.nvfp4-static-6-stochastic"):
            seen = []
            for seed in ("3", "4", "3"):
                coded, notes = self.coded(values, (1008,), "--variant", preset, "--seed", seed)
                self.assertEqual((notes["variant"], notes["seed"]), (preset, seed))
                seen.append(coded["codes"][2])
                self.assertLess(abs(sum(self.decoded()) - sum(values)) / 1008, 0.06)
                self.run_command("verify", "c.safetensors", "--input", "x.npy", "--variant", preset,
                                 "--seed", seed)
            self.assertEqual(seen[0], seen[2])
            self.assertNotEqual(seen[0], seen[1])
            other = self.run_command("verify", "c.safetensors", "--input", "x.npy", "--variant", preset,
                                     "--seed", "5", status=1)
            self.assertIn("seed 5", other.stdout)

    def test_explain_tells_whose_rules_they_are(self):
        result = self.run_json("explain", "0.3", "-1.2", "4.7", "--variant", "ggml.mxfp4")
        self.assertEqual(result["variant"]["name"], "ggml.mxfp4")
        self.assertEqual(result["scale"]["code"], 127)
        self.assertEqual([e["code"] for e in result["elements"]], [1, 10, 6])
        text = self.run_command("explain", "4.7", "--variant", "ggml.mxfp4").stdout
        self.assertIn("undefined", text)


if __name__ == "__main__":
    main()
