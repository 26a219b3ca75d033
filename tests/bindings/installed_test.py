# SPDX-License-Identifier: Apache-2.0
# tests/bindings/installed_test.py: an example project builds against the installed package, before and
# after the package is moved; so does a C compiler with pkg-config.
"""CMAKE, MX_BUILD_DIR, MX_C_COMPILER, MX_CXX_COMPILER and MX_SANITIZER_FLAGS configure it."""

import os
import shutil
import subprocess
import tempfile
import unittest

CMAKE, BUILD = os.environ["CMAKE"], os.environ["MX_BUILD_DIR"]
C_COMPILER, CXX_COMPILER = os.environ["MX_C_COMPILER"], os.environ["MX_CXX_COMPILER"]
SANITIZER = os.environ.get("MX_SANITIZER_FLAGS", "")
WITH_CUDA = os.environ.get("MX_CUDA", "OFF") == "ON"
EXAMPLE = os.path.join(os.environ["MX_SOURCE_DIR"], "tests", "bindings", "example")
# 4.7 = 6 * 0.78: 2^0 is the smallest scale that holds it. 0.3 -> 0.5, -1.2 -> -1, 4.7 -> 4.
SAID = {"c_example": "scale 127, codes a1 06, values 0.5 -1 4\n"
                     "'x': 1 of 3 elements differ (1 code and 0 block scales)\n"
                     "  where: codes in column 2\n"
                     "first: element [2] of 'x', block 0, position 2: code 0x7, expected 0x6; "
                     "scale 0x7f; input 0x40966666 (4.7)\nverdict: unexplained\n",
        "core_example": "scale 127, codes 1 a 6\n",
        "bulk_example": "102400 codes, the first 78 under 119\n"}


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


class installed_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.prefix = os.path.join(cls.folder, "first", "prefix")
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def build_and_run(self, prefix):
        with tempfile.TemporaryDirectory() as build:
            run(CMAKE, "-S", EXAMPLE, "-B", build, "-G", "Ninja",
                f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={C_COMPILER}",
                f"-DCMAKE_CXX_COMPILER={CXX_COMPILER}", f"-DCMAKE_C_FLAGS={SANITIZER}",
                f"-DCMAKE_CXX_FLAGS={SANITIZER}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
            run(CMAKE, "--build", build, "--parallel", "2")
            for name, said in SAID.items():
                self.assertEqual(run(os.path.join(build, name)), said, name)
            self.assertEqual(os.path.exists(os.path.join(build, "cuda_example")), WITH_CUDA)
            if WITH_CUDA:
                self.assert_device_or_missing_part(run(os.path.join(build, "cuda_example")))

    def assert_device_or_missing_part(self, said):
        self.assertRegex(said, "^(ok: a device|device error: (there is no CUDA driver; install|"
                               "the CUDA driver (finds no device|supports CUDA .*, and)|cudaGet).*)\n$")

    def compiled_and_run(self, source, prefix, package="mxprism"):
        """Output of a C program built against the package at a prefix by pkg-config."""
        libraries = [folder for folder, _, files in os.walk(prefix) if "mxprism.pc" in files]
        self.assertEqual(len(libraries), 1)
        where = dict(os.environ, PKG_CONFIG_PATH=libraries[0])
        flags = run("pkg-config", "--cflags", "--libs", package, env=where).split()
        program = os.path.join(self.folder, "by_pkg_config")
        run(C_COMPILER, "-std=c99", "-Wall", "-Werror", *SANITIZER.split(), source, *flags,
            "-Wl,-rpath," + os.path.dirname(libraries[0]), "-o", program)
        return run(program)

    def test_package_works_where_it_was_installed_and_where_it_was_moved(self):
        self.build_and_run(self.prefix)
        moved = os.path.join(self.folder, "second place")
        os.rename(self.prefix, moved)
        try:
            self.build_and_run(moved)
            self.assertTrue(run(os.path.join(moved, "bin", "mxprism"), "--version"))
        finally:
            os.rename(moved, self.prefix)

    def test_pkg_config_leads_to_it(self):
        example = os.path.join(EXAMPLE, "example.c")
        self.assertEqual(self.compiled_and_run(example, self.prefix), SAID["c_example"])
        moved = os.path.join(self.folder, "third")
        os.rename(self.prefix, moved)
        try:
            self.assertEqual(self.compiled_and_run(example, moved), SAID["c_example"])
        finally:
            os.rename(moved, self.prefix)

    def test_pkg_config_leads_to_the_library_for_devices_if_it_is_built(self):
        if not WITH_CUDA:
            print("SKIPPED: libmxprism_cuda in installed_test.py, because this build has no kernels "
                  "for devices (tests/run --preset cuda)")
            self.skipTest("libmxprism_cuda is not built")
        example = os.path.join(EXAMPLE, "cuda_example.c")
        self.assert_device_or_missing_part(self.compiled_and_run(example, self.prefix,
                                                                 "mxprism-cuda"))

    def test_program_of_the_guide_runs(self):
        with open(os.path.join(os.environ["MX_SOURCE_DIR"], "docs/c-api.md"), encoding="utf-8") as file:
            program = file.read().split("```c\n")[1].split("```")[0]
        source = os.path.join(self.folder, "guide.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        self.assertEqual(self.compiled_and_run(source, self.prefix), "")

    def test_pkg_config_takes_absolute_folders_as_they_are(self):
        with tempfile.TemporaryDirectory() as build:
            run(CMAKE, "-S", os.environ["MX_SOURCE_DIR"], "-B", build, "-G", "Ninja",
                f"-DCMAKE_CXX_COMPILER={CXX_COMPILER}", "-DMX_BUILD_TESTS=OFF",
                "-DMX_BUILD_SIM=OFF", "-DCMAKE_INSTALL_PREFIX=/opt/mxprism",
                "-DCMAKE_INSTALL_LIBDIR=/opt/elsewhere/lib",
                "-DCMAKE_INSTALL_INCLUDEDIR=/opt/elsewhere/include")
            folder = os.path.join(build, "golden", "bindings", "package")
            flags = run("pkg-config", "--cflags", "--libs", "mxprism",
                        env=dict(os.environ, PKG_CONFIG_PATH=folder)).split()
        self.assertEqual(flags, ["-I/opt/elsewhere/include", "-L/opt/elsewhere/lib", "-lmxprism"])

    def configured(self, components, *options, version=""):
        """CMake's output for a project that asks for components, and its exit status."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write("cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES C CXX)\n"
                           f"find_package(mxprism {version} REQUIRED COMPONENTS {components})\n")
            done = subprocess.run(
                [CMAKE, "-S", folder, "-B", os.path.join(folder, "build"), "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={C_COMPILER}",
                 f"-DCMAKE_CXX_COMPILER={CXX_COMPILER}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
                 *options],
                capture_output=True, encoding="utf-8", check=False)
            return done.returncode, " ".join((done.stdout + done.stderr).split())

    def test_every_target_is_a_component_and_others_are_named(self):
        self.assertEqual(self.configured("c core spelling bulk")[0], 0)
        status, output = self.configured("core typo")
        self.assertNotEqual(status, 0)
        self.assertIn("mxprism has no component typo; expected c, core, spelling, bulk or cuda",
                      output)

    def test_a_version_whose_headers_may_differ_is_refused(self):
        own = run(os.path.join(self.prefix, "bin", "mxprism"), "--version").split()[-1]
        major, minor, _ = own.split(".")
        self.assertEqual(self.configured("core", version=f"{major}.{minor}")[0], 0)
        before = f"{major}.{int(minor) - 1}" if major == "0" else f"{int(major) - 1}.0"
        status, output = self.configured("core", version=before)
        self.assertNotEqual(status, 0)
        self.assertIn(f"version: {own}", output)

    def test_an_optional_component_whose_libraries_are_missing_leaves_the_others(self):
        without_tbb = "-DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON"
        status, output = self.configured("c OPTIONAL_COMPONENTS bulk cuda", without_tbb)
        self.assertEqual(status, 0, output)
        status, output = self.configured("c bulk", without_tbb)
        self.assertNotEqual(status, 0)
        self.assertIn("mxprism::bulk needs oneTBB (TBB) and Highway", output)

    def test_no_installed_text_names_the_sources_or_the_build(self):
        for folder, _, files in os.walk(self.prefix):
            for name in files:
                if not name.endswith((".cmake", ".pc", ".h")):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                for place in (os.environ["MX_SOURCE_DIR"], BUILD, self.prefix):
                    self.assertNotIn(place, text, name)


if __name__ == "__main__":
    unittest.main()
