# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/package_case.py: shared by tests of the Python package.
"""PYTHONPATH has the package."""

import importlib
import os
import sys

SKIPPED = 77  # ctest's exit status for "did not run"

SOURCE = os.environ["MX_SOURCE_DIR"]
for folder in ("e2e", "bindings"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", folder))


def packages(*names):
    """The modules of these names; the test is skipped if one is absent."""
    try:
        return [importlib.import_module(name) for name in names]
    except ModuleNotFoundError as error:
        if error.name not in names:
            raise
        print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no {error.name} "
              "(./bootstrap --oracles installs it)")
        sys.exit(SKIPPED)


np, ml_dtypes = packages("numpy", "ml_dtypes")


def numbers(*shape, seed=1):
    """FP32 numbers of many binades, some of them zero."""
    source = np.random.default_rng(seed)
    x = source.uniform(-2, 2, shape) * 2.0 ** source.integers(-6, 6, shape)
    return np.where(source.random(shape) < 0.05, 0, x).astype(np.float32)


def bits(x):
    """Words with the bits of numbers, so that zeros of both signs differ."""
    return x.copy(order="C").view({2: np.uint16, 4: np.uint32}[x.dtype.itemsize])
