# SPDX-License-Identifier: Apache-2.0
# tests/e2e/probe_test.py: cards of the command's own outputs, and refusals of other files.

import json
import random
import struct

import tensor_files
from command_case import command_case, main

FORMATS = ("mxfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8-e4m3", "mxfp8-e5m2", "mxint8", "nvfp4")


def line(result, name):
    return next(entry for entry in result["card"] if entry["property"] == name)


class probe_test(command_case):
    def make(self, *words, status=0):
        return self.run_json("probe", "make", "-o", "p.safetensors", *words, status=status)

    def quantize(self, *words):
        self.run_command("quantize", "p.safetensors", "-o", "k.safetensors", *words)

    def read(self, *words, status=0):
        return self.run_json("probe", "read", "k.safetensors", "--input", "p.safetensors", *words,
                             status=status)

    def assert_result(self, result, name, value):
        entry = line(result, name)
        self.assertEqual((entry["known"], entry["values"]), ("told", [value]), result)

    def presets_of(self, form):
        variants = self.run_json("formats")["variants"]
        return [v["name"] for v in variants
                if form in v["formats"] and v["family"].startswith("quantizer")]

    def test_a_probe_is_a_few_dozen_blocks(self):
        for form in FORMATS:
            result = self.make("--format", form)
            self.assertLessEqual(result["blocks"], 70)
            self.assertGreater(result["outputs"], 200)
            tensors, notes = tensor_files.read_safetensors(self.path("p.safetensors"))
            self.assertEqual(notes["format"], form)
            self.assertEqual({t["name"]: t["shape"] for t in result["tensors"]},
                             {name: shape for name, (_, shape, _) in tensors.items()})
            self.assertEqual(tensors["x"][0], "F32")

    def test_the_bytes_are_the_same_every_time(self):
        self.make("--format", "nvfp4", "--dtype", "bf16")
        first = self.snapshot()
        self.make("--format", "nvfp4", "--dtype", "bf16")
        self.assertEqual(self.snapshot(), first)

    def test_a_type_has_one_name_that_is_printed_by_whichever_name_is_typed(self):
        for names in (("f32", "fp32", "binary32"), ("f16", "fp16"), ("bf16", "bfloat16")):
            printed = {str(self.make("--dtype", name)) for name in names}
            self.assertEqual(len(printed), 1)
            self.assertIn(f"'dtype': '{names[0]}'", printed.pop())

    def test_plain_output_of_every_format_is_told(self):
        for form in FORMATS:
            self.make("--format", form)
            self.quantize("--format", form)
            result = self.read()
            self.assertEqual((result["verdict"], result["format"]), ("explained", form))
            rule = "ideal" if form == "nvfp4" else "floor"
            self.assertEqual(line(result, "scale_rule")["values"][0], rule)
            self.assert_result(result, "element_rounding", "nearest-even")
            self.assert_result(result, "scale_layout", "linear")
            self.assertEqual(result["missing"], [])

    def test_every_preset_of_mxfp4_is_named(self):
        self.make("--format", "mxfp4")
        names = self.presets_of("mxfp4")
        self.assertGreater(len(names), 20)
        for name in names:
            self.quantize("--variant", name, "--format", "mxfp4")
            result = self.read()
            self.assertIn(name, result["presets"])
            self.assertLessEqual(len(result["presets"]), 2)

    def test_rules_roundings_packings_and_layouts_together(self):
        self.make()
        self.quantize("--scale-rule", "rceil", "--rounding", "nearest-away", "--packing",
                      "high-first", "--layout", "128x4")
        for words in (["--input", "p.safetensors"], []):  # the probe is written again
            result = self.run_json("probe", "read", "k.safetensors", *words)
            self.assert_result(result, "scale_rule", "rceil")
            self.assert_result(result, "element_rounding", "nearest-away")
            self.assert_result(result, "nibble_order", "high-first")
            self.assert_result(result, "scale_layout", "128x4")
            self.assertEqual(result["presets"], [])

    def test_sixteen_bits_and_a_shape(self):
        for dtype in ("bf16", "f16"):
            result = self.make("--format", "mxfp8-e4m3", "--dtype", dtype, "--shape", "128,256")
            self.assertEqual(result["tensors"][0]["shape"], [128, 256])
            self.assertTrue(result["told_by_usual_probe"])
            self.quantize("--format", "mxfp8-e4m3", "--scale-rule", "even")
            result = self.read()
            self.assertEqual(line(result, "scale_rule")["values"][0], "even")
            precision = line(result, "input_precision")
            self.assertEqual(precision["values"][0], "as given")
            self.assertEqual(precision["why"][0], "")

    def test_conversions_without_saturation_are_named(self):
        # A number beyond the tie above the largest element, 464 or 61440, is NaN or Inf.
        for form, tie, beyond, word in (("mxfp8-e4m3", 464, 0x7F, "NaN"),
                                        ("mxfp8-e5m2", 61440, 0x7C, "Inf")):
            self.make("--format", form)
            self.quantize("--format", form)
            tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
            numbers, _ = tensor_files.read_safetensors(self.path("p.safetensors"))
            values = tensor_files.values_of(numbers["x"])
            codes, scales = bytearray(tensors["codes"][2]), tensors["scales"][2]
            for at, x in enumerate(values):
                scale = scales[at // 32]
                size = abs(x) / 2.0 ** (scale - 127)
                # At the tie 448 has the even code, 57344 not.
                is_beyond = size > tie or (size == tie and form == "mxfp8-e5m2")
                if is_beyond and scale != 255 and size < float("inf"):
                    codes[at] = codes[at] & 0x80 | beyond
            tensors["codes"] = (*tensors["codes"][:2], bytes(codes))
            tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
            result = self.read()
            self.assert_result(result, "element_rounding",
                               f"nearest-even, {word} beyond the largest")
            self.assertEqual(result["missing"], [])

    def test_a_wrong_byte_is_explained_by_nothing(self):
        self.make()
        self.quantize("--scale-rule", "rceil")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        data = bytearray(tensors["codes"][2])
        at = next(i for i, byte in enumerate(data) if byte not in (0, 0x88, 0x80, 0x08))
        data[at] ^= 0x11
        tensors["codes"] = (*tensors["codes"][:2], bytes(data))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        result = self.read(status=1)
        self.assertEqual((result["verdict"], result["presets"]), ("unexplained", []))
        self.assert_result(result, "scale_rule", "rceil")
        self.assertEqual(result["nearest"][0]["blocks"], result["nearest"][0]["of"] - 1)

    def read_changed(self, array, change):
        """The card of an output with some bytes of an array changed."""
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        dtype, shape, data = tensors[array]
        tensors[array] = (dtype, shape, change(data))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        return self.read(status=1)

    def test_nibbles_swapped_in_some_rows_are_named(self):
        self.make("--shape", "6,544")
        self.quantize()
        swapped = bytes(b >> 4 | (b & 15) << 4 for b in range(256))
        result = self.read_changed("codes", lambda codes: b"".join(
            codes[at:at + 272].translate(swapped) if at // 272 % 2 else codes[at:at + 272]
            for at in range(0, len(codes), 272)))
        self.assertEqual(result["part"], "every 2nd row from 1")
        self.assertEqual([change["dimension"] for change in result["changes"]], ["nibble_order"])

    def test_scales_of_one_tile_of_rows_that_repeat_the_first(self):
        self.make("--shape", "256,1024")
        self.quantize("--variant", "torchao.rceil", "--layout", "128x4")
        result = self.read_changed("scales", lambda scales: scales[:len(scales) // 2] * 2)
        self.assertEqual((result["changed"], result["part"]), ("torchao.rceil", "rows 128..255"))
        self.assertEqual(line(result, "nibble_order")["values"], ["low-first"])

    def test_an_unusable_tensor_scale_is_no_known_recipe(self):
        self.make("--format", "nvfp4")
        self.quantize("--format", "nvfp4")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        name = next(n for n in tensors if n.endswith("tensor_scale"))
        right = struct.unpack("<I", tensors[name][2])[0]
        for bits in (0, 0x7FC00000, 0xBF800000):
            tensors[name] = (*tensors[name][:2], struct.pack("<I", bits))
            tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
            result = self.read("--format", "nvfp4", status=1)
            self.assertEqual(result["verdict"], "unexplained")
            unusable = result["unusable_tensor_scale"]
            self.assertEqual((unusable["expected_bits"], unusable["found_bits"]),
                             (f"0x{right:08x}", f"0x{bits:08x}"))
            self.assertTrue(line(result, "tensor_scale")["values"][0].startswith("not a positive"))

    def test_a_tensor_scale_by_reciprocal_is_named(self):
        self.make("--format", "nvfp4")
        self.quantize("--format", "nvfp4")
        inputs, _ = tensor_files.read_safetensors(self.path("p.safetensors"))
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        rounded = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
        differ = 0
        for name, (dtype, shape, right) in list(tensors.items()):
            if not name.startswith("x_scale") or not name.endswith(".tensor_scale"):
                continue
            x = inputs[name.split(".")[0]][2]
            amax = max(abs(v) for v in struct.unpack(f"<{len(x) // 4}f", x))
            found = struct.pack("<f", rounded(amax * rounded(1 / 2688)))
            tensors[name] = (dtype, shape, found)
            differ += found != right
        self.assertGreater(differ, 0)
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        result = self.read()
        self.assert_result(result, "tensor_scale", "amax * (1 / 2688)")
        self.assert_result(result, "operation_order", "exact")
        numbers = [n for n in result["tensor_scales"] if n["found_bits"] != n["divided_bits"]]
        self.assertEqual(len(numbers), differ)

    def test_x_alone_is_read_and_the_rest_is_missing(self):
        self.make("--format", "nvfp4")
        self.quantize("--format", "nvfp4")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        bare = {name.split(".")[1]: t for name, t in tensors.items() if name.startswith("x.")}
        tensor_files.write_safetensors(self.path("k.safetensors"), bare)
        result = self.read()
        self.assertEqual((result["verdict"], result["read"]), ("explained", ["x"]))
        self.assertIn("x_nan", result["missing"])
        self.assertNotEqual(line(result, "nan_rule")["known"], "told")

    def test_specials_are_shown_as_they_were_found(self):
        self.make()
        self.quantize("--variant", "torchao.rceil")
        result = self.read()
        nan = next(o for o in result["specials"] if o["what"] == "NaN beside numbers")
        self.assertEqual(nan["scale"], 255)
        self.assertTrue(any(e["input"] == "NaN" for e in nan["elements"]))
        self.assertIn("NaN beside numbers",
                      self.run_command("probe", "read", "k.safetensors").stdout)

    def test_inputs_that_say_little_are_read_at_once(self):
        """Nearly every recipe explains them, under nearly every storage."""
        draw = random.Random(7)
        inputs = {"a zero": [0.0], "zeros": [0.0] * 32, "many zeros": [0.0] * 4096, "a one": [1.0],
                  "ones": [1.0] * 32, "a NaN": [float("nan")],
                  "numbers": [draw.gauss(0, 1) for _ in range(128 * 2048)]}
        for what, values in inputs.items():
            with self.subTest(what=what):
                shape = [128, 2048] if what == "numbers" else [len(values)]
                tensor_files.write_safetensors(self.path("p.safetensors"),
                                               {"x": tensor_files.floats(shape, values)})
                self.quantize()
                result = self.run_json("probe", "read", "k.safetensors", "--input", "p.safetensors",
                                     timeout=30)
                self.assertEqual(result["verdict"], "explained")
                rules = line(result, "scale_rule")["values"]
                self.assertEqual(rules[0], "floor")
                self.assertEqual(len(rules) > 5, what != "numbers")

    def test_models_of_products(self):
        cases = (("mxfp4", "blackwell.mxf4", []), ("nvfp4", "blackwell.mxf4nvf4", []),
                 ("f16", "volta.mma.f16.f32", []), ("e4m3", "hopper.wgmma.e4m3.f32", []),
                 ("bf16", "cdna2.mfma.bf16.f32", []), ("tf32", "ampere.mma.tf32.f32", []),
                 ("e4m3", "ada.mma.e4m3.e5m2.f32", ["--b-format", "e5m2"]))
        for form, model, words in cases:
            result = self.run_json("probe", "make", "--gemm", "-o", "o", "--format", form, *words)
            self.assertLessEqual(result["words"], 32)
            files = ["o/a.safetensors", "o/b.safetensors", "--c", "o/c.safetensors"]
            self.run_command("gemm", *files, "--model", model, "-o", "d.safetensors")
            card = self.run_json("probe", "read", "d.safetensors", "--gemm", *files)
            self.assertEqual(card["accumulator"]["known"], "told", (form, model))
            self.assertEqual(len(card["accumulator"]["values"]), 1)
            self.assertIn(model, card["accumulator"]["values"][0])
            self.assertIn(model, card["evidence"])

    def test_models_that_give_the_same_bits_are_told_together(self):
        made = self.run_json("probe", "make", "--gemm", "-o", "o", "--format", "e2m1", "--result",
                             "f16")
        self.assertGreaterEqual(made["words"], 1)
        files = ["o/a.safetensors", "o/b.safetensors", "--c", "o/c.safetensors"]
        model = "blackwell.tcgen05.e2m1.f16"
        self.run_command("gemm", *files, "--model", model, "-o", "d.safetensors")
        card = self.run_json("probe", "read", "d.safetensors", "--gemm", *files)
        self.assertIn(model, json.dumps(card["accumulator"]))

    def test_a_product_that_no_model_makes(self):
        self.run_command("probe", "make", "--gemm", "-o", "o", "--format", "mxfp4", "--shape",
                         "64,128")
        files = ["o/a.safetensors", "o/b.safetensors", "--c", "o/c.safetensors"]
        self.run_command("gemm", *files, "--model", "exact.rne", "-o", "d.safetensors")
        tensors, _ = tensor_files.read_safetensors(self.path("d.safetensors"))
        self.assertEqual(tensors["d"][1], [64, 128])
        data = bytearray(tensors["d"][2])
        data[4 * 130:4 * 131] = struct.pack("<f", 3.0)
        tensors["d"] = (*tensors["d"][:2], bytes(data))
        tensor_files.write_safetensors(self.path("d.safetensors"), tensors)
        card = self.run_json("probe", "read", "d.safetensors", "--gemm", *files, status=1)
        self.assertEqual(card["accumulator"], {"known": "unknown", "values": []})

    def test_refusals(self):
        self.make()
        self.quantize()
        self.assert_refused("probe", naming=["subcommand"])
        self.assert_refused("probe", "mkae", "-o", "p", naming=[
            "probe has no command 'mkae'; expected one of: make read"])
        self.assert_refused("probe", "make", "-o", "p.txt", naming=["p.txt"])
        self.assert_refused("probe", "make", "-o", "q.safetensors", "--dtype", "f64",
                            naming=["--dtype", "f64"])
        self.assert_refused("probe", "make", "-o", "q.safetensors", "--shape", "128",
                            naming=["--shape", "128"])
        self.assert_refused("probe", "make", "-o", "q.safetensors", "--shape", "2,64",
                            naming=["--shape", "blocks"])
        self.assert_refused("probe", "make", "-o", "q.safetensors", "--format", "mxfp4+of=0.5",
                            naming=["--format"])
        self.assert_refused("probe", "make", "-o", "q.safetensors", "--k", "64", naming=["--gemm"])
        self.assert_refused("probe", "make", "--gemm", "-o", "o", "--format", "mxint8",
                            naming=["mxint8"])
        self.assert_refused("probe", "make", "--gemm", "-o", "o", "--format", "mxfp4",
                            "--b-format", "nvfp4", naming=["--b-format"])
        self.assert_refused("probe", "make", "--gemm", "-o", "o", "--k", "100", naming=["--k"])
        self.assert_refused("probe", "make", "--gemm", "-o", "no/o", naming=["no/o"])
        self.assert_refused("probe", "read", "no.safetensors", naming=["no.safetensors"])
        self.assert_refused("probe", "read", "p.safetensors", naming=["codes"])
        self.assert_refused("probe", "read", "k.safetensors", "--format", "mxfp8-e4m3",
                            "--shape", "64,64", naming=["bytes of codes"])
        self.assert_refused("probe", "read", "k.safetensors", "--input", "p.safetensors", "--gemm",
                            "p.safetensors", "p.safetensors", naming=["--input"])


if __name__ == "__main__":
    main()
