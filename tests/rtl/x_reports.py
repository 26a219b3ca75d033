# SPDX-License-Identifier: Apache-2.0
"""x_reports.py: cycles with unknown bits, and the reports that they must lead to."""

RESET_CYCLES = 2
UNKNOWN = ("one x", "one z", "all x", "all z")


def expect(held, result):
    if not held:
        raise AssertionError(result)


def idle(module, **known):
    """A cycle without valid: the payload is ignored and unknown."""
    values = {port: "x" * width for port, width in module.inputs.items()}
    return {**values, "rst_ni": "1", **known}


def spoiled(value, kind):
    """A value with unknown bits."""
    digit, middle = kind[-1], len(value) // 2
    if kind.startswith("all"):
        return digit * len(value)
    return value[:middle] + digit + value[middle + 1:]


def expect_reports(run, wanted, result):
    expect(run.reports == wanted, f"{result}: reported {run.reports}, not {wanted}")


def unknown(port, cycle):
    return f"{port} is unknown", cycle
