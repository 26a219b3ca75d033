# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/wheel_test.py: the source package and the wheel of
# golden/bindings/python/wheel: the wheel works without the distribution's libraries, states what it
# consists of, and comes out the same from the source package in another folder.
"""Builds offline and twice, with the build packages of this Python."""

import base64
import csv
import glob
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
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

# What the wheel's own libraries are compiled from, by the names of its bill of materials.
INSIDE = {"libfmt-dev", "libhwy-dev", "libtbb-dev", "nlohmann-json3-dev", "nanobind", "robin-map"}
BESIDE = {"libhwy1", "libtbb12", "libtbbmalloc2"}
LATER_NAME = "t64"  # ends names of Ubuntu 24.04's packages of the same libraries

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


def make_wheel(sources, folder, **environment):
    """The names of what golden/bindings/python/wheel makes, with their bytes."""
    without_date = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    run(os.path.join(sources, "golden", "bindings", "python", "wheel"), "--python", sys.executable, folder,
        env=dict(without_date, CMAKE_BUILD_PARALLEL_LEVEL="2", **environment))
    return {name: contents_of(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def contents_of(path):
    with open(path, "rb") as file:
        return file.read()


def is_library(name):
    return re.search(r"\.so(\.[\d.]+)?$", name) is not None


def properties(component):
    return {entry["name"]: entry["value"] for entry in component.get("properties", ())}


def installed_version(name):
    """Of a package of the distribution, which may be there for several architectures."""
    found = run("dpkg-query", "-W", "-f", "${Architecture} ${Version}\n", name).split()
    versions = dict(zip(found[::2], found[1::2]))
    own = run("dpkg", "--print-architecture").strip()
    return versions.get(own) or versions["all"]


class wheel_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.made, cls.folder = (os.path.join(scratch.name, name) for name in ("made", "installed"))
        cls.scratch = scratch.name
        cls.bytes_made = make_wheel(SOURCE, cls.made)
        cls.wheel, = glob.glob(os.path.join(cls.made, "*.whl"))
        with zipfile.ZipFile(cls.wheel) as archive:
            cls.held = {name: archive.read(name) for name in archive.namelist()}
        cls.bill = json.loads(next(text for name, text in cls.held.items()
                                   if name.endswith(".dist-info/sboms/mxprism.cdx.json")))
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
        texts = {os.path.basename(name): text for name, text in self.held.items() if "/licenses/" in name}
        self.assertEqual({name.replace(f"{LATER_NAME}.txt", ".txt") for name in texts},
                         {"LICENSE"} | {f"{name}.txt" for name in INSIDE | BESIDE})
        self.assertEqual([name for name, text in texts.items()
                          if not re.search(rb"[Cc]opyright\b", text) or len(text) < 500], [])

    def test_every_file_has_its_hash_and_size_in_the_record(self):
        name, = [name for name in self.held if name.endswith(".dist-info/RECORD")]
        rows = {row[0]: row[1:] for row in csv.reader(self.held[name].decode().splitlines())}
        self.assertEqual(rows.pop(name), ["", ""])
        self.assertEqual(rows, {
            other: ["sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode(),
                    str(len(text))] for other, text in self.held.items() if other != name})

    def test_the_bill_of_materials_is_one_of_cyclonedx(self):
        self.assertEqual([self.bill[name] for name in ("bomFormat", "specVersion", "version")],
                         ["CycloneDX", "1.6", 1])
        wheel, components = self.bill["metadata"]["component"], self.bill["components"]
        version = re.search(r"^mxprism-([\d.]+)-", os.path.basename(self.wheel)).group(1)
        self.assertEqual(wheel["purl"], f"pkg:pypi/mxprism@{version}")
        for component in components:
            self.assertLessEqual({"type", "name", "bom-ref"}, set(component))
        references = [component["bom-ref"] for component in [wheel, *components]]
        self.assertEqual(len(references), len(set(references)))
        named = {edge["ref"] for edge in self.bill["dependencies"]}
        named |= {name for edge in self.bill["dependencies"] for name in edge["dependsOn"]}
        self.assertEqual(named, set(references), "each part is one of something")

    def test_the_bill_of_materials_names_every_library_of_the_wheel_with_its_hash(self):
        stated = {component["name"]: component["hashes"] for component in self.bill["components"]
                  if component["type"] == "file"}
        self.assertEqual(stated, {
            name: [{"alg": "SHA-256", "content": hashlib.sha256(text).hexdigest()}]
            for name, text in self.held.items() if is_library(name)})

    def test_the_bill_of_materials_names_what_was_copied(self):
        copied = [component for component in self.bill["components"]
                  if properties(component).get("mxprism:role") == "copied"]
        self.assertEqual({component["name"].removesuffix(LATER_NAME) for component in copied}, BESIDE)
        for component in copied:
            self.assertEqual(component["version"], installed_version(component["name"]))
        self.assertEqual({properties(component)["mxprism:file"] for component in copied},
                         {name for name in self.held if "mxprism.libs/" in name})

    def test_the_bill_of_materials_names_what_was_compiled_in(self):
        inside = {component["name"]: component["version"] for component in self.bill["components"]
                  if properties(component).get("mxprism:role") == "compiled in"}
        self.assertLessEqual(INSIDE, set(inside))
        toolchain = {name for name in set(inside) - INSIDE if re.match(r"cpython$|lib(c|gcc|stdc)|linux-libc", name)}
        self.assertEqual(set(inside) - INSIDE, toolchain, "name it in INSIDE, and look at its licence")
        for name, version in inside.items():
            expected = (importlib.metadata.version(name) if name == "nanobind" else
                        ".".join(map(str, sys.version_info[:3])) if name == "cpython" else
                        version if name == "robin-map" else installed_version(name))
            self.assertEqual(version, expected, name)

    def test_no_library_names_the_folder_that_it_was_built_in(self):
        for name, text in self.held.items():
            if is_library(name):
                self.assertEqual(re.findall(rb"(?:/tmp|/root|/home|/build)/[\w./-]+", text), [], name)

    def test_the_source_package_gives_the_same_bytes_in_another_folder(self):
        other = os.path.join(self.scratch, "another place")
        with tarfile.open(glob.glob(os.path.join(self.made, "*.tar.gz"))[0]) as archive:
            archive.extractall(other)
        sources, = glob.glob(os.path.join(other, "*"))
        again = make_wheel(sources, os.path.join(other, "made"), TZ="Asia/Tokyo", LC_ALL="C", HOME=other)
        self.assertEqual({name: hashlib.sha256(text).hexdigest() for name, text in again.items()},
                         {name: hashlib.sha256(text).hexdigest() for name, text in self.bytes_made.items()})

    def test_pytest_is_told_of_the_plugin(self):
        text = next(text.decode() for name, text in self.held.items()
                    if name.endswith(".dist-info/entry_points.txt"))
        self.assertIn("[pytest11]\nmxprism", text)

    def test_the_package_passes_its_tests(self):
        for name in TESTS:
            with self.subTest(name):
                self.python(os.path.join(SOURCE, "tests", "bindings", "python", f"{name}_test.py"))


if __name__ == "__main__":
    unittest.main()
