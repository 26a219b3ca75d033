# SPDX-License-Identifier: Apache-2.0
# tests/dpi/names_test.py: C, SystemVerilog, the export list and the library agree on names and
# numbers of the DPI package.

import os
import re
import subprocess
import unittest

SOURCE = os.environ["MX_SOURCE_DIR"]
LIBRARY = os.environ["MX_DPI_LIBRARY"]


def text_of(*names):
    with open(os.path.join(SOURCE, "rtl_models", *names), encoding="utf-8") as file:
        return file.read()


def arguments_of(functions):
    """{function: names of its arguments in order}, from (name, arguments)."""
    def name_of(argument):
        return re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", argument))[-1]
    return {name: [name_of(argument) for argument in arguments.split(",")
                   if argument.strip() not in ("", "void")] for name, arguments in functions}


def functions_in_c():
    return arguments_of(re.findall(r"^MX_DPI_API [\w \*]*?\b(mx_dpi_\w+)\(([^)]*)\);",
                                   text_of("dpi", "mx_dpi.h"), re.MULTILINE))


def numbers(pattern, text):
    found = re.findall(pattern, text)
    if len(found) != len(dict(found)):
        raise AssertionError("a number appears twice")
    return {name: int(value) for name, value in found}


def numbers_in_c():
    return numbers(r"\b(mx_dpi_\w+) = (-?\d+)", text_of("dpi", "mx_dpi.h"))


def numbers_of_pins():
    """Those of mx_pkg that the package repeats: RoundTiesToEven is mx_dpi_round_ties_to_even."""
    found = numbers(r"localparam int ((?:Round|Deadzone|Scale)[A-Z]\w*) = (\d+);",
                    text_of("verilog", "mx_pkg.sv"))
    def snake(name):
        return "mx_dpi" + re.sub(r"[A-Z]", lambda letter: "_" + letter.group(0).lower(), name)
    return {snake(name): value for name, value in found.items() if name != "RoundBits"}


class names_test(unittest.TestCase):
    def test_numbers_are_the_same_in_c_and_in_systemverilog(self):
        here = numbers_in_c()
        self.assertGreater(len(here), 40)
        self.assertEqual(here, numbers(r"localparam int (mx_dpi_\w+) = (-?\d+);",
                                       text_of("dpi", "mx_dpi.svh")))

    def test_statuses_are_those_of_the_c_library_but_for_devices_and_two_more(self):
        with open(os.path.join(SOURCE, "golden", "bindings", "include", "mxprism", "library.h"),
                  encoding="utf-8") as file:
            library = numbers(r"\bmx_status_(\w+) = (\d+)", file.read())
        self.assertEqual(library.pop("device"), 8)
        self.assertEqual(len(library), 6)
        here = numbers_in_c()
        self.assertEqual(library, {name: here["mx_dpi_" + name] for name in library})
        self.assertEqual((here["mx_dpi_bad_handle"], here["mx_dpi_unknown_bits"]), (6, 7))

    def test_numbers_of_pins_are_those_of_the_hardware(self):
        pins = numbers_of_pins()
        self.assertEqual(len(pins), 12)
        self.assertEqual(pins, {name: value for name, value in numbers_in_c().items()
                                if re.match(r"mx_dpi_(round|deadzone|scale)_", name)
                                and name != "mx_dpi_scale_bits"})

    def test_words_of_the_hardware_have_four_states_in_the_scoreboard(self):
        scoreboard = text_of("dpi", "mx_dpi_scoreboard.svh")
        for name in ("actual", "mismatch_actual", "word", "got"):
            self.assertRegex(scoreboard, rf"\blogic \[31:0\] {name}\b")

    def test_functions_have_the_same_arguments_in_c_and_in_systemverilog(self):
        self.assertGreater(len(functions_in_c()), 15)
        self.assertEqual(functions_in_c()["mx_dpi_destroy"], ["handle"])
        self.assertEqual(functions_in_c(), arguments_of(re.findall(
            r'^import "DPI-C" function [\w ]*?(mx_dpi_\w+)\(([^)]*)\);',
            text_of("dpi", "mx_dpi.svh"), re.MULTILINE)))

    def test_library_shows_the_functions_alone(self):
        listed = set(re.findall(r"^\s+(mx_dpi_\w+);$", text_of("dpi", "export_list.map"),
                                re.MULTILINE))
        self.assertEqual(set(functions_in_c()), listed)
        lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True,
                               capture_output=True, encoding="utf-8").stdout.splitlines()
        shown = {line.split()[-1] for line in lines} - {"MXPRISM_DPI_1"}
        self.assertEqual(shown, {name + "@@MXPRISM_DPI_1" for name in listed})

    def test_library_takes_nothing_that_prints_or_ends_the_process(self):
        lines = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True,
                               capture_output=True, encoding="utf-8").stdout
        taken = {line.split()[-1].split("@")[0] for line in lines.splitlines()}
        self.assertIn("memcpy", taken)
        if any(name.startswith(("__asan_", "__tsan_")) for name in taken):
            self.skipTest("a sanitizer's build is none that is shipped, and ends the process where it reports")
        self.assertEqual(taken & {
            "printf", "fprintf", "vfprintf", "puts", "putchar", "fputs", "fputc", "fwrite", "write",
            "stdout", "stderr", "_ZSt4cout", "_ZSt4cerr", "exit", "_exit", "_Exit", "quick_exit",
            "abort", "__assert_fail", "_ZSt9terminatev"}, set())

    def test_name_in_the_file_has_the_version_of_the_header(self):
        dump = subprocess.run(["objdump", "-p", LIBRARY], check=True, capture_output=True,
                              encoding="utf-8").stdout
        version = re.search(r"MX_DPI_ABI_VERSION (\d+)", text_of("dpi", "mx_dpi.h")).group(1)
        self.assertRegex(dump, rf"SONAME +libmxprism_dpi\.so\.{version}\n")


if __name__ == "__main__":
    unittest.main()
