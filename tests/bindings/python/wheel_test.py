# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/wheel_test.py: the source package and the wheel of
# golden/bindings/python/wheel: the wheel works without the distribution's libraries.
"""Builds offline, with the build packages of this Python."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

from package_case import SOURCE, packages

packages("auditwheel", "nanobind", "pytest", "scikit_build_core")
(elffile,) = packages("elftools.elf.elffile")
TESTS = ("tensors", "exchange", "testing")
# What the wheel brings. oneTBB itself looks for the system's libtbbmalloc and works without it.
OWN = re.compile(r"/(lib)?_?(tbb-|tbb\.|hwy|fmt|mxprism)[^/]*$")
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)|ld-linux-x86-64)\.so\.\d+")

# Uses every part, then lists the libraries that the process has loaded.
USE = """
import mxprism, numpy
from mxprism.testing import assert_bits_equal, assert_product_bits_equal
x = numpy.linspace(-6, 6, 1 << 16, dtype=numpy.float32).reshape(256, 256)
q = mxprism.quantize(x, "mxfp4", scale_rule="rceil")
assert_bits_equal(q.codes, q.scales, x, format="mxfp4", scale_rule="rceil")
assert_product_bits_equal(mxprism.gemm(q, q, model="blackwell.mxf4"), q, q)
assert mxprism.verify(x, q.codes ^ 1, q.scales).verdict == "unexplained"
assert len(mxprism.pack("ties").cases()) > 0 and mxprism.explain([0.3]).scale_code > 0
assert mxprism.probe("mxfp4").identify(lambda t: (mxprism.quantize(t).codes,
                                                  mxprism.quantize(t).scales)).explained
print(mxprism.__file__)
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}))
"""


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


def needed_by(library):
    with open(library, "rb") as file:
        dynamic = elffile.ELFFile(file).get_section_by_name(".dynamic")
        return [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")]


class wheel_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.made, cls.folder = (os.path.join(scratch.name, name) for name in ("made", "installed"))
        run(os.path.join(SOURCE, "golden", "bindings", "python", "wheel"), "--python",
            sys.executable, cls.made, env=dict(os.environ, CMAKE_BUILD_PARALLEL_LEVEL="2"))
        cls.wheel, = glob.glob(os.path.join(cls.made, "*.whl"))
        run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target",
            cls.folder, "--disable-pip-version-check", cls.wheel)

    def python(self, *words):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
        return run(sys.executable, "-B", *words, cwd=self.folder,
                   env=dict(environment, PYTHONPATH=self.folder))

    def test_there_is_a_source_package_and_one_wheel(self):
        names = sorted(os.listdir(self.made))
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"^mxprism-[\d.]+-cp\d+-cp\d+-manylinux_2_\d+_x86_64[.\w]*\.whl$")
        self.assertRegex(names[1], r"^mxprism-[\d.]+\.tar\.gz$")

    def test_libraries_come_from_the_wheel(self):
        place, loaded = self.python("-c", USE).splitlines()[-2:]
        self.assertTrue(place.startswith(self.folder), place)
        own = [name for name in loaded.split() if OWN.search(name)]
        self.assertTrue(any("/libtbb" in name for name in own), loaded)
        self.assertEqual([name for name in own if not name.startswith(self.folder)], [])

    def test_nothing_else_of_the_system_is_needed(self):
        libraries = glob.glob(os.path.join(self.folder, "mxprism*", "*.so*"))
        own = {os.path.basename(name) for name in libraries}
        self.assertGreaterEqual(len(own), 4, own)
        for name in libraries:
            self.assertEqual([needed for needed in needed_by(name)
                              if needed not in own and not SYSTEM.fullmatch(needed)], [], name)

    def test_licences_of_what_is_inside_are_inside(self):
        with zipfile.ZipFile(self.wheel) as archive:
            held = {os.path.basename(name) for name in archive.namelist() if "/licenses/" in name}
        self.assertLessEqual({"LICENSE", "libtbb-dev.txt", "libhwy-dev.txt", "libfmt-dev.txt",
                              "nlohmann-json3-dev.txt", "nanobind.txt"}, held)

    def test_pytest_is_told_of_the_plugin(self):
        with zipfile.ZipFile(self.wheel) as archive:
            text = next(archive.read(name).decode() for name in archive.namelist()
                        if name.endswith(".dist-info/entry_points.txt"))
        self.assertIn("[pytest11]\nmxprism", text)

    def test_the_package_passes_its_tests(self):
        for name in TESTS:
            with self.subTest(name):
                self.python(os.path.join(SOURCE, "tests", "bindings", "python", f"{name}_test.py"))


if __name__ == "__main__":
    unittest.main()
