# SPDX-License-Identifier: Apache-2.0
# tests/e2e/trained_products_test.py: products of a training step, computed again by the command.

import os
import subprocess

import tensor_files
import tiny_study
from command_case import command_case, main

PROGRAM = os.environ.get("MX_EXPORT_PRODUCTS", "mx_export_products")

# A seed whose first groups of answers are neither all right nor all wrong.
STUDY = """
seed = 3
""" + tiny_study.POLICY + """\
[warm_up]
schedule = "fixed"
steps = 96
sequences = 16
learning_rate = 1e-2
ramp_steps = 6
[grpo]
prompts = 2
samples = 4
""" + tiny_study.ARMS + """\
model = "{model}"
wgrad = {{ sequences = {sequences} }}
"""


class trained_products_test(command_case):
    def exported(self, model, sequences):
        """Codes, and numbers and results, of every product of one step."""
        with open(self.path("study.toml"), "w", encoding="utf-8") as file:
            file.write(STUDY.format(model=model, sequences=sequences))
        subprocess.run([PROGRAM, "--results", self.path("numbers.safetensors"),
                        self.path("study.toml"), self.path("codes.safetensors")],
                       check=True, timeout=300)
        return [tensor_files.read_safetensors(self.path(name))[0]
                for name in ("codes.safetensors", "numbers.safetensors")]

    def part(self, tensors, name, i):
        """Bytes and shape of product i."""
        _, (count, *shape), data = tensors[name]
        size = len(data) // count
        return data[i * size:(i + 1) * size], shape

    def quantized(self, numbers, codes, name, side, i):
        """The command's file for an operand, whose bytes are those of the step."""
        data, shape = self.part(numbers, f"{name}.{side}", i)
        plain, coded = self.path(f"{side}.safetensors"), self.path(f"{side}.coded.safetensors")
        tensor_files.write_safetensors(plain, {"w": ("F32", shape, data)})
        self.run_command("quantize", plain, "-o", coded, "--scale-rule", "rceil")
        found, _ = tensor_files.read_safetensors(coded)
        self.assertEqual(found["codes"][2], self.part(codes, f"{name}.{side}", i)[0])
        self.assertEqual(found["scales"][2], self.part(codes, f"{name}.scale_{side}", i)[0])
        return coded

    def check_products(self, model, sequences):
        codes, numbers = self.exported(model, sequences)
        names = {name[:-2] for name in numbers if name.endswith(".d")}
        self.assertEqual(len(names), 21)
        for name in sorted(names):
            self.assertTrue(any(numbers[f"{name}.d"][2]), f"all results of {name} are +0")
            for i in range(numbers[f"{name}.d"][1][0]):
                with self.subTest(product=name, index=i, model=model):
                    a, b = (self.quantized(numbers, codes, name, side, i) for side in "ab")
                    self.run_command("gemm", a, b, "--model", model, "-o", "d.safetensors")
                    found, _ = tensor_files.read_safetensors(self.path("d.safetensors"))
                    wanted, shape = self.part(numbers, f"{name}.d", i)
                    self.assertEqual(found["d"][1], shape)
                    self.assertEqual(found["d"][2], wanted)
        return numbers

    def test_every_product_of_a_step_is_that_of_quantize_and_gemm(self):
        for model in ("fp32.fma", "blackwell.mxf4", "exact.rne"):
            numbers = self.check_products(model, 4)
            self.assertEqual(numbers["wgrad.down.a"][1], [2, 32, 128])

    def test_a_product_of_one_sequence_is_that_of_quantize_and_gemm(self):
        numbers = self.check_products("fp32.sequential", 1)
        self.assertEqual(numbers["wgrad.down.a"][1], [8, 32, 64])


if __name__ == "__main__":
    main()
