# SPDX-License-Identifier: Apache-2.0
# tests/e2e/known_kernels_test.py: outputs of public kernels in every format: `probe read` of 2^21
# elements takes at most 20 s on two cores, and no explanation holds in a part that is everything.

import random
import re
import resource
import subprocess

import command_case
import tensor_files

LARGE, SMALL = (1024, 2048), (32, 64)
MOST_CPU_SECONDS = 2 * 20
FORMATS = ("mxfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8-e4m3", "mxfp8-e5m2", "mxint8", "nvfp4")
NAN, INF = b"\xc0\x7f", b"\x80\xff"
WITH_SPECIALS = {5: NAN, 64 * 9 + 3: NAN, 64 * 31 + 63: INF}


def drawn_numbers(shape, replaced):
    """BF16 numbers of five pairs of binades and both signs, some of them replaced."""
    count = shape[0] * shape[1]
    data = bytearray(random.Random(3).randbytes(2 * count))
    data[1::2] = bytes(data[1::2]).translate(bytes(0x3D + k % 5 | k & 0x80 for k in range(256)))
    for at, number in replaced.items():
        data[2 * at:2 * at + 2] = number
    return bytes(data)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class known_kernels(command_case.command_case):
    def write_input(self, shape, replaced):
        tensor_files.write_safetensors(
            self.path("x.safetensors"), {"x": ("BF16", list(shape), drawn_numbers(shape, replaced))})

    def presets(self):
        """Those of each format."""
        variants = self.run_json("formats")["variants"]
        return {form: [v["name"] for v in variants
                       if form in v["formats"] and v["family"].startswith("quantizer")]
                for form in FORMATS}

    def quantize(self, form, preset=None):
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", "--format", form,
                         *(("--variant", preset) if preset else ()))

    def change(self, array, change):
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        dtype, shape, data = tensors[array]
        tensors[array] = (dtype, shape, change(data))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)

    def read_within_bound(self, form):
        words = ["probe", "read", "k.safetensors", "--input", "x.safetensors", "--format", form]
        before = cpu_seconds()
        done = subprocess.run([command_case.PROGRAM, *words], cwd=self.folder, capture_output=True,
                              timeout=1500, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        bound = MOST_CPU_SECONDS * self.patience()
        self.assertLessEqual(cpu_seconds() - before, bound)

    def verify(self, form):
        """The verdict on an output under the format's own rules, exact or not."""
        words = ["verify", "k.safetensors", "--input", "x.safetensors", "--format", form, "--json"]
        done = subprocess.run([command_case.PROGRAM, *words], cwd=self.folder, capture_output=True,
                              encoding="utf-8", timeout=600, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return command_case.json.loads(done.stdout)

    def assert_parts(self, told):
        for change in told.get("explanation", []) + told.get("ambiguous", []):
            with self.subTest(change=change):
                self.assertNotEqual(change["expected"], change["found"])
                self.assert_part(change["found"])

    def assert_part(self, text):
        self.assertNotRegex(text, r"\b(in|of) all\b")
        for pattern, most in ((r"the last (\d+) rows?", SMALL[0]),
                              (r"the last (\d+) elements", SMALL[1]),
                              (r"rows 0\.\.(\d+)(?! of)", SMALL[0] - 1),
                              (r"columns 0\.\.(\d+)(?! of)", SMALL[1] - 1)):
            for found in re.findall(pattern, text):
                self.assertLess(int(found), most, text)

    def check_parts(self, form, presets):
        """Outputs of presets, and outputs of one byte: the last half of a tensor, or everything."""
        for replaced in ({}, WITH_SPECIALS):
            self.write_input(SMALL, replaced)
            for preset in presets:
                self.quantize(form, preset)
                self.assert_parts(self.verify(form))
        for array in ("codes", "scales"):
            for share in (2, 1):
                self.quantize(form)
                self.change(array, lambda data, n=share: data[:len(data) - len(data) // n] +
                            data[-1:] * (len(data) // n))
                self.assert_parts(self.verify(form))


class sample(known_kernels):
    def test_no_part_is_everything(self):
        for form, presets in self.presets().items():
            self.check_parts(form, presets[::3])

    def test_two_million_elements_are_read_within_the_bound(self):
        self.write_input(LARGE, {})
        self.quantize("mxfp4", "torchao.rceil")
        self.read_within_bound("mxfp4")


class every_kernel(known_kernels):
    def test_no_part_is_everything(self):
        for form, presets in self.presets().items():
            self.check_parts(form, presets)

    def test_two_million_elements_are_read_within_the_bound(self):
        self.write_input(LARGE, {})
        for form, presets in self.presets().items():
            for preset in [None, *presets]:
                with self.subTest(form=form, preset=preset):
                    self.quantize(form, preset)
                    self.read_within_bound(form)
            self.change("codes", lambda data: random.Random(5).randbytes(len(data)))
            with self.subTest(form=form, codes="random"):
                self.read_within_bound(form)


def load_tests(loader, _tests, _pattern):
    """A sample; every_kernel runs where it is named."""
    return loader.loadTestsFromTestCase(sample)


if __name__ == "__main__":
    command_case.main()
