# SPDX-License-Identifier: Apache-2.0
# tests/e2e/usage_test.py: bad input and bad usage are refused with a message, and nothing is
# written.

import json
import os
import pathlib
import shutil
import struct
import subprocess
import unittest
import unittest.mock

import tensor_files
from command_case import PROGRAM, SOURCES, command_case, main


def hidden_devices():
    return unittest.mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": ""})


def has_kernels():
    """Whether the command was built with MX_CUDA."""
    with open(PROGRAM, "rb") as program:
        return b"./bootstrap --cuda, then" not in program.read()


GOOD = tensor_files.safetensors_bytes({"w": tensor_files.floats([1, 32], [1.0] * 32)})


def with_header(text):
    return struct.pack("<Q", len(text)) + text.encode() + bytes(128)


BAD_FILES = {
    "empty": b"",
    "five bytes": GOOD[:5],
    "cut in the header": GOOD[:20],
    "cut in the data": GOOD[:-1],
    "a byte too many": GOOD + b"\0",
    "a header longer than the file": struct.pack("<Q", 1 << 60) + GOOD[8:],
    "a header of 2^64 - 1": b"\xff" * 8 + GOOD[8:],
    "no JSON": with_header("{w"),
    "unknown type": with_header('{"w":{"dtype":"F99","shape":[32],"data_offsets":[0,128]}}'),
    "wrong shape": with_header('{"w":{"dtype":"F32","shape":[33],"data_offsets":[0,128]}}'),
    "huge shape": with_header(
        '{"w":{"dtype":"F32","shape":[4294967296,4294967296,16],"data_offsets":[0,128]}}'),
    "negative shape": with_header('{"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,128]}}'),
    "backward offsets": with_header('{"w":{"dtype":"F32","shape":[32],"data_offsets":[128,0]}}'),
    "offsets beyond": with_header('{"w":{"dtype":"F32","shape":[32],"data_offsets":[64,192]}}'),
}


class usage_test(command_case):
    def setUp(self):
        super().setUp()
        self.good = "good.safetensors"
        with open(self.path(self.good), "wb") as file:
            file.write(GOOD)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def test_bad_files_are_refused_by_every_command_that_reads(self):
        for what, content in BAD_FILES.items():
            bad = self.write("bad.safetensors", content)
            for words in (("quantize", bad, "-o", "out.safetensors"), ("decompose", bad),
                          ("dequantize", bad, "-o", "out.npy"),
                          ("dot", bad, "--model", "ampere.mma.bf16.f32"),
                          ("gemm", bad, self.good, "--model", "exact.rne", "-o",
                           "out.safetensors"),
                          ("verify", bad, "--gemm", self.good, self.good),
                          ("verify", self.good, "--gemm", self.good, bad)):
                with self.subTest(what=what, command=words[0]):
                    self.assert_refused(*words, naming=[bad])

    def test_missing_and_strange_inputs(self):
        os.mkdir(self.path("folder.npy"))
        self.write("x.txt", GOOD)
        for name in ("missing.safetensors", "missing.npy", "folder.npy", "x.txt"):
            for words in (("quantize", name, "-o", "out.safetensors"), ("decompose", name)):
                with self.subTest(name=name, command=words[0]):
                    self.assert_refused(*words, naming=[name])

    def test_types_that_cannot_be_quantized(self):
        for dtype, code, remedy in (("F64", "d", "convert it to F32"), ("I32", "i", "F16"),
                                    ("U8", "B", "F16")):
            content = struct.pack(f"<32{code}", *range(32))
            tensor_files.write_safetensors(self.path("t.safetensors"),
                                           {"counter": (dtype, [32], content)})
            for words in (("quantize", "t.safetensors", "-o", "out.safetensors"),
                          ("decompose", "t.safetensors")):
                with self.subTest(dtype=dtype, command=words[0]):
                    self.assert_refused(*words, naming=["t.safetensors", "counter", dtype, remedy])

    def test_names_that_do_not_exist_get_the_nearest_or_a_list(self):
        table = [("--format", "mxpf4", "did you mean `mxfp4`"), ("--format", "x", "mxfp4 mxfp6"),
                 ("--format", "", "mxfp4"), ("--format", "e2m1:e8m0", "ELEMENT:SCALE:BLOCK"),
                 ("--format", "e2m1:e8m17:32", "e8m16"), ("--format", "e9m1:e8m0:32", "of 3 to 8 bits"),
                 ("--format", "e2m1:e8m0:0", "elements"), ("--format", "e2m1:e8m0:32:all", "row"),
                 ("--format", "e2m1:e8m0:99999999999", "block such as"),
                 ("--format", "mxfp4+", "correction"), ("--format", "mxfp4+mbz=128", "mbs"),
                 ("--scale-rule", "flor", "did you mean `floor`"),
                 ("--scale-rule", "", "floor ceil"), ("--scale-rule", "4over6-mse", "4over6"),
                 ("--rounding", "nearest-evn", "did you mean `nearest-even`"),
                 ("--byte-map", "te", "te-soft"), ("--random-bits", "0", "--random-bits"),
                 ("--random-bits", "25", "--random-bits"),
                 ("--variant", "torchao.rceill", "did you mean `torchao.rceil`"),
                 ("--variant", "", "torchao.floor")]
        for option, name, told in table:
            for words in (("quantize", self.good, "-o", "out.safetensors"),
                          ("decompose", self.good), ("explain", "1")):
                with self.subTest(option=option, name=name, command=words[0]):
                    self.assert_refused(*words, option, name, naming=[option, told])
        for option, name, told in (("--layout", "128x", "did you mean `128x4`"),
                                   ("--layout", "?", "linear 128x4"),
                                   ("--packing", "tight", "packed unpacked high-first split-half dense")):
            self.assert_refused("quantize", self.good, "-o", "out.safetensors", option, name,
                                naming=[option, told])

    def test_formats_that_cannot_be_quantized_or_stored(self):
        table = [("e2m1:exact:32", "decompose"), ("e2m1:fp32:16:tensor", "8 fraction bits"),
                 ("e2m1:e8m0:2000x2000", "1048576"), ("e2m1:ue4m3:16x16:row", "tensor")]
        for name, told in table:
            self.assert_refused("quantize", self.good, "-o", "out.safetensors", "--format", name,
                                naming=[name, told])
            if "exact" not in name:
                self.assert_refused("explain", "1", "--format", name, naming=[name, told])
                self.assert_refused("formats", name, naming=[name, told])
        self.assert_refused("explain", "1", "--format", "mxfp8-e4m3", "--scale-rule", "static-4",
                            naming=["e2m1"])
        self.assert_refused("explain", "1", "--format", "e2m1:e8m0:300", "--scale-rule", "quest",
                            naming=["256"])

    def test_format_files_that_are_wrong(self):
        self.assert_refused("explain", "1", "--format", "@nowhere.toml", naming=["nowhere.toml"])
        table = {"elment = 'e2m1'": "elment", "scale = 'e8m0'": "element",
                 "element = 4": "element", "element = 'e2m1'\nblock = 1.5": "block",
                 "element = 'e2m1'\nrandom_bits = 25": "random_bits",
                 "element = 'e2m1'\nseed = -1": "seed", "element = ": "f.toml:1",
                 "element = 'e2m1'\nscale_rule = 'flor'": "did you mean `floor`",
                 "element = 'e2m1'\n[more]": "more", "element = 'e2m1'\nscale = 'e9'": "e9"}
        for text, told in table.items():
            self.write("f.toml", text.encode())
            with self.subTest(text=text):
                self.assert_refused("quantize", self.good, "-o", "out.safetensors", "--format",
                                    "@f.toml", naming=[told, "f.toml"])

    def test_refusals_of_a_format_file_name_it(self):
        table = {"element = 'e2m9'": "the format", "element = 'e2m1'\nrounding = 'up'": "'rounding'",
                 "element = 'e2m1'\nscale_rule = 'flor'": "'scale_rule'",
                 "element = 'e2m1'\nbyte_map = 'x'": "'byte_map'",
                 "element = 'e2m1'\ncorrections = 'mbs=1'": "macro block",
                 "element = 'e4m3'\nscale_rule = 'static-4'": "e2m1",
                 "element = 'e2m1'\nblock = '16x16'\ncorrections = 'double'": "+double"}
        for text, told in table.items():
            self.write("f.toml", text.encode())
            with self.subTest(text=text):
                self.assert_refused("explain", "1", "--format", "@f.toml",
                                    naming=["error: f.toml: ", told])
        self.write("f.toml", b"element = 'e2m1'\nscale_rule = 'rceil'")
        self.assert_refused("explain", "1", "--format", "@f.toml", "--scale-rule", "flor",
                            naming=["error: --scale-rule: "])
        self.assert_refused("explain", "1", "--format", "@f.toml", "--variant", "torchao.rceil",
                            naming=["error: f.toml: "])

    def test_commands_that_this_version_does_not_have(self):
        for name in ("sweeps", "nothing"):
            with self.subTest(name=name):
                self.assert_refused(name, naming=[name, "formats explain quantize"])

    def test_misspelled_options_get_the_one_that_was_meant(self):
        for words, means in (
                (("gemm", "x.npy", "x.npy", "--modell", "exact.rne"), "`--model`"),
                (("quantize", "x.npy", "--ouput=y.safetensors"), "`--output`"),
                (("probe", "make", "--fromat", "mxfp4"), "`--format`"),
                (("gemm", "x.npy", "x.npy", "--order", "row-major"), "`--split-order`, `--a-order`"),
                (("quantize", "x.npy", "--zzzzzzzzz"), "`--zzzzzzzzz`; (--help")):
            self.assert_refused(*words, naming=[means])

    def test_benches_that_this_version_does_not_have(self):
        self.assert_refused("bench", "cuda.quantize.mxpf4",
                            naming=["cuda.quantize.mxpf4", "`cuda.quantize.mxfp4`"])
        self.assert_refused("bench", "nothing", naming=["`nothing`", "bench --help"])

    def test_figures_of_a_build_for_tests_say_that_they_are(self):
        def bench(*form):
            done = subprocess.run([PROGRAM, "bench", "dot.hopper.wgmma.e4m3.f32", *form],
                                  capture_output=True, encoding="utf-8", check=True,
                                  timeout=120 * self.patience())
            return done.stdout
        machine = json.loads(bench("--json"))["machine"]
        built_for = "tests" if os.environ.get("MX_COLD_OPTIMIZATION") else "speed"
        self.assertEqual(set(machine), {"processor", "threads", "instruction_set", "optimized_for"})
        self.assertEqual(machine["optimized_for"], built_for)
        lines = bench().splitlines()
        self.assertEqual(lines[0], f"{machine['processor']}, {machine['instruction_set']}")
        self.assertEqual("optimized for tests" in lines[1], built_for == "tests")
        self.assertEqual(any("cmake --preset release" in line for line in lines),
                         built_for == "tests")

    def test_benches_of_a_device_say_what_is_missing(self):
        for name in ("cuda.quantize.mxfp4", "cuda.quantize.mxfp4.fp32", "cuda.decompose.mxfp4",
                     "cuda.gemm.fp32.sequential", "cuda.gemm.blackwell.mxf4",
                     "cuda.gemm.blackwell.mxf4.spread"):
            with self.subTest(name=name), hidden_devices():
                told = "CUDA device" if has_kernels() else "./bootstrap --cuda"
                self.assert_refused("bench", name, naming=[name, "cannot be measured", told])
                self.assert_refused("bench", name, "--json", naming=[name, told])

    def test_numbers_out_of_range(self):
        for words, told in ((("cost", "s.toml", "--network", "0"), "a number above 0, not 0"),
                            (("cost", "s.toml", "--network", "inf"), "a finite number, not inf"),
                            (("cost", "s.toml", "--network", "nan"), "a finite number, not nan"),
                            (("score", "--timeout", "nan", "--", "true"), "a finite number, not nan"),
                            (("score", "--timeout", "1e9", "--", "true"), "not in range 0.01"),
                            (("cost", "s.toml", "--network", "-2"), "a number above 0, not -2"),
                            (("explain", "1", "--seed", "-1"), "from 0 to 18446744073709551615, not -1"),
                            (("explain", "1", "--random-bits", "-1"), "Value -1 not in range"),
                            (("train", "s.toml", "-o", "o", "--threads", "4097"), "0 to 4096"),
                            (("train", "s.toml", "-o", "o", "--keep-last", "0"), "1 to 1000")):
            self.assert_refused(*words, naming=[words[-2], told])

    def test_whole_numbers_are_decimal_and_fit(self):
        for words in (("explain", "1", "--seed"), ("explain", "1", "--random-bits"),
                      ("dot", "w", "--steps"),
                      ("train", "s.toml", "-o", "o", "--seed"),
                      ("train", "s.toml", "-o", "o", "--threads"),
                      ("cost", "s.toml", "--ranks"), ("probe", "make", "-o", "p", "--k"),
                      ("quantize", self.good, "-o", "out.safetensors", "--axis")):
            for number in ("010", "08", "0x10", "-01", "00"):
                with self.subTest(words=words, number=number):
                    self.assert_refused(*words, number, naming=[
                        words[-1], f"a whole number without leading zeros, in decimal, not {number}"])
        for words in (("sweep", "s.toml", "-o", "o", "--shard", "01/2"),
                      ("probe", "make", "-o", "p.safetensors", "--shape", "0128,128")):
            self.assert_refused(*words)
        for number in ("9223372036854775808", "18446744073709551615", "18446744073709551616"):
            self.assert_refused("train", "s.toml", "-o", "o", "--seed", number,
                                naming=["--seed", "to 9223372036854775807, not " + number])
        self.assert_refused("explain", "1", "--seed", "18446744073709551616",
                            naming=["--seed", "to 18446744073709551615, not 18446744073709551616"])
        self.run_command("explain", "1", "--seed", "18446744073709551615")

    def test_an_empty_value_is_no_absent_option(self):
        for words, expected in (
                (("train", "s.toml", "-o", "o", "--arms", ""), "expected A,B,..."),
                (("sweep", "s.toml", "-o", "o", "--shard", ""), "expected I/N"),
                (("repro", "s.toml", "-o", "o", "--shard", ""), "expected I/N"),
                (("verify", self.good, "--input", self.good, "--junit", ""), "expected FILE.xml"),
                (("verify", self.good, "--input", self.good, "--report", ""), "expected FILE.html"),
                (("verify", self.good, "--input", self.good, "--repro", ""), "expected DIR"),
                (("verify", self.good, "--input", ""), "expected IN"),
                (("decompose", self.good, "--report", ""), "expected FILE.html"),
                (("quantize", self.good, "-o", "out.safetensors", "--tensors", ""),
                 "expected PATTERN"),
                (("assess", "m", "--study", "s", "--prompts", "p", "-o", "o", "--arms", ""),
                 "expected A,B,...")):
            with self.subTest(words=words):
                self.assert_refused(*words, naming=[words[-2], expected + ", not an empty word"])

    def test_an_output_that_is_an_input_is_refused(self):
        os.link(self.path(self.good), self.path("second.safetensors"))
        os.symlink(self.good, self.path("link.safetensors"))
        self.run_command("quantize", self.good, "-o", "codes.safetensors")
        for words in (("quantize", self.good), ("gemm", self.good, "codes.safetensors", "--model", "exact.rne"),
                      ("gemm", "codes.safetensors", self.good, "--model", "exact.rne")):
            for out in (self.good, "./" + self.good, "second.safetensors", "link.safetensors"):
                with self.subTest(words=words, out=out):
                    self.assert_refused(*words, "-o", out, naming=[
                        f"{out}: is read", "name another file to write"])
        self.assert_refused("dequantize", "codes.safetensors", "-o", "codes.safetensors",
                            naming=["codes.safetensors: is read"])
        self.assert_refused("gemm", "codes.safetensors", "codes.safetensors", "--model", "exact.rne",
                            "--c", self.good, "-o", self.good, naming=["is read"])
        self.assert_refused("dot", self.good, "--model", "exact.rne", "-o", self.good,
                            naming=["is read"])

    def test_options_of_another_subject_of_a_probe(self):
        for words, stray in (
                (("probe", "make", "-o", "p.safetensors", "--k", "128"), "--k"),
                (("probe", "make", "-o", "p.safetensors", "--result", "f32"), "--result"),
                (("probe", "make", "--gemm", "-o", "p", "--dtype", "f32"), "--dtype"),
                (("probe", "read", self.good, "--model", "exact.rne", "--alpha", "3", "--split-k",
                  "9"), "--model, --alpha, --split-k"),
                (("probe", "read", self.good, "--gemm", self.good, self.good, "--dtype", "f32",
                  "--shape", "8,8"), "--dtype, --shape")):
            with self.subTest(words=words):
                self.assert_refused(*words, naming=[stray + ": for ", "leave "])

    def test_bad_usage(self):
        for words in ((), ("quantize",), ("quantize", self.good), ("--nothing",), ("explain",),
                      ("formats", "stray"), ("quantize", self.good, "-o"),
                      ("quantize", self.good, "-o", "out.safetensors", "--axis", "two"),
                      ("quantize", self.good, "-o", "out.safetensors", "--seed", "-1"),
                      ("quantize", self.good, "-o", "out.safetensors", "--nothing"),
                      ("quantize", self.good, "-o", "out.safetensors", "--axis", "99999999999"),
                      ("quantize", self.good, "-o", "out.safetensors", "--random-bits", "x"),
                      ("formats", "mxfp4", "stray"),
                      ("explain", "1.5x"), ("explain", ""), ("explain", *["1"] * 33)):
            with self.subTest(words=words):
                self.assert_refused(*words)

    def test_axes_that_do_not_exist(self):
        for axis in ("2", "-3", "99"):
            for words in (("quantize", self.good, "-o", "out.safetensors"),
                          ("decompose", self.good)):
                self.assert_refused(*words, "--axis", axis, naming=["w", "[1, 32]"])

    def test_outputs_that_cannot_be_written(self):
        os.mkdir(self.path("folder.safetensors"))
        for out in ("no/such/folder/out.safetensors", "out.txt", "out", "folder.safetensors"):
            with self.subTest(out=out):
                self.assert_refused("quantize", self.good, "-o", out, naming=[out])
        self.assert_refused("quantize", self.good, "-o", "out.npy", naming=[".safetensors"])
        self.assert_refused("decompose", self.good, "--report", "no/such/out.html")
        self.assert_refused("explain", "1", "--save", "no/such/out.npy")

    def test_a_full_disk_behind_standard_output_is_an_error(self):
        if not pathlib.Path("/dev/full").is_char_device():
            self.skipTest("SKIPPED: output to a full disk, because /dev/full is no device")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "formats"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, 2)

    def test_coded_files_that_do_not_fit(self):
        codes, scales = ("U8", [1, 16], bytes(16)), ("U8", [1, 1], bytes(1))
        table = {
            "scales missing": ({"codes": codes}, None),
            "codes missing": ({"w.scales": scales}, None),
            "a stray tensor": ({"codes": codes, "scales": scales, "bias": scales}, None),
            "too few codes": ({"codes": ("U8", [1, 15], bytes(15)), "scales": scales}, None),
            "another shape": ({"codes": ("U8", [2, 8], bytes(16)), "scales": scales}, None),
            "wrong type": ({"codes": codes, "scales": ("I8", [1, 1], bytes(1))}, None),
            "no axis": ({"codes": codes, "scales": ("U8", [], bytes(1))}, None),
            "wide codes": ({"codes": ("U8", [1, 32], b"\x10" * 32), "scales": scales}, None),
            "format": ({"codes": codes, "scales": scales}, {"format": "nvfp4"}),
            "layout": ({"codes": codes, "scales": scales}, {"layout": "128x4"}),
            "unknown layout": ({"codes": codes, "scales": scales}, {"layout": "128x5"}),
            "a stray tensor scale": ({"codes": codes, "scales": scales,
                                      "tensor_scale": ("F32", [1], bytes(4))}, None),
            "packing": ({"codes": codes, "scales": scales}, {"packing": "high"}),
            "axis": ({"codes": codes, "scales": scales}, {"axis": "2"}),
            "axis in words": ({"codes": codes, "scales": scales}, {"axis": "last"}),
            "shape": ({"codes": codes, "scales": scales}, {"shape": "[1, 33]"}),
            "huge shape": ({"codes": codes, "scales": scales},
                           {"shape": "[18446744073709551615, 18446744073709551615]"}),
            "shape in words": ({"codes": codes, "scales": scales}, {"shape": "1x32"}),
            "deep shape": ({"codes": codes, "scales": scales}, {"shape": "[" * 5000}),
        }
        for what, (tensors, notes) in table.items():
            tensor_files.write_safetensors(self.path("c.safetensors"), tensors, notes)
            with self.subTest(what=what):
                self.assert_refused("dequantize", "c.safetensors", "-o", "y.npy",
                                    naming=["c.safetensors"])
        tensor_files.write_safetensors(
            self.path("two.safetensors"),
            {"a.codes": codes, "a.scales": scales, "b.codes": codes, "b.scales": scales})
        self.assert_refused("dequantize", "two.safetensors", "-o", "y.npy", naming=[".safetensors"])

    def test_shapes_with_zeros_and_huge_extents(self):
        for shape in ([0], [0, 0], [1 << 40, 0], [0, 1 << 40], [1 << 40, 1 << 40, 0],
                      [3, 0, 1 << 50]):
            tensor_files.write_safetensors(self.path("e.safetensors"), {"w": ("F32", shape, b"")})
            corrected = ("mxfp4+mbs=64+of=1",) if shape[-1] <= 1 << 30 else ()
            for name in ("mxfp4", "nvfp4", "fp8-1x128", *corrected):
                with self.subTest(shape=shape, format=name):
                    told = self.run_json("quantize", "e.safetensors", "-o", "c.safetensors",
                                         "--format", name)
                    self.assertEqual(told["tensors"][0]["blocks"], 0)
                    if max(shape) <= 1 << 48:
                        self.run_command("dequantize", "c.safetensors", "-o", "y.safetensors")
                        got, _ = tensor_files.read_safetensors(self.path("y.safetensors"))
                        self.assertEqual(got["x"], ("F32", shape, b""))
        if self.is_sanitized():
            return  # AddressSanitizer ends a program that asks for so much memory.
        tensor_files.write_safetensors(self.path("e.safetensors"),
                                       {"w": ("F32", [1 << 40, 0], b"")})
        self.assert_refused("quantize", "e.safetensors", "-o", "d.safetensors", "--format",
                            "e2m1:ue4m3:16:row", naming=["memory"])

    def test_report_needs_a_run_folder(self):
        self.assert_refused("report", "nowhere", naming=["nowhere"])
        shutil.copy(os.path.join(SOURCES, "sim/studies/default.toml"), self.path("study.toml"))
        self.write("metrics.jsonl", b'{"phase": "train", "arm": "fp32"')
        self.assert_refused("report", ".", naming=["metrics.jsonl"])

    def test_failure_leaves_an_older_output_as_it_was(self):
        self.write("out.safetensors", b"older")
        bad = self.write("bad.safetensors", GOOD[:-1])
        self.assert_refused("quantize", bad, "-o", "out.safetensors")


if __name__ == "__main__":
    main()
