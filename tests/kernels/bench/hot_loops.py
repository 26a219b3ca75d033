# SPDX-License-Identifier: Apache-2.0
# tests/kernels/bench/hot_loops.py: limits of the instructions of products by mma and wgmma, in code for
# sm_90a.
"""usage: hot_loops.py NVCC ROOT

Exit status 1 if a step, or the store of an element, takes more instructions than its limit; 77 without
cuobjdump."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "kernels/bench"))

from instruction_counts import cuobjdump_of, text_of  # noqa: E402
from machine_code import Blocks, Paths, functions_in  # noqa: E402

SKIPPED = 77
SUMS = 64  # of a thread
STORE_LIMIT = 30  # instructions an element
# In the kernel's mangled name the number of the arithmetic, then the products; what a pass of the loop
# executes, its k, and the limit for 64 of k. Of wgmma's passes the cheapest is that of folded scales.
STEPS = {
    "gemm": [
        ("mma, fp32.sequential, MXFP4", "10mma_kernel.*E1E", {"IMMA": 32, "LDGSTS": 5}, 64, 450),
        ("mma, fp32.sequential, NVFP4", "10mma_kernel.*E2E", {"IMMA": 64, "LDGSTS": 5}, 64, 750),
        ("mma, blackwell.mxf4", "10mma_kernel.*E3E", {"IMMA": 32, "LDGSTS": 5, "FADD.RZ": SUMS}, 64, 650),
        ("mma, blackwell.mxf4nvf4", "10mma_kernel.*E4E", {"IMMA": 64, "LDGSTS": 5, "FADD.RZ": SUMS}, 64, 1350),
    ],
    "wgmma": [
        ("wgmma_e4m3, fp32.sequential, MXFP4", "12wgmma_kernel.*E1E.*e4m3", {"QGMMA": 8}, 128, 240),
        ("wgmma_e4m3, fp32.sequential, NVFP4", "12wgmma_kernel.*E2E.*e4m3", {"QGMMA": 16}, 128, 650),
        ("wgmma_e4m3, blackwell.mxf4", "12wgmma_kernel.*E3E.*e4m3", {"QGMMA": 16, "FADD.RZ": 2 * SUMS}, 128, 700),
    ],
}


def code_of(nvcc, source, cubin):
    includes = [f"-I{ROOT / folder}" for folder in ("emulator/include", "kernels/include", "kernels/src")]
    command = [nvcc, "-std=c++20", "-O3", "-fmad=false", "-gencode", "arch=compute_90a,code=sm_90a", *includes,
               "-cubin", "-o", cubin, ROOT / f"kernels/src/gemm/{source}.cu"]
    subprocess.run(command, check=True, timeout=1500)
    return functions_in(text_of(cubin, "-sass", "cuobjdump"))


def instructions_of_end(blocks, loop):
    """Of the path that stores all sums in pairs; the compiler may split one, and the thread stores its rest."""
    for pairs in range(SUMS // 2, SUMS // 2 - 4, -1):
        stores = 1 + pairs + 2 * (SUMS // 2 - pairs)
        found = Paths(blocks, {"STG.E.64": pairs, "STG": stores}).end_after(loop)
        if found is not None:
            return len(found)
    sys.exit("no path to the end stores all sums in pairs")


def is_within(name, body, required, k, limit):
    blocks = Blocks(body)
    step, loop = Paths(blocks, required).hot_loop()
    if step is None:
        sys.exit(f"{name}: no loop with {required}")
    store = instructions_of_end(blocks, loop) / SUMS
    count = len(step) * 64 / k
    print(f"{name}: {count:g} instructions of a step, at most {limit}; {store:.1f} an element, at most {STORE_LIMIT}")
    return count <= limit and store <= STORE_LIMIT


def main():
    if cuobjdump_of("cuobjdump") is None:
        print("there is no cuobjdump (./bootstrap --cuda-counts)")
        sys.exit(SKIPPED)
    within = True
    with tempfile.TemporaryDirectory() as folder:
        for source, steps in STEPS.items():
            found = code_of(sys.argv[1], source, pathlib.Path(folder) / f"{source}.cubin")
            for name, pattern, *limits in steps:
                bodies = [body for kernel, body in found.items() if re.search(pattern, kernel)]
                if len(bodies) != 1:
                    sys.exit(f"{len(bodies)} kernels of {name}")
                within = is_within(name, bodies[0], *limits) and within
    sys.exit(0 if within else 1)


main()
