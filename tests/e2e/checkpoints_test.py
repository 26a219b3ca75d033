# SPDX-License-Identifier: Apache-2.0
# tests/e2e/checkpoints_test.py: checkpoints of other projects, identified by names and types: GGUF,
# gpt-oss, ModelOpt, compressed-tensors; pickles are refused.

import json
import os
import random
import struct
import subprocess
import time
import zipfile

import gguf_files
import tensor_files
from command_case import PROGRAM, command_case, main


def drawn(rows, columns, block, scale_bytes, seed):
    draw = random.Random(seed)
    codes = [draw.randrange(16) for _ in range(rows * columns)]
    scales = [draw.choice(scale_bytes) for _ in range(rows * columns // block)]
    return codes, scales


class checkpoint_case(command_case):
    def values_of(self, name, source, *words):
        summary = self.run_json("dequantize", source, "-o", "values.safetensors", *words)
        tensors, _ = tensor_files.read_safetensors(self.path("values.safetensors"))
        self.assertEqual(list(tensors), [t["name"] for t in summary["tensors"]])
        return summary, tensors[name][1], tensor_files.values_of(tensors[name])

    def mx(self, seed=1, rows=3, columns=64):
        codes, scales = drawn(rows, columns, 32, range(100, 150), seed)
        return codes, scales, gguf_files.values(codes, scales, 32, gguf_files.e8m0)

    def nv(self, above, seed=2, rows=2, columns=128):
        # Positive finite scales, and a number above them that is a power of two: products are exact.
        codes, scales = drawn(rows, columns, 16, range(1, 127), seed)
        return codes, scales, gguf_files.values(codes, scales, 16, gguf_files.e4m3, above)


class gguf_test(checkpoint_case):
    def test_mxfp4_blocks(self):
        for version in (2, 3):
            codes, scales, expected = self.mx(version)
            gguf_files.write(self.path("m.gguf"), {
                "norm": ("F32", [2], struct.pack("<2f", 1, 2)),
                "b.weight": ("MXFP4", [3, 64], gguf_files.blocks(codes, scales, 32, 32)),
                "q.weight": ("Q8_0", [1, 32], bytes(34))}, version)
            summary, shape, values = self.values_of("b.weight", "m.gguf")
            self.assertEqual(summary["format"], "mxfp4")
            self.assertEqual(summary["left_out"], ["norm", "q.weight"])
            self.assertEqual(shape, [3, 64])
            self.assertEqual(values, expected)

    def test_nvfp4_blocks_with_and_without_a_scale(self):
        for above in (1.0, 0.25):
            codes, scales, expected = self.nv(above)
            tensors = {"b.weight": ("NVFP4", [2, 128], gguf_files.blocks(codes, scales, 64, 16))}
            if above != 1.0:
                tensors["b.scale"] = ("F32", [1], struct.pack("<f", above))
            gguf_files.write(self.path("m.gguf"), tensors)
            summary, shape, values = self.values_of("b.weight", "m.gguf")
            self.assertEqual(summary["format"], "nvfp4")
            self.assertNotIn("left_out", summary)
            self.assertEqual(shape, [2, 128])
            self.assertEqual(values, expected)

    def test_nvfp4_blocks_are_decoded_as_ggml_does(self):
        # ggml has no NaN among the scales and no -0 among the codes, and multiplies by b.scale later.
        codes, scales, expected = self.nv(1.0)
        scales[3] = 0x7F
        expected[48:64] = [0.0] * 16
        content = gguf_files.blocks(codes, scales, 64, 16)
        beside = {"b.scale": ("F32", [1], struct.pack("<f", 0.25))}
        for stored in ({}, {"b.scale": ("F32", [1], struct.pack("<f", 1.0))}):
            gguf_files.write(self.path("m.gguf"),
                             {"b.weight": ("NVFP4", [2, 128], content), **stored})
            _, _, values = self.values_of("b.weight", "m.gguf", "--variant", "ggml.nvfp4")
            self.assertEqual(values, expected)
            self.assertNotIn("-0.0", map(str, values[:48] + values[64:]))
        gguf_files.write(self.path("m.gguf"), {"b.weight": ("NVFP4", [2, 128], content), **beside})
        for words in (("--variant", "ggml.nvfp4"), ("--format", "e2m1:ue4m3:16")):
            self.assert_refused("dequantize", "m.gguf", "-o", "o.safetensors", *words,
                                naming=["m.gguf", "'b.weight'", "tensor scale 0.25",
                                        "--format nvfp4 without --variant"])

    def test_a_format_without_a_tensor_scale_reads_nvfp4_blocks_that_have_none_beside(self):
        codes, scales, expected = self.nv(1.0)
        gguf_files.write(self.path("m.gguf"), {
            "b.weight": ("NVFP4", [2, 128], gguf_files.blocks(codes, scales, 64, 16))})
        _, _, values = self.values_of("b.weight", "m.gguf", "--format", "e2m1:ue4m3:16")
        self.assertEqual(values, expected)

    def test_mxfp4_blocks_decoded_as_ggml_does_hold_no_minus_zero(self):
        codes, scales, expected = self.mx()
        self.assertIn(8, codes)
        gguf_files.write(self.path("m.gguf"), {
            "b.weight": ("MXFP4", [3, 64], gguf_files.blocks(codes, scales, 32, 32))})
        _, _, values = self.values_of("b.weight", "m.gguf", "--variant", "ggml.mxfp4")
        self.assertEqual(values, expected)
        self.assertNotIn("-0.0", map(str, values))
        _, _, values = self.values_of("b.weight", "m.gguf")
        self.assertIn("-0.0", map(str, values))

    def test_numbers_are_quantized_like_those_of_other_files(self):
        numbers = [(-1) ** i * (i + 0.37) / 7 for i in range(96)]
        data = struct.pack("<96f", *numbers)
        tensor_files.write_safetensors(self.path("x.safetensors"), {"x": ("F32", [3, 32], data)})
        gguf_files.write(self.path("x.gguf"), {"x": ("F32", [3, 32], data)})
        for source in ("x.safetensors", "x.gguf"):
            self.run_command("quantize", source, "-o", source + ".out.safetensors")
        with open(self.path("x.gguf.out.safetensors"), "rb") as one, \
                open(self.path("x.safetensors.out.safetensors"), "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(self.run_json("decompose", "x.gguf"),
                         self.run_json("decompose", "x.safetensors"))

    def test_blocks_of_integers_are_numbers(self):
        draw = random.Random(5)
        codes = [draw.randrange(16) for _ in range(64)]
        factors, offsets = (0.125, -3.0), (1.5, -0.25)
        numbers = [codes[i] * factors[i // 32] + offsets[i // 32] for i in range(64)]
        data = b""
        for first in (0, 32):
            data += struct.pack("<2e", factors[first // 32], offsets[first // 32])
            data += bytes(codes[first + j] | codes[first + 16 + j] << 4 for j in range(16))
        gguf_files.write(self.path("q.gguf"), {"x": ("Q4_1", [2, 32], data)})
        tensor_files.write_safetensors(
            self.path("x.safetensors"), {"x": ("F32", [2, 32], struct.pack("<64f", *numbers))})
        for source in ("q.gguf", "x.safetensors"):
            self.run_command("quantize", source, "-o", source + ".out.safetensors")
        with open(self.path("q.gguf.out.safetensors"), "rb") as one, \
                open(self.path("x.safetensors.out.safetensors"), "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(self.run_json("decompose", "q.gguf"),
                         self.run_json("decompose", "x.safetensors"))

    def test_a_product_takes_blocks(self):
        codes, scales, _ = self.mx(3, 4, 64)
        gguf_files.write(self.path("b.gguf"), {
            "w": ("MXFP4", [4, 64], gguf_files.blocks(codes, scales, 32, 32))})
        tensor_files.write_safetensors(self.path("b.safetensors"), {
            "codes": ("U8", [4, 32], gguf_files.packed(codes)),
            "scales": ("U8", [4, 2], bytes(scales))})
        for source in ("b.gguf", "b.safetensors"):
            self.run_command("gemm", "b.safetensors", source, "--model", "fp32.sequential",
                             "--format", "mxfp4", "-o", source + ".d.safetensors")
        self.assertEqual(tensor_files.read_safetensors(self.path("b.gguf.d.safetensors"))[0],
                         tensor_files.read_safetensors(self.path("b.safetensors.d.safetensors"))[0])

    def test_what_cannot_be_read_is_named(self):
        gguf_files.write(self.path("q.gguf"), {"q": ("Q6_K", [1, 256], bytes(210))})
        for words in (("quantize", "q.gguf", "-o", "o.safetensors"), ("decompose", "q.gguf"),
                      ("dequantize", "q.gguf", "-o", "o.safetensors")):
            self.assert_refused(*words, naming=["q.gguf", "'q'", "Q6_K", "expected F32"])
        codes, scales, _ = self.mx()
        gguf_files.write(self.path("m.gguf"), {
            "m": ("MXFP4", [3, 64], gguf_files.blocks(codes, scales, 32, 32))})
        self.assert_refused("quantize", "m.gguf", "-o", "o.safetensors",
                            naming=["m.gguf", "'m'", "MXFP4", "expected F32"])


class model_folder_test(checkpoint_case):
    def write_model(self):
        tensors = {name: ("F32", [1, 32], struct.pack("<32f", *(k + i / 7 for i in range(32))))
                   for k, name in enumerate(("a", "b", "c"))}
        os.mkdir(self.path("model"))
        tensor_files.write_safetensors(self.path("all.safetensors"), tensors)
        shards = {"a": "1.safetensors", "b": "1.safetensors", "c": "2.safetensors"}
        for shard in sorted(set(shards.values())):
            tensor_files.write_safetensors(self.path(f"model/{shard}"),
                                           {n: tensors[n] for n in tensors if shards[n] == shard})
        with open(self.path("model/model.safetensors.index.json"), "w") as file:
            json.dump({"metadata": {"total_size": 384}, "weight_map": shards}, file)

    def test_its_shards_are_one_file(self):
        self.write_model()
        expected = self.run_json("decompose", "all.safetensors")
        for source in ("model", "model/model.safetensors.index.json"):
            self.assertEqual(self.run_json("decompose", source), expected)

    def test_a_missing_shard_is_named_and_nothing_is_written(self):
        self.write_model()
        os.remove(self.path("model/2.safetensors"))
        self.assert_refused("quantize", "model", "-o", "o.safetensors",
                            naming=["index.json", "'2.safetensors'", "is missing"])


class safetensors_test(checkpoint_case):
    def test_gpt_oss(self):
        codes, scales, expected = self.mx(4, 6, 96)
        tensor_files.write_safetensors(self.path("g.safetensors"), {
            "mlp.up_proj_bias": ("BF16", [2, 3], bytes(12)),
            "mlp.up_proj_blocks": ("U8", [2, 3, 3, 16], gguf_files.packed(codes)),
            "mlp.up_proj_scales": ("U8", [2, 3, 3], bytes(scales))}, {"format": "pt"})
        summary, shape, values = self.values_of("mlp.up_proj", "g.safetensors")
        self.assertEqual(summary["left_out"], ["mlp.up_proj_bias"])
        self.assertEqual(shape, [2, 3, 96])
        self.assertEqual(values, expected)

    def test_modelopt_multiplies_and_compressed_tensors_divide(self):
        codes, scales, expected = self.nv(0.125)
        for names, number in (
                (("l.weight", "l.weight_scale", "l.weight_scale_2"), 0.125),
                (("l.weight_packed", "l.weight_scale", "l.weight_global_scale"), 8.0)):
            tensor_files.write_safetensors(self.path("n.safetensors"), {
                names[0]: ("U8", [2, 64], gguf_files.packed(codes)),
                names[1]: ("F8_E4M3", [2, 8], bytes(scales)),
                names[2]: ("F32", [1], struct.pack("<f", number))})
            summary, shape, values = self.values_of("l.weight", "n.safetensors")
            self.assertEqual(summary["format"], "nvfp4")
            self.assertEqual(shape, [2, 128])
            self.assertEqual(values, expected)

    def test_typed_codes(self):
        codes, scales, expected = self.mx()
        tensor_files.write_safetensors(self.path("t.safetensors"), {
            "a.weight": ("F4", [3, 64], gguf_files.packed(codes)),
            "a.weight_scale": ("F8_E8M0", [3, 2], bytes(scales))})
        self.assertEqual(self.values_of("a.weight", "t.safetensors")[2], expected)
        tensor_files.write_safetensors(self.path("t.safetensors"), {
            "a.weight": ("F8_E4M3", [1, 64], bytes([0x38] * 32 + [0xC0] * 32)),
            "a.weight_scale": ("U8", [1, 2], bytes([127, 130]))})
        summary, _, values = self.values_of("a.weight", "t.safetensors")
        self.assertEqual(summary["format"], "mxfp8-e4m3")
        self.assertEqual(values, [1.0] * 32 + [-16.0] * 32)

    def test_text_tells_what_is_left_out(self):
        codes, scales, _ = self.mx()
        tensor_files.write_safetensors(self.path("g.safetensors"), {
            "bias": ("BF16", [2, 3], bytes(12)),
            "w_blocks": ("U8", [3, 2, 16], gguf_files.packed(codes)),
            "w_scales": ("U8", [3, 2], bytes(scales))})
        done = self.run_command("dequantize", "g.safetensors", "-o", "v.safetensors")
        self.assertIn("left out, as they hold no codes: 1 tensor\n", done.stdout)

    def test_two_formats_and_wrong_shapes_are_refused(self):
        codes, scales, _ = self.mx()
        pair = {"w_blocks": ("U8", [3, 2, 16], gguf_files.packed(codes)),
                "w_scales": ("U8", [3, 2], bytes(scales))}
        mixed = dict(pair, **{
            "l.weight": ("F8_E4M3", [1, 32], bytes(32)), "l.weight_scale": ("U8", [1, 1], b"\x7f")})
        tensor_files.write_safetensors(self.path("m.safetensors"), mixed)
        self.assert_refused("dequantize", "m.safetensors", "-o", "v.safetensors",
                            naming=["'l.weight'", "mxfp8-e4m3", "mxfp4", "split it"])
        pair["w_scales"] = ("U8", [6], bytes(scales))
        tensor_files.write_safetensors(self.path("m.safetensors"), pair)
        self.assert_refused("dequantize", "m.safetensors", "-o", "v.safetensors",
                            naming=["'w_blocks'", "[3, 2, 16]", "needs [6, 16]"])


class refused_files_test(command_case):
    def test_pickles_by_name_and_by_contents(self):
        with zipfile.ZipFile(self.path("model.pt"), "w") as archive:
            archive.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
        os.link(self.path("model.pt"), self.path("model.safetensors"))
        with open(self.path("old.npy"), "wb") as file:
            file.write(b"\x80\x02}q\x00.")
        for source in ("model.pt", "model.safetensors", "old.npy"):
            self.assert_refused("quantize", source, "-o", "o.safetensors",
                                naming=[source, "Python pickle", "never read", ".safetensors"])

    def test_a_file_that_shrinks_ends_the_command_as_other_bad_input_does(self):
        # A sparse file, which takes no disk blocks and seconds to read.
        source, count = self.path("x.npy"), 1 << 30
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
        with open(source, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
            file.truncate(128 + 4 * count)
        with subprocess.Popen([PROGRAM, "decompose", source], stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE, encoding="utf-8") as command:
            while command.poll() is None and not self.has_mapped(command.pid, source):
                time.sleep(0.0005)
            os.truncate(source, 4096)
            output, errors = command.communicate(timeout=100)
        self.assertEqual(command.returncode, 2, errors)
        self.assertEqual(output, "")
        self.assertEqual(errors, "mxprism: error: a file became shorter while it was read; run again "
                         "once it is no longer being written\n")
        self.assertEqual(os.listdir(self.folder), ["x.npy"])

    def has_mapped(self, process, path):
        with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
            return path in maps.read()


if __name__ == "__main__":
    main()
