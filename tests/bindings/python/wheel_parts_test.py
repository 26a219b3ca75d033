# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/wheel_parts_test.py: which package of the distribution a file in a wheel is from.

import os
import sys
import tempfile
import unittest
from unittest import mock

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
sys.path.insert(0, os.path.join(SOURCES, "golden/bindings/python"))
import wheel_parts  # noqa: E402

PROGRAMS = {"dpkg": "echo amd64", "dpkg-query": """cat <<'TEXT'
libtbb-dev:arm64, libtbb-dev:amd64: /usr/include/tbb/version.h
nlohmann-json3-dev: /usr/include/nlohmann/json.hpp
TEXT"""}


class wheel_parts_test(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in PROGRAMS.items():
            path = os.path.join(folder.name, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
        change = mock.patch.dict(os.environ, {"PATH": f"{folder.name}:{os.environ['PATH']}"})
        change.start()
        self.addCleanup(change.stop)

    def test_a_file_of_several_architectures_is_this_machines(self):
        paths = {"/usr/include/tbb/version.h", "/usr/include/nlohmann/json.hpp"}
        self.assertEqual(wheel_parts.packages_of(paths), {"libtbb-dev:amd64", "nlohmann-json3-dev"})

    def test_a_file_of_no_package_is_named(self):
        with self.assertRaisesRegex(wheel_parts.unknown_part, "/opt/x.h belongs to no package"):
            wheel_parts.packages_of({"/opt/x.h"})


if __name__ == "__main__":
    unittest.main()
