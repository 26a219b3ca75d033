# SPDX-License-Identifier: Apache-2.0
# tests/e2e/vectors_test.py: packs match their manifest, in both forms, and their expected bits are
# those of exact fractions and of the command.

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
from fractions import Fraction

import blocks
import tensor_files
from command_case import PROGRAM, command_case, main

PACKS = ("ties", "nvfp4-ties", "scales", "specials", "decode", "layouts", "accumulators")
WIDTHS = {"U8": 1, "U16": 2, "BF16": 2, "U32": 4, "F32": 4}


def read_memory(text):
    """Words of a .mem file, as $readmemh reads them, and the width and count from its head."""
    declared = re.search(r"^// logic \[(\d+):0\] words \[0:(\d+)\];$", text, re.MULTILINE)
    words = re.sub(r"//[^\n]*", " ", text).split()
    return [int(word, 16) for word in words], int(declared[1]) + 1, int(declared[2]) + 1


def codes_of(words, width, along):
    """Codes of all rows, the first of a row in the lowest bits."""
    return [word >> (width * i) & ((1 << width) - 1) for word in words for i in range(along)]


def elements_of(tensor):
    dtype, _, data = tensor
    size = WIDTHS[dtype]
    return [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]


def nibbles_of(tensor):
    return [nibble for byte in tensor[2] for nibble in (byte & 15, byte >> 4)]


class vectors_test(command_case):
    @classmethod
    def setUpClass(cls):
        """All packs are written once; tests only read them."""
        cls.packs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.packs.cleanup)
        subprocess.run([PROGRAM, "vectors", "all", "-o", cls.packs.name], check=True,
                       capture_output=True)

    def pack(self, name):
        return os.path.join(self.packs.name, name)

    def manifest(self, name):
        with open(os.path.join(self.pack(name), "manifest.json"), encoding="utf-8") as file:
            return json.load(file)

    def tensors(self, name, file):
        return tensor_files.read_safetensors(os.path.join(self.pack(name), file + ".safetensors"))[0]

    def memory(self, name, file):
        with open(os.path.join(self.pack(name), file + ".mem"), encoding="ascii") as stream:
            return read_memory(stream.read())

    def test_packs_are_listed(self):
        result = self.run_json("vectors")["packs"]
        self.assertEqual(tuple(entry["name"] for entry in result), PACKS)
        text = self.run_command("vectors").stdout
        for entry in result:
            self.assertGreaterEqual(entry["version"], 1)
            self.assertIn(entry["name"], text)

    def test_manifests_hash_every_file_and_tell_every_row(self):
        for name in PACKS:
            with self.subTest(pack=name):
                manifest = self.manifest(name)
                listed = {entry["name"]: entry for entry in manifest["files"]}
                self.assertEqual(set(os.listdir(self.pack(name))), set(listed) | {"manifest.json"})
                for file, entry in listed.items():
                    with open(os.path.join(self.pack(name), file), "rb") as stream:
                        content = stream.read()
                    self.assertEqual(hashlib.sha256(content).hexdigest(), entry["sha256"])
                    self.assertEqual(len(content), entry["bytes"])
                    if "rows" in entry:
                        self.check_row_count(name, file, manifest["rows"][entry["rows"]])

    def check_row_count(self, name, file, sentences):
        self.assertTrue(all(sentences))
        if file.endswith(".mem"):
            words, _, count = self.memory(name, file[:-4])
            self.assertEqual((len(words), count), (len(sentences), len(sentences)), file)
            return
        for array, (_, shape, _) in self.tensors(name, file[:-12]).items():
            if array == "tensor_scale" or array.startswith(("a.scales.", "b.")):
                continue
            self.assertEqual(shape[0], len(sentences), (file, array))

    def test_memories_hold_what_the_tensors_hold(self):
        compared = 0
        for name in ("ties", "nvfp4-ties", "specials", "scales"):
            for file in sorted(os.listdir(self.pack(name))):
                if not file.endswith(".safetensors"):
                    continue
                compared += self.compare_with_memories(name, file[:-12])
        self.assertGreater(compared, 100)

    def compare_with_memories(self, name, stem):
        tensors = self.tensors(name, stem)
        if "x" in tensors:
            words, bits, _ = self.memory(name, stem[:-len(".input")] + ".x")
            width = 8 * WIDTHS[tensors["x"][0]]
            self.assertEqual(bits, width * tensors["x"][1][1])
            self.assertEqual(codes_of(words, width, bits // width), elements_of(tensors["x"]))
            return 1
        base = stem[:-len(".expected")]
        words, bits, count = self.memory(name, base + ".codes")
        halved = "e2m1" in base or "mxfp4" in base or name == "nvfp4-ties" or "nvfp4" in base
        halved = halved and "mxfp6" not in base and "mxfp8" not in base
        codes = (nibbles_of if halved else elements_of)(tensors["codes"])
        along = len(codes) // count
        self.assertEqual(codes_of(words, bits // along, along), codes, base)
        words, bits, _ = self.memory(name, base + ".scales")
        self.assertEqual((bits, words), (8, elements_of(tensors["scales"])))
        if "tensor_scale" in tensors:
            words, bits, _ = self.memory(name, base + ".tensor_scale")
            self.assertEqual((bits, words), (32, elements_of(tensors["tensor_scale"])))
        return 2

    def test_codes_of_six_bits_lie_close_together_in_memories(self):
        self.assertEqual(self.memory("ties", "mxfp6-e2m3.f32.floor.codes")[1], 6 * 32)

    def test_a_verilog_simulator_reads_the_same_words(self):
        if not shutil.which("iverilog"):
            self.skipTest("SKIPPED: iverilog is not installed")
        words, bits, count = self.memory("ties", "mxfp6-e2m3.f32.floor.codes")
        path = os.path.join(self.pack("ties"), "mxfp6-e2m3.f32.floor.codes.mem")
        with open(self.path("top.v"), "w", encoding="ascii") as file:
            file.write(f'module top; reg [{bits - 1}:0] m [0:{count - 1}]; integer i; initial begin\n'
                       f'$readmemh("{path}", m); for (i = 0; i < {count}; i = i + 1)\n'
                       '$display("%h", m[i]); end endmodule\n')
        subprocess.run(["iverilog", "-g2012", "-o", "top", "top.v"], cwd=self.folder, check=True)
        shown = subprocess.run(["vvp", "top"], cwd=self.folder, check=True, capture_output=True,
                               encoding="ascii").stdout
        self.assertEqual([int(line, 16) for line in shown.split()], words)

    def test_expected_bits_are_those_of_exact_fractions(self):
        for name in ("ties", "scales", "specials"):
            rules = ("floor",) if name == "specials" else ("floor", "rceil")
            x = tensor_files.values_of(self.tensors(name, "mxfp4.f32.input")["x"])
            for rule in rules:
                expected = self.tensors(name, f"mxfp4.f32.{rule}.expected")
                codes, scales = nibbles_of(expected["codes"]), expected["scales"][2]
                for row, scale in enumerate(scales):
                    block = slice(32 * row, 32 * row + 32)
                    self.assertEqual(blocks.quantize(x[block], rule), (scale, codes[block]),
                                     f"{name} {rule} row {row}")

    def test_the_command_gives_the_expected_files_byte_for_byte(self):
        for name in ("ties", "nvfp4-ties", "scales", "specials"):
            for file in sorted(os.listdir(self.pack(name))):
                found = re.fullmatch(r"(.+\.(?:f32|bf16)(?:\.ordinary)?)\.([a-z0-9]+)"
                                     r"\.expected\.safetensors", file)
                if not found:
                    continue
                form = "nvfp4" if name == "nvfp4-ties" else file.split(".")[0]
                self.run_command("quantize",
                                 os.path.join(self.pack(name), found[1] + ".input.safetensors"),
                                 "-o", "out.safetensors", "--format", form, "--scale-rule", found[2])
                with open(self.path("out.safetensors"), "rb") as ours, \
                        open(os.path.join(self.pack(name), file), "rb") as theirs:
                    self.assertEqual(ours.read(), theirs.read(), file)

    def test_every_tie_of_e2m1_is_there_with_a_step_to_either_side(self):
        x = tensor_files.values_of(self.tensors("ties", "mxfp4.f32.input")["x"])
        ties = [(low + high) / 2 for low, high in zip(blocks.GRID, blocks.GRID[1:])]
        for tie in ties:
            for sign in (1, -1):
                value = float(sign * tie)
                bits = struct.unpack("<I", struct.pack("<f", value))[0]
                for beside in (bits - 1, bits, bits + 1):
                    self.assertIn(struct.unpack("<f", struct.pack("<I", beside))[0], x[:64])

    def test_nvfp4_packs_hold_exact_ties_of_elements_and_scales(self):
        for tag in ("j1k0.f32", "j3k-9.f32", "j11k-60.f32", "j1k0.bf16"):
            x = self.tensors("nvfp4-ties", tag + ".input")["x"]
            shift = 16 if x[0] == "BF16" else 0
            values = [Fraction(struct.unpack("<f", struct.pack("<I", e << shift))[0])
                      for e in elements_of(x)]
            tensors = self.tensors("nvfp4-ties", tag + ".ideal.expected")
            above = Fraction(tensor_files.values_of(tensors["tensor_scale"])[0])
            self.assertEqual(max(map(abs, values)), 2688 * above)
            ties = {(low + high) / 2 for low, high in zip(blocks.GRID, blocks.GRID[1:])}
            found = set()
            for row, scale in enumerate(tensors["scales"][2]):
                size = self.ue4m3(scale) * above
                for value in values[16 * row:16 * row + 16]:
                    found |= ties & {abs(value) / size} if size else set()
            self.assertEqual(found, ties, tag)

    def ue4m3(self, code):
        field, fraction = code >> 3, code & 7
        return (Fraction(8 + fraction) * blocks.power(field - 10) if field
                else Fraction(fraction) * blocks.power(-9))

    def test_decoded_values_are_exact(self):
        coded = self.tensors("decode", "mxfp4.coded")
        values = elements_of(self.tensors("decode", "mxfp4.values")["x"])
        codes, scales = nibbles_of(coded["codes"]), coded["scales"][2]
        self.assertEqual((list(scales), len(values)), (list(range(256)), 256 * 32))
        for i, (code, bits) in enumerate(zip(codes, values)):
            self.assertEqual(code, i % 16)
            value = blocks.dequantize(scales[i // 32], code)
            wanted = struct.unpack("<I", struct.pack("<f", value))[0]
            self.assertEqual(bits, 0x7FC00000 if scales[i // 32] == 255 else wanted, i)

    def test_layouts_lead_every_scale_to_its_place(self):
        for rows, columns in ((128, 4), (129, 5), (32, 8), (260, 12)):
            low = self.tensors("layouts", f"{rows}x{columns}.low")
            high = self.tensors("layouts", f"{rows}x{columns}.high")
            across = (columns + 3) // 4
            for r in range(rows):
                for c in range(columns):
                    at = (r // 128 * across + c // 4) * 512 + r % 32 * 16 + r // 32 % 4 * 4 + c % 4
                    place = (high["a.scales.128x4"][2][at] - 1) * 250 + low["a.scales.128x4"][2][at] - 1
                    self.assertEqual(place, r * columns + c)
            d = elements_of(low["d"])
            self.assertEqual([bits >> 23 for bits in d], list(low["a.scales"][2]))

    def test_one_hot_columns_pick_one_block_each(self):
        tensors = self.tensors("layouts", "129x5.low")
        hot = nibbles_of(tensors["b.codes"])
        for n in range(5):
            places = [k for k in range(160) if hot[160 * n + k]]
            self.assertEqual([k // 32 for k in places], [n])
        self.assertEqual(set(nibbles_of(tensors["a.codes"])), {2})
        self.assertEqual(set(hot), {0, 2})

    def test_dot_replays_the_accumulators(self):
        manifest = self.manifest("accumulators")
        files = [entry["name"] for entry in manifest["files"]
                 if entry["name"].endswith(".safetensors")]
        self.assertGreater(len(files), 90)
        for file in files[::7]:
            family, model = file[:-len(".safetensors")].split(".", 1)
            result = self.run_json("dot", os.path.join(self.pack("accumulators"), file), "--model", model)
            self.assertEqual((result["mismatches"], result["vectors"]),
                             (0, len(manifest["rows"][family])), file)

    def test_wrong_models_are_found_by_the_word_that_the_manifest_names(self):
        lines = self.manifest("accumulators")["notes"]["apart.mxfp4"]
        line = next(line for line in lines if line.startswith("fp32.sequential and blackwell.mxf4:"))
        word = int(line.split()[-1])
        result = self.run_json("dot", os.path.join(self.pack("accumulators"),
                                                 "mxfp4.fp32.sequential.safetensors"),
                             "--model", "blackwell.mxf4", status=1)
        self.assertEqual(result["first"]["index"], word)

    def test_packs_are_the_same_again_and_leave_other_files_alone(self):
        first = self.run_json("vectors", "specials", "-o", "p")
        self.assertEqual(first["state"], "written")
        self.assertEqual(dict(self.run_json("vectors", "specials", "-o", "p/"), output="p",
                              state="written"), first)
        other = self.run_json("vectors", "specials", "-o", "q")
        self.assertEqual(other["manifest_sha256"], first["manifest_sha256"])
        with open(self.path("p", "notes.txt"), "w", encoding="ascii") as file:
            file.write("mine")
        self.assert_refused("vectors", "specials", "-o", "p", naming=["p", "other files"])
        with open(self.path("q", "manifest.json"), "a", encoding="ascii") as file:
            file.write(" ")
        self.assert_refused("vectors", "specials", "-o", "q", naming=["q", "other files"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["p", "q"])

    def test_all_packs_go_into_folders_of_their_own(self):
        result = self.run_json("vectors", "all", "-o", "all")["packs"]
        self.assertEqual(sorted(os.listdir(self.path("all"))), sorted(PACKS))
        self.assertEqual(tuple(entry["pack"] for entry in result), PACKS)

    def test_bad_usage_is_refused(self):
        with open(self.path("file"), "w", encoding="ascii") as file:
            file.write("mine")
        self.assert_refused("vectors", "tie", "-o", "d", naming=["tie", "nvfp4-ties"])
        self.assert_refused("vectors", "ties", naming=["-o"])
        self.assert_refused("vectors", "-o", "d", naming=["pack"])
        self.assert_refused("vectors", "ties", "-o", "", naming=["-o"])
        self.assert_refused("vectors", "ties", "-o", "no/such/folder", naming=["no/such"])
        self.assert_refused("vectors", "ties", "-o", "file", naming=["file"])


if __name__ == "__main__":
    main()
