# SPDX-License-Identifier: Apache-2.0
# tests/e2e/empty_tensors_test.py: tensors without elements whose extents are too large to iterate
# over.

import tensor_files
from command_case import command_case, main

GIANT = ([2**32, 0], [2**62, 0], [2**63 - 1, 0], [0, 2**62], [0, 2**62, 2], [2**62, 0, 2],
         [2**40, 2**40, 0])
WAYS = ([], ["--format", "nvfp4"], ["--packing", "high-first"], ["--packing", "unpacked"],
        ["--variant", "torchao.rceil"], ["--variant", "triton.v0.up"],
        ["--format", "mxfp4+mbs=128,8"], ["--format", "mxfp8-e4m3", "--scale-rule", "rceil"])


class empty_tensors_test(command_case):
    def put(self, shape):
        tensor_files.write_safetensors(self.path("x.safetensors"), {"x": ("F32", shape, b"")})

    def round_trip(self, shape, *words):
        """Quantizes, decodes and verifies, each without delay."""
        done = self.run_json("quantize", "x.safetensors", "-o", "k.safetensors", *words, timeout=20)
        self.assertEqual([t["blocks"] for t in done["tensors"]], [0])
        self.run_command("dequantize", "k.safetensors", "-o", "out.safetensors", timeout=20)
        tensors, _ = tensor_files.read_safetensors(self.path("out.safetensors"))
        self.assertEqual(tensors["x"], ("F32", list(shape), b""))
        result = self.run_json("verify", "k.safetensors", "--input", "x.safetensors", timeout=20)
        self.assertEqual(result["verdict"], "exact")

    def test_along_every_axis(self):
        for shape in GIANT:
            for axis in range(len(shape)):
                self.put(shape)
                with self.subTest(shape=shape, axis=axis):
                    self.round_trip(shape, "--axis", str(axis))

    def test_in_every_way(self):
        for shape in GIANT:
            for words in WAYS:
                if shape[-1] > 2**30 and "mxfp4+mbs=128,8" in words:
                    continue  # corrections bound the axis
                self.put(shape)
                with self.subTest(shape=shape, words=words):
                    self.round_trip(shape, *words)

    def test_measured(self):
        for shape in GIANT:
            for form in ("mxfp4", "nvfp4", "mxint8"):
                self.put(shape)
                with self.subTest(shape=shape, form=form):
                    result = self.run_json("decompose", "x.safetensors", "--format", form, timeout=20)
                    self.assertEqual(result["tensors"][0]["blocks"], 0)

    def test_layouts(self):
        for shape in ([2**32, 0], [2**40, 0], [0, 2**40], [2**40, 2**40, 0]):
            for layout in (entry["name"] for entry in self.run_json("formats")["layouts"]):
                self.put(shape)
                with self.subTest(shape=shape, layout=layout):
                    self.round_trip(shape, "--layout", layout)

    def test_scales_of_rows_that_cannot_be_held_are_refused(self):
        for shape in ([2**32, 0], [2**62, 2, 0]):
            self.put(shape)
            for command in (["quantize", "x.safetensors", "-o", "k.safetensors"],
                            ["decompose", "x.safetensors"]):
                self.assert_refused(*command, "--format", "e2m1:ue4m3:16:row",
                                    naming=["x.safetensors", "rows", "leave it out"])
        self.put([3, 0])
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", "--format",
                         "e2m1:ue4m3:16:row")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        self.assertEqual(tensors["tensor_scale"][1], [3, 1])


if __name__ == "__main__":
    main()
