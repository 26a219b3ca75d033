# SPDX-License-Identifier: Apache-2.0
# tests/bench/microxcaling.py: MXFP4 quantization side by side with microxcaling, one thread each.
# Source: microsoft/microxcaling, mx/mx_ops.py (`_quantize_mx`). It is not in the Python package
# registry; neural-compressor-pt carries a copy of its path for PyTorch on the CPU.
"""usage: microxcaling.py [MXPRISM]; prints both speeds and their ratio; status 1 below the goal

MXPRISM is the command to measure (else the variable MXPRISM, else the one in the path).
"""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import time

GOAL = 100
OURS = "quantize.mxfp4"
SKIPPED = 77
ROWS, COLUMNS = 4096, 4096  # 64 MiB of FP32
REPEATS = 5
COPY_PACKAGE, COPY_FILE = "neural-compressor-pt", "mx_quant/utils.py"


def skip(why):
    print(f"SKIPPED: microxcaling.py, because {why}")
    sys.exit(SKIPPED)


def copied_module():
    """The copy's one file by itself, without the dependencies of its package."""
    try:
        files = importlib.metadata.files(COPY_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    path = next(file.locate() for file in files if str(file).endswith(COPY_FILE))
    spec = importlib.util.spec_from_file_location("mx_quant_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quantizer():
    """(name, function of a tensor): microxcaling if it can be imported, else the copy."""
    try:
        from mx.mx_ops import _quantize_mx
        from mx.formats import ElemFormat
        name = "microxcaling"
    except ImportError:
        module = copied_module()
        if module is None:
            skip(f"Python has neither microxcaling nor {COPY_PACKAGE} "
                 "(./bootstrap --oracles-torch installs the latter)")
        _quantize_mx, ElemFormat = module._quantize_mx, module.ElemFormat
        name = f"microxcaling as in {COPY_PACKAGE} {importlib.metadata.version(COPY_PACKAGE)}"
    return name, lambda x: _quantize_mx(x, 8, ElemFormat.fp4_e2m1, axes=[-1], block_size=32)


def their_speed(torch, quantize):
    """GB/s of FP32 read; the fastest of several runs."""
    torch.set_num_threads(1)
    x = torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(1))
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        quantize(x)
        times.append(time.perf_counter() - begin)
    return x.numel() * x.element_size() / min(times) / 1e9


def our_speed(program):
    done = subprocess.run([program, "bench", OURS, "--json"], check=True,
                          stdout=subprocess.PIPE)
    # The figures beside it, `extra.`, are of other rules, formats and instruction sets.
    results = json.loads(done.stdout)["results"]
    (result,) = [result for result in results if result["name"] == OURS]
    if result["unit"] != "GB/s":
        sys.exit(f"{OURS} is in {result['unit']}, and GB/s was expected")
    return result["value"]


def main(words):
    try:
        import torch
    except ImportError:
        skip("Python has no torch (./bootstrap --oracles-torch installs it)")
    name, quantize = quantizer()
    program = words[1] if len(words) > 1 else os.environ.get("MXPRISM", "mxprism")
    theirs = their_speed(torch, quantize)
    ours = our_speed(program)
    print(f"{name}, torch {torch.__version__}, one thread: {theirs:.4f} GB/s of FP32\n"
          f"mxprism bench {OURS}, one thread: {ours:.2f} GB/s of FP32\n"
          f"ratio: {ours / theirs:.0f} (goal: {GOAL})")
    return 0 if ours >= GOAL * theirs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
