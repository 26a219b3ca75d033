# SPDX-License-Identifier: Apache-2.0
# tests/e2e/guide_test.py: docs/validate-a-kernel.md: its commands print what the page shows.
# MX_WRITE_GUIDE=1 writes the outputs into the page instead.

import os
import re
import subprocess

from command_case import PROGRAM, SOURCES, command_case, main

PAGE = os.path.join(SOURCES, "docs", "validate-a-kernel.md")
WRITE = os.environ.get("MX_WRITE_GUIDE")
BLOCK = re.compile(r"(?<=```console\n).*?(?=```\n)", re.DOTALL)


class guide_test(command_case):
    def printed(self, command):
        """A line of the page with what it prints: status 1, a difference, is a result."""
        path = os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(command, shell=True, cwd=self.folder, timeout=120, check=False,
                              env=dict(os.environ, PATH=path, COLUMNS="100"), encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertIn(done.returncode, (0, 1), done.stdout)
        return f"$ {command}\n{done.stdout}"

    def replayed(self, block):
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        self.assertTrue(commands)
        return "".join(self.printed(command) for command in commands)

    def test_outputs_are_those_of_the_page(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(BLOCK.search(page))
        replayed = BLOCK.sub(lambda block: self.replayed(block[0]), page)
        if WRITE:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(replayed)
        else:
            self.assertEqual(replayed, page)


main()
