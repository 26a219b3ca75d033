# SPDX-License-Identifier: Apache-2.0
# tests/analysis/clang_tidy.py SOURCE-FOLDER FOLDER [PART...]: clang-tidy finds nothing of .clang-tidy's list.
"""With PARTs only files whose path, seen from the sources, begins with one of them."""

import concurrent.futures
import os
import subprocess
import sys

import compile_commands


def findings(clang_tidy, database, path):
    """What it says about a file, empty if nothing."""
    done = subprocess.run([clang_tidy, "-p", database, "--quiet", path], capture_output=True, encoding="utf-8",
                          check=False)
    return done.stdout if done.returncode != 0 else ""


def main(sources, folder, *parts):
    clang_tidy = compile_commands.program("clang-tidy-19")
    commands = compile_commands.configured(sources, os.path.join(folder, "sources"))
    database = os.path.dirname(compile_commands.write(commands, os.path.join(folder, "clang_tidy_sources")))
    paths = sorted({c["file"] for c in commands})
    if parts:
        paths = [path for path in paths if os.path.relpath(path, sources).startswith(parts)]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda path: findings(clang_tidy, database, path), paths)
        for path, text in zip(paths, results):
            bad += text != ""
            print(f"{os.path.relpath(path, sources)}: " + (text or "nothing"), flush=True)
    print(f"{len(paths)} files read, findings in {bad}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3]), *sys.argv[3:]))
