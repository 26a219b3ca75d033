# SPDX-License-Identifier: Apache-2.0
"""synthesis.py: a module through yosys: gates in NAND2 equivalents, flip-flops, iCE40 cells."""
import collections
import json
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


def reported(yosys, folder, script, report):
    """What the last command, `report FILE`, writes after the script on the folder's files. Names of
    files and gates move the counts, since they decide the order in which gates are visited: a copy
    of the gates lies beside the files, so that no path is part of a name."""
    shutil.copy(GATES, folder)
    files = sorted(name for name in os.listdir(folder) if name.endswith(".sv"))
    files.sort(key=lambda name: name != "mx_pkg.sv")
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report")
        command = f"read_verilog -sv {' '.join(files)}; {script}; {report.format(path)}"
        run = subprocess.run([yosys, "-q", "-p", command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, cwd=folder, check=False)
        if run.returncode != 0 or run.stdout:
            raise RuntimeError(f"yosys on {script}:\n{run.stdout}")
        with open(path, encoding="utf-8") as text:
            return text.read()


def cells_of(yosys, folder, script):
    """{module: {cell: count}} after the script."""
    text = reported(yosys, folder, script, "tee -q -o {} stat")
    sections = re.split(r"^=== (.*) ===$", text, flags=re.MULTILINE)[1:]
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


def depth_of(gates):
    """Gates on the longest path that holds no flip-flop.

    gates: the cells of a netlist in JSON, whose output is Y or Q
    """
    made_by = {cell["connections"]["Y"][0]: cell for cell in gates if "Y" in cell["connections"]}
    depths = {}
    for start in made_by:
        path = [start]
        while path:
            inputs = [bits[0] for port, bits in made_by[path[-1]]["connections"].items()
                      if port != "Y" and bits[0] in made_by]
            unknown = [bit for bit in inputs if bit not in depths]
            if unknown:
                path += unknown
            else:
                depths[path.pop()] = 1 + max((depths[bit] for bit in inputs), default=0)
    return max(depths.values(), default=0)


def flat_counts(yosys, folder, top):
    netlist = json.loads(reported(yosys, folder, flat_script(top), "write_json {}"))
    gates = list(netlist["modules"][top]["cells"].values())
    cells = collections.Counter(gate["type"] for gate in gates)
    if unknown_cells(cells):
        raise RuntimeError(f"{top} holds cells without an area: {unknown_cells(cells)}")
    return {
        "nand2": gates_in(cells),
        "depth": depth_of(gates),
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
