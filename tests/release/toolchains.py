# SPDX-License-Identifier: Apache-2.0
# tests/release/toolchains.py: other compilers and optimizations give the same bits: hashes of the first
# steps of the default study, and the golden words.
"""usage: toolchains.py [--list] [--build DIR] [NAME...]

Builds the tests TESTS with each named toolchain in a folder of its own below DIR (build/toolchains), runs
them on every instruction set that this machine offers, and prints the time. NAME is one of --list, or the
beginning of several; without a name it is all, many minutes each. A scalar build has no vector code. The vector
kernels of mx::bulk are compiled with -O3 in any build: without optimization they are of no use. Exit
status 77: no compiler was found."""

import os
import shutil
import subprocess
import sys
import time

SOURCES = os.environ.get("MX_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# Those of Debian 12 and Ubuntu 24.04, and the next.
COMPILERS = ("g++-12", "g++-13", "g++-14", "clang++", "clang++-19")
OLDEST_CLANG = 17  # which deduces the arguments of templates of aggregates, as C++20 has it
# Without optimization asserts are on.
FLAGS = {"O0": "-O0", "O3": "-O3 -DNDEBUG", "O3-scalar": "-O3 -DNDEBUG -DHWY_COMPILE_ONLY_SCALAR"}
TESTS = ("release_first_steps", "train_first_steps", "core_words", "bulk_words")


def toolchains():
    """Name -> compiler and flags."""
    return {f"{compiler}-{kind}": (compiler, flags) for compiler in COMPILERS for kind, flags in FLAGS.items()}


def chosen(names):
    """The toolchains of these names, or those whose names begin with one; all if none is given."""
    known = toolchains()
    if not names:
        return known
    result = {}
    for name in names:
        fitting = [name] if name in known else [other for other in known if other.startswith(name)]
        if not fitting:
            sys.exit(f"toolchains.py: error: no toolchain is named {name}; --list names them")
        result.update({other: known[other] for other in fitting})
    return result


def reason_against(compiler):
    """Why a compiler cannot be used here; None if it can."""
    if shutil.which(compiler) is None:
        return "it is not installed"
    version = subprocess.run([compiler, "-dumpversion"], check=True, capture_output=True, encoding="utf-8").stdout
    if compiler.startswith("clang") and int(version.split(".")[0]) < OLDEST_CLANG:
        return f"it is version {version.strip()}, and older than {OLDEST_CLANG}"
    return None


def configure(folder, compiler, flags):
    return ["cmake", "-S", SOURCES, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS_RELEASE={flags}", "-DCMAKE_UNITY_BUILD=ON",
            "-DMX_TEST_FOLDERS=vectors;train;release", "-DMX_MPI=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON"]


def commands(folder, compiler, flags):
    targets = [f"{name}_test" for name in TESTS]
    return [configure(folder, compiler, flags),
            ["cmake", "--build", folder, "--parallel", os.environ.get("MX_PARALLEL", "2"), "--target", *targets],
            ["ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "--timeout", "3600",
             "-R", f"^({'|'.join(TESTS)})$"]]


def is_same(name, folder, compiler, flags):
    """Whether all tests pass; if not, the end of the failed command's output is printed."""
    start = time.monotonic()
    for words in commands(folder, compiler, flags):
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode != 0:
            print(f"{name}: FAILED: {' '.join(words[:2])}\n{(done.stdout + done.stderr)[-6000:]}", flush=True)
            return False
    print(f"{name}: the same bits ({time.monotonic() - start:.0f} s)", flush=True)
    return True


def main(words):
    if "--list" in words:
        print("\n".join(toolchains()))
        return 0
    build = os.path.join(SOURCES, "build", "toolchains")
    if words[:1] == ["--build"]:
        build, words = words[1], words[2:]
    wanted = chosen(words)
    reasons = {compiler: reason_against(compiler) for compiler, _ in wanted.values()}
    for compiler, reason in reasons.items():
        if reason:
            print(f"SKIPPED: {compiler} in toolchains.py, because {reason}")
    found = {name: words for name, words in wanted.items() if reasons[words[0]] is None}
    results = [is_same(name, os.path.join(build, name), *words) for name, words in found.items()]
    return 77 if not results else 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
