# SPDX-License-Identifier: Apache-2.0
"""synthesis.py: a module through yosys: gates in NAND2 equivalents, flip-flops, iCE40 cells."""
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GATES = os.path.join(HERE, "gates.genlib")

# Transistors over the four of a NAND2, as in gates.genlib: a D flip-flop of 24, 10 for the
# multiplexer of its enable, 4 more for an asynchronous reset.
FLIP_FLOPS = {"$_DFFE_PP_": 8.5, "$_DFFE_PN0P_": 9.5}

# The part of a cell, by the path in its name; if several match, the last one decides.
PARTS = {
    "control": "t:* t:$*ff* %d",
    "exponents": "c:*u_step.$add* c:*u_step.$sub* c:*u_step.$ternary* c:*u_largest.*",
    "scaling": "c:*u_step.$mul*",
    "sum": "c:*u_step.?u_sum.*",
    "products": "c:*u_group.*",
    "scales": "c:*u_scale.*",
    "alignment": "c:*u_align*.*",
    "rounding": "c:*u_round.*",
}

TO_FLIP_FLOPS = "dfflegalize " + " ".join(f"-cell {cell} x" for cell in FLIP_FLOPS)
TO_GATES = f"{TO_FLIP_FLOPS}; abc -genlib gates.genlib; opt_clean"


def version_of(yosys):
    run = subprocess.run([yosys, "-V"], text=True, stdout=subprocess.PIPE, check=True)
    return " ".join(run.stdout.split()[:2])


def gate_areas():
    with open(GATES, encoding="utf-8") as text:
        return {name: float(area) for name, area in re.findall(r"^GATE (\w+) +([\d.]+)",
                                                               text.read(), re.MULTILINE)}


def flat_script(top):
    return f"synth -flatten -top {top}; {TO_GATES}"


def parts_script(top):
    """Constants are propagated through the hierarchy before it is cut into parts, so that a scale
    without a fraction costs no multiplier; duplicates are merged."""
    marks = "; ".join(f"setattr -set submod \"{part}\" {cells}" for part, cells in PARTS.items())
    return (f"hierarchy -check -top {top}; proc; flatten; opt_expr; opt_clean; opt_merge; "
            "opt_dff -nosdff; opt_expr; opt_merge; opt_clean; wreduce; opt_clean; "
            f"{marks}; splitnets; submod; synth -top {top}; {TO_GATES}")


def cells_of(yosys, folder, script):
    """{module: {cell: count}} after the script on the folder's files. Names of files and gates
    move the counts, since they decide the order in which gates are visited: a copy of the gates
    lies beside the files, so that no path is part of a name."""
    shutil.copy(GATES, folder)
    files = sorted(name for name in os.listdir(folder) if name.endswith(".sv"))
    files.sort(key=lambda name: name != "mx_pkg.sv")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "stat.txt")
        command = f"read_verilog -sv {' '.join(files)}; {script}; tee -q -o {report} stat"
        run = subprocess.run([yosys, "-q", "-p", command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, cwd=folder, check=False)
        if run.returncode != 0 or run.stdout:
            raise RuntimeError(f"yosys on {script}:\n{run.stdout}")
        with open(report, encoding="utf-8") as text:
            sections = re.split(r"^=== (.*) ===$", text.read(), flags=re.MULTILINE)[1:]
    found = dict(zip(sections[::2], sections[1::2]))
    found.pop("design hierarchy", None)
    return {module: {cell: int(count) for cell, count in re.findall(r"^ +(\S+) +(\d+)$", counts,
                                                                    re.MULTILINE)}
            for module, counts in found.items()}


def gates_in(cells):
    areas = gate_areas()
    return sum(areas.get(cell, 0) * count for cell, count in cells.items())


def unknown_cells(cells):
    known = {*gate_areas(), *FLIP_FLOPS}
    return {cell for cell in cells if cell not in known and not cell.startswith("mx_")}


def flat_counts(yosys, folder, top):
    (cells,) = cells_of(yosys, folder, flat_script(top)).values()
    if unknown_cells(cells):
        raise RuntimeError(f"{top} holds cells without an area: {unknown_cells(cells)}")
    return {
        "nand2": gates_in(cells),
        "flip_flops": sum(cells.get(cell, 0) for cell in FLIP_FLOPS),
        "nand2_registers": sum(area * cells.get(cell, 0) for cell, area in FLIP_FLOPS.items()),
    }


def parts_counts(yosys, folder, top):
    modules = cells_of(yosys, folder, parts_script(top))
    counts = {f"part_{part}": gates_in(modules.get(f"{top}_{part}", {})) for part in PARTS}
    counts["part_control"] += gates_in(modules[top])
    return counts


def ice40_counts(yosys, folder, top):
    (cells,) = cells_of(yosys, folder, f"synth_ice40 -top {top}").values()
    return {
        "ice40_lut4": cells.get("SB_LUT4", 0),
        "ice40_carry": cells.get("SB_CARRY", 0),
        "ice40_dff": sum(count for cell, count in cells.items() if cell.startswith("SB_DFF")),
    }
