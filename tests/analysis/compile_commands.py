# SPDX-License-Identifier: Apache-2.0
# tests/analysis/compile_commands.py: how each source of the project is compiled, for programs that read sources.
"""A build folder of its own is configured and not built: its files are compiled one by one and without precompiled
headers, which other programs cannot read."""

import json
import os
import shutil
import subprocess
import sys


def program(name):
    """Its path; without it the test is skipped."""
    path = shutil.which(name)
    if path is None:
        print(f"SKIPPED: {name}, because it is not installed (./bootstrap --analysis)")
        sys.exit(77)
    return path


def configured(sources, folder):
    """The compile commands of the files that are the project's own and exist: Verilated ones, for example, do not."""
    subprocess.run(
        [os.environ.get("CMAKE", "cmake"), "-S", sources, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
         "-DCMAKE_CXX_COMPILER=" + os.environ.get("MX_CXX_COMPILER", "g++"), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
         "-DCMAKE_UNITY_BUILD=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"],
        check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    return [c for c in commands if is_own(c["file"], sources, folder)]


def is_own(path, sources, folder):
    inside = os.path.realpath(path).startswith(os.path.realpath(sources) + os.sep)
    generated = os.path.realpath(path).startswith((os.path.realpath(folder) + os.sep,
                                                   os.path.join(os.path.realpath(sources), "build") + os.sep))
    return inside and not generated and os.path.exists(path)


def write(commands, folder):
    """A database of these commands alone: its path."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "compile_commands.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(commands, file, indent=1)
    return path
