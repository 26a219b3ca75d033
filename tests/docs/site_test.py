# SPDX-License-Identifier: Apache-2.0
# tests/docs/site_test.py: docs/site/build builds the site with warnings and dead links as errors; its pages
# stand alone and name no machine. Exit status 77 where Sphinx is absent.

import os
import re
import subprocess
import sys
import tempfile

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
BUILD = os.path.join(SOURCES, "docs", "site", "build")
# What a page loads, as opposed to what it links to.
LOADED = re.compile(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"|"
                    r"@import[^;]*//|url\(\"?(?:https?:)?//[^)]*\)")
PAGES = ("index.html", "docs/index.html", "docs/quick-start.html", "docs/api/cpp-block.html",
         "docs/python-api.html", "docs/c-api.html", "emulator/DECISIONS.html", "search.html")


def files_of(folder):
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".html", ".css", ".js", ".svg")):
                yield os.path.join(at, name)


def complaints(folder):
    for name in PAGES:
        if not os.path.exists(os.path.join(folder, name)):
            yield f"{name} is missing"
    for path in files_of(folder):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.relpath(path, folder)
        for found in LOADED.findall(text) if not name.endswith(".js") else ():
            yield f"{name} loads {found}"
        for place in (SOURCES, folder):
            if place in text:
                yield f"{name} names {place}"
    with open(os.path.join(folder, "docs", "python-api.html"), encoding="utf-8") as file:
        reference = file.read()
    for name in ("quantize", "verify_gemm", "testing.assert_bits_equal"):
        if f'id="mxprism.{name}"' not in reference:
            yield f"python-api.html lacks {name}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "site")
        done = subprocess.run([sys.executable, "-B", BUILD, out], encoding="utf-8", check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout, end="")
        if done.returncode == 3:
            print("SKIPPED: docs_site, because Sphinx is absent (./bootstrap --docs installs it)")
            return 77
        if done.returncode != 0:
            return 1
        found = list(complaints(out))
        print("\n".join(found) if found else f"{len(list(files_of(out)))} files")
        return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
