# SPDX-License-Identifier: Apache-2.0
# tests/oracle/trl_names_test.py: the names of docs/training.md that are said to be TRL's are those that
# its GRPO trainer, or the trainer of transformers below it, logs.

import importlib.metadata
import importlib.util
import os
import re
import sys
import unittest

PAGE = os.path.join(os.environ.get("MX_SOURCE_DIR", os.getcwd()), "docs", "training.md")
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)
HEADER = re.compile(r"^\| here \| TRL (\S+) \|", re.MULTILINE)


def source_of(package, *file):
    found = importlib.util.find_spec(package)
    if found is None:
        print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no {package} "
              "(./bootstrap --oracles-torch installs it)")
        sys.exit(77)  # ctest's exit status for "did not run"
    with open(os.path.join(os.path.dirname(found.origin), *file), encoding="utf-8") as source:
        return source.read()


SOURCES = (source_of("trl", "trainer", "grpo_trainer.py"), source_of("transformers", "trainer.py"))
with open(PAGE, encoding="utf-8") as page_file:
    TEXT = page_file.read()


class trl_names_test(unittest.TestCase):
    def test_the_page_s_names_are_logged_by_trl(self):
        names = [theirs for _, theirs in ROW.findall(TEXT)]
        self.assertGreater(len(names), 15)
        for name in names:
            self.assertTrue(any(f'["{name}"]' in source for source in SOURCES), name)
        print(f"trl {importlib.metadata.version('trl')}: it logs all {len(names)} names of the page")

    def test_the_page_says_the_version(self):
        version = HEADER.search(TEXT)[1]
        self.assertTrue(importlib.metadata.version("trl").startswith(version + "."))


if __name__ == "__main__":
    unittest.main()
