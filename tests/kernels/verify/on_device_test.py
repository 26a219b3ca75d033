# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/on_device_test.py: every kernel on the available device, byte by byte.
"""usage: on_device_test.py MX_VERIFY GOLDEN FOLDER; exit status 77 without a device."""

import json
import os
import subprocess
import sys

SKIPPED = 77


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, encoding="utf-8", check=False)


def expect(condition, done):
    if not condition:
        sys.exit(f"{done.args}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")


def check_usage(program):
    result = run(program, "--help")
    expect(result.returncode == 0 and "usage: mx_verify" in result.stdout and not result.stderr, result)
    for words, named in ((["--quick"], "no option --quick"), (["--only"], "--only needs a value")):
        refused = run(program, *words)
        expect(refused.returncode == 2 and named in refused.stderr and not refused.stdout, refused)


def main(program, golden, folder):
    check_usage(program)
    found = os.path.join(folder, "mx_verify.json")
    done = run(program, "--no-times", "--golden", golden, "--repro",
               os.path.join(folder, "mx_verify.repro"), "--log", os.path.join(folder, "mx_verify.log"),
               "--json", found)
    if done.returncode == 3 and "no CUDA device can be used" in done.stderr:
        print("SKIPPED: kernels_on_device, because " + done.stderr.strip().partition("error: ")[2])
        return SKIPPED
    expect(done.returncode == 0 and "left out:" not in done.stdout, done)
    with open(found, encoding="utf-8") as file:
        expect(json.load(file)["different"] == 0, done)
    print(done.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
