# SPDX-License-Identifier: Apache-2.0
# tests/e2e/claims_seed_test.py: one seed of the shipped claims, drawn by the day, computed again: its
# hashes are those of the committed table. Exit status 77 where no table is committed.

import datetime
import os
import random
import subprocess
import sys
import tempfile

SOURCES, COMMAND = os.environ["MX_SOURCE_DIR"], os.environ["MXPRISM"]
TABLE = os.environ.get("MX_CLAIMS_HASHES", os.path.join(SOURCES, "docs/results/claims_hashes.csv"))
CLAIMS = os.environ.get("MX_CLAIMS", os.path.join(SOURCES, "sim/studies/claims.toml"))


def main():
    if not os.path.exists(TABLE):
        print(f"SKIPPED: {TABLE} is absent: no table of the claims' hashes is committed")
        return 77
    with open(TABLE, encoding="utf-8") as file:
        seeds = sorted({line.split(",")[2] for line in file if line.startswith("main,")})
    day = datetime.date.today().isoformat()
    seed = random.Random(day).choice(seeds)
    print(f"seed {seed}, drawn by {day}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([COMMAND, "repro", CLAIMS, "-o", os.path.join(folder, "again"),
                               "--verify-seed", seed, "--against", TABLE], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
