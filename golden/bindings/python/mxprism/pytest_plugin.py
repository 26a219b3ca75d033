# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/pytest_plugin.py: fixtures for tests of kernels; installed as a
# plugin of pytest.
"""Fixtures that pytest finds once the package is installed:

    def test_ties(mx_pack):
        for case in mx_pack("ties").cases("mxfp4"):
            codes, scales = my_kernel(case.x, case.scale_rule)
            assert_bits_equal(codes, scales, case.x, format="mxfp4", scale_rule=case.scale_rule)

    def test_variant(mx_probe):
        card = mx_probe("mxfp4").identify(my_kernel)
        assert "torchao.rceil" in card.presets, str(card)

mx_pack is mxprism.pack, mx_probe is mxprism.probe; both keep what they made for the session, and
their arrays are copies, which a test may write to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest


@pytest.fixture(scope="session")
def mx_pack() -> Callable[..., Any]:
    """mxprism.pack, each pack made once."""
    import mxprism

    return cache(mxprism.pack)


@pytest.fixture(scope="session")
def mx_probe() -> Callable[..., Any]:
    """mxprism.probe, each probe made once."""
    import mxprism
    from mxprism._array import rows_and_columns

    made = cache(mxprism.probe)

    def probe(format: Any = "mxfp4", *, dtype: str = "float32", shape: Any = None) -> Any:
        extents = None if shape is None else rows_and_columns(shape, "shape")
        return made(format, dtype=dtype, shape=extents)
    return probe
