#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""speed_test.py PROGRAM: mx_systemc_bench reaches its speed goals and prints as `mxprism bench`
does; unknown arguments are refused."""
import json
import subprocess
import sys

LEAST = {"systemc.lt": 0.5, "systemc.cycles": 2.0}
KEYS = ["name", "value", "unit", "yardstick", "yardstick_value", "ratio"]


def run(program, *words):
    return subprocess.run([program, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)


def main():
    program = sys.argv[1]
    failed = 0
    rows = json.loads(run(program, "--json").stdout)["results"]
    for row in rows:
        print(f"{row['name']}: {row['value']:.1f} {row['unit']}, {row['yardstick']} "
              f"{row['yardstick_value']}: ratio {row['ratio']}")
        failed += list(row) != KEYS
        if row["ratio"] is not None:
            failed += row["ratio"] < LEAST.get(row["name"], 0)
    failed += [row["name"] for row in rows if not row["name"].startswith("extra.")] != list(LEAST)
    for name in LEAST:
        text = run(program, name).stdout
        failed += name not in text or any(other in text for other in LEAST if other != name)
    failed += run(program, "rtl.dot").returncode != 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
