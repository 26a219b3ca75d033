# SPDX-License-Identifier: Apache-2.0
# tests/kernels/registers.py NVCC ROOT [ARCHITECTURE...]: reports ptxas' figures of every kernel:
# registers of a thread, and spilled bytes. Exit status 1 if a fast kernel spills any.
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ARCHITECTURES = ["80", "90a", "100a", "120a"]
# Kernels that exist for clarity, or that serve requests no other kernel serves.
CLEAR = ["blocks_kernel", "core_kernel", "corrected_kernel", "dp4a_kernel", "decompose_core", "sum_kernel",
         "rest_kernel", "core_body", "dp4a_body", "rest_body"]

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
PROPERTIES = re.compile(r"Function properties for (\w+)")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def report_of(nvcc, root, source, architecture):
    code = f"arch=compute_{architecture},code=sm_{architecture}"
    command = [nvcc, "-std=c++20", "-O3", "-fmad=false", "-gencode", code, "-Xptxas", "-v"]
    command += [f"-I{root}/{folder}" for folder in ("emulator/include", "kernels/include", "kernels/src")]
    made = subprocess.run(command + ["-c", str(source), "-o", "/dev/null"], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"registers.py: error: {source} does not compile for sm_{architecture}:\n{made.stderr}")
    return made.stderr


def kernels_in(report):
    """Mangled name -> [registers, bytes spilled]; functions that a kernel calls are ignored."""
    found, entry, of = {}, None, None
    for line in report.splitlines():
        if match := ENTRY.search(line):
            entry = match[1]
            found[entry] = [0, 0]
        elif match := PROPERTIES.search(line):
            of = match[1]
        elif (match := SPILLS.search(line)) and of == entry:
            found[entry][1] = int(match[1]) + int(match[2])
        elif (match := REGISTERS.search(line)) and entry:
            found[entry][0] = int(match[1])
    return found


def plain_names(mangled):
    text = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    noise = [r"\(anonymous namespace\)::", r"mx::kernels::", r"mx::", r"^void ", r"\([^()]*\)$"]
    names = []
    for name in text.splitlines():
        for pattern in noise:
            name = re.sub(pattern, "", name)
        names.append(name)
    return dict(zip(mangled, names))


def rows_of(job):
    nvcc, root, source, architecture = job
    kernels = kernels_in(report_of(nvcc, root, source, architecture))
    names = plain_names(list(kernels))
    return [(f"{source.stem}: {names[k]}", architecture, *kernels[k]) for k in kernels]


def main():
    nvcc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    sources = sorted((root / "kernels/src").rglob("*.cu"))
    jobs = [(nvcc, root, s, a) for a in sys.argv[3:] or ARCHITECTURES for s in sources]
    with ThreadPoolExecutor(2) as pool:
        rows = sorted(row for rows in pool.map(rows_of, jobs) for row in rows)
    spilling = 0
    print(f"{'kernel':<100} {'sm':>5} {'registers':>9} {'spilled':>7}")
    for name, architecture, registers, spilled in rows:
        is_fault = spilled > 0 and not any(clear in name for clear in CLEAR)
        spilling += is_fault
        print(f"{name:<100} {architecture:>5} {registers:>9} {spilled:>7}{'  TOO MANY' if is_fault else ''}")
    if not rows:
        sys.exit("registers.py: error: no kernel was found")
    print(f"{len(rows)} kernels, {spilling} fast ones spill")
    sys.exit(1 if spilling else 0)


main()
