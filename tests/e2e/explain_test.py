# SPDX-License-Identifier: Apache-2.0
# tests/e2e/explain_test.py: output of explain and formats, as text and as JSON.

import struct
from fractions import Fraction

import fractions_model as model
import tensor_files
from blocks import power
from command_case import command_case, main

VALUES = ["5.3", "0.21", "-0.4", "-1.9", "0.9", "1e-3", "-0", "7"]
FORMATS = (("mxfp4", ()), ("mxfp6-e3m2", ("--scale-rule", "midmax")),
           ("mxfp8-e4m3", ("--rounding", "toward-zero")), ("mxfp8-e5m2", ()),
           ("mxint8", ("--rounding", "nearest-away")), ("nvfp4", ()),
           ("nvfp4", ("--scale-rule", "4over6-mse")), ("fp8-1x128", ()),
           ("e2m1:e8m4:16", ("--scale-rule", "rceil")), ("e4m3fnuz:ue5m3:8", ()),
           ("e2m1:exact:32", ()), ("mxfp4", ("--scale-rule", "quest")),
           ("mxfp4", ("--rounding", "stochastic", "--seed", "3")))


class explain_test(command_case):
    def test_every_format_shows_the_bits_of_quantize_and_parts_that_add_up(self):
        for name, words in FORMATS:
            with self.subTest(format=name, words=words):
                result = self.run_json("explain", *VALUES, "--format", name, *words, "--save",
                                     "x.npy")
                text = self.run_command("explain", *VALUES, "--format", name, *words).stdout
                self.assertLess(max(map(len, text.splitlines())), 200)
                for e in result["elements"]:
                    parts = {k: Fraction(v) for k, v in self.flat(e["error"]).items()}
                    self.assertEqual(parts.pop("total"), sum(parts.values()))
                if "exact" in name:
                    continue
                self.run_command("quantize", "x.npy", "-o", "c.safetensors", "--packing",
                                 "unpacked", "--format", name, *words)
                coded, _ = tensor_files.read_safetensors(self.path("c.safetensors"))
                self.assertEqual([e["code"] for e in result["elements"]],
                                 list(coded["codes"][2][:len(VALUES)]))
                code = int.from_bytes(coded["scales"][2], "little")
                self.assertEqual(result["scale"]["code"], code)
                self.run_command("dequantize", "c.safetensors", "-o", "y.npy")
                _, got = tensor_files.read_npy(self.path("y.npy"))
                self.assertEqual([repr(float(e["value"])) for e in result["elements"]],
                                 [repr(v) for v in got])

    def test_an_integer_that_divides_exactly_has_all_of_its_digits(self):
        for words in ((), ("--scale-rule", "rceil"), ("--scale-rule", "ideal")):
            text = self.run_command("explain", "3e9", "--format", "e6m0:e8m0:4", *words).stdout
            self.assertIn("amax / 4294967296 = 5859375/8388608, exactly", text)
            self.assertNotIn("4294967300", text)

    def flat(self, error):
        def number(text):
            base, _, exponent = text.partition(" * 2^")
            if text.lstrip("-").startswith("2^"):
                sign = -1 if text.startswith("-") else 1
                return sign * power(int(text.lstrip("-")[2:]))
            return Fraction(base) * (power(int(exponent)) if exponent else 1)
        return {k: number(v) for k, v in error.items() if k != "scale_dead"}

    def test_a_value_that_fp32_rounds_says_so(self):
        rounded = []
        for name in ("mxfp4", "e2m1:e8m4:16", "nvfp4", "e2m1:exact:32"):
            words = ("explain", *VALUES, "--format", name)
            elements = self.run_json(*words)["elements"]
            lines = [line for line in self.run_command(*words).stdout.splitlines()
                     if "; value Q = " in line]
            self.assertEqual(len(lines), len(elements))
            for e, line in zip(elements, lines):
                exact = self.flat({"x": e["x_exact"]})["x"] + self.flat(e["error"])["total"]
                is_rounded = exact != Fraction(float(e["value"]))
                self.assertEqual(line.endswith(", rounded to FP32"), is_rounded, line)
                rounded += [name] * is_rounded
        self.assertEqual(set(rounded), {"nvfp4", "e2m1:exact:32"})

    def test_stochastic_rounding_shows_its_random_bits(self):
        result = self.run_json("explain", *VALUES, "--rounding", "stochastic", "--seed", "9")
        self.assertEqual((result["seed"], result["random_bits"], result["byte_map"]), (9, 8, "ptx"))
        drawn = 0
        for i, e in enumerate(result["elements"]):
            if e["decision"] != "stochastic":
                continue
            drawn += 1
            self.assertEqual(e["random_bits"], model.random_bits(9, 8, "ptx", i))
            low, high = (abs(Fraction(e[side]["value"])) for side in ("lower", "upper"))
            x = abs(Fraction(e["x_over_scale"]))
            self.assertEqual(e["cut_off"], int((x - low) / (high - low) * 256))
            up = e["cut_off"] + e["random_bits"] >= 256
            self.assertEqual(e["code"], e["upper" if up else "lower"]["code"])
        self.assertGreater(drawn, 3)
        self.assertIn("the random bits are", self.run_command(
            "explain", *VALUES, "--rounding", "stochastic").stdout)

    def test_a_block_of_any_format_bounds_the_values(self):
        for name, size in (("nvfp4", 16), ("e2m1:e8m0:3", 3)):
            self.run_command("explain", *["1"] * size, "--format", name)
            self.assert_refused("explain", *["1"] * (size + 1), "--format", name,
                                naming=[name, str(size)])

    def test_values_that_saturate_far_below_x_are_still_explained(self):
        result = self.run_json("explain", "3e38", "1e-45", "--format", "e2m1:ue4m3:16")
        self.assertEqual(result["elements"][0]["value"], 2688)
        self.assertNotIn("error", result["elements"][0])
        self.run_command("explain", "3e38", "1e-45", "--format", "e2m1:ue4m3:16")

    def test_special_and_zero_blocks_of_every_format(self):
        for name, _ in FORMATS:
            with self.subTest(format=name):
                self.assertTrue(self.run_json("explain", "nan", "1", "--format", name)["special"])
                zero = self.run_json("explain", "0", "-0", "--format", name)["elements"]
                self.assertEqual([struct.pack("<f", e["value"])[:3] for e in zero], [b"\0" * 3] * 2)
                for values in (["nan"], ["0"], ["1e-45", "3e38"]):
                    self.run_command("explain", *values, "--format", name)


class formats_list_test(command_case):
    def test_everything_is_listed_once_and_fits_the_terminal(self):
        result = self.run_json("formats")
        text = self.run_command("formats", "--all").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for group in ("formats", "elements", "scales", "scale_rules", "roundings", "byte_maps",
                      "packings", "layouts", "variants", "corrections"):
            names = [entry["name"] for entry in result[group]]
            self.assertEqual(len(names), len(set(names)), group)
            for name in names:
                self.assertIn(name, text)
        self.assertEqual(result["formats"][0]["magnitudes"], [0, 0.5, 1, 1.5, 2, 3, 4, 6])
        self.assertEqual([result["formats"][0][k] for k in ("element", "scale", "block")],
                         ["e2m1", "e8m0", 32])
        for name in ("mxfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8-e4m3", "mxfp8-e5m2", "mxint8",
                     "nvfp4"):
            self.assertIn(name, [f["name"] for f in result["formats"]])
        for preset in result["variants"]:
            self.assertTrue(preset["source"], preset)
        self.assertIn({"framework", "theirs", "ours", "note"},
                      [set(entry) for entry in result["crosswalk"]])

    def test_neighbours_have_the_bits_of_their_magnitudes_under_both_signs(self):
        for name, x, amax, between in (
                ("mxint8", "0.3", "1", "0.296875 (0010011) and 0.3125 (0010100)"),
                ("mxfp4", "1.7", "4", "1.5 (011) and 2 (100)")):
            for sign in ("", "-"):
                text = self.run_command("explain", sign + x, amax, "--format", name).stdout
                self.assertIn("|x/scale| lies between " + between, text)

    def test_every_listed_name_has_details_and_works(self):
        result = self.run_json("formats")
        for group in ("formats", "elements", "scales", "scale_rules", "roundings", "byte_maps",
                      "packings", "layouts"):
            for entry in result[group]:
                with self.subTest(name=entry["name"]):
                    found = self.run_json("formats", entry["name"])["found"]
                    self.assertIn(entry["meaning"], [f.get("meaning") for f in found])
        for entry in result["formats"]:
            self.run_command("explain", "1", "--format", entry["name"])
        for rule in result["scale_rules"]:
            fmt = "nvfp4" if rule["name"].startswith("4over6") else "mxfp4"
            self.run_command("explain", "1", "--format", fmt, "--scale-rule", rule["name"])
        for mode in result["roundings"]:
            self.run_command("explain", "1", "--rounding", mode["name"])

    def test_corrections_that_are_listed_are_those_that_formats_accept(self):
        listed = [entry["name"] for entry in self.run_json("formats")["corrections"]]
        self.assert_refused("explain", "1", "--format", "mxfp4+zz", naming=["there are: " + " ".join(listed)])

    def test_details_of_a_format_that_has_no_name(self):
        found = self.run_json("formats", "e3m2:e8m4:16x16")["found"][0]
        self.assertEqual((found["element"], found["scale"], found["rows"]), ("e3m2", "e8m4", 16))
        text = " ".join(self.run_command("formats", "mxfp4").stdout.split())
        for bounds in ("floor from 4 to below 8", "rceil above 3 up to 6", "ceil above 2 up to 4",
                       "even from 3.5 to below 7", "floor6 from 6 to below 12",
                       "midmax above 3.5 up to 7", "overflow-aware from 3.5 to below 7"):
            self.assertIn(bounds, text)

    def test_a_name_that_does_not_exist_gets_the_nearest(self):
        self.assert_refused("formats", "nvpf4", naming=["did you mean `nvfp4`"])
        self.assert_refused("formats", "zzzzzzzzz", naming=["lists all names"])


if __name__ == "__main__":
    main()
