# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/on_device_test.py: every kernel on the available device, byte by byte.
"""usage: on_device_test.py MX_VERIFY GOLDEN FOLDER COMMITTED_LIST; exit status 77 without a device."""

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


def check_list(program, golden, committed):
    """All cases are those of the committed list. Returns its lines."""
    listed = run(program, "--list", "--golden", golden)
    with open(committed, encoding="utf-8") as file:
        expect(listed.returncode == 0 and file.read() == listed.stdout, listed)
    return listed.stdout.splitlines()


def refused_by(capability, lines):
    """How many cases of the list a device refuses, since it lacks their instructions."""
    lacked = {"wgmma": capability.split(".")[0] != "9", "native": int(capability.split(".")[0]) < 10}
    counts = [part.split() for line in lines for part in line.split(", ")[1:]]
    return sum(int(count) for count, name in counts if lacked[name])


def main(program, golden, folder, committed):
    check_usage(program)
    lines = check_list(program, golden, committed)
    found = os.path.join(folder, "mx_verify.json")
    done = run(program, "--no-times", "--golden", golden, "--repro",
               os.path.join(folder, "mx_verify.repro"), "--log", os.path.join(folder, "mx_verify.log"),
               "--json", found)
    if done.returncode == 3 and "no CUDA device can be used" in done.stderr:
        print("SKIPPED: kernels_on_device, because " + done.stderr.strip().partition("error: ")[2])
        return SKIPPED
    expect(done.returncode == 0 and "left out:" not in done.stdout, done)
    with open(found, encoding="utf-8") as file:
        results = json.load(file)
    expect(results["different"] == 0, done)
    expect(results["skipped"] == refused_by(results["compute_capability"], lines), done)
    print(done.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
