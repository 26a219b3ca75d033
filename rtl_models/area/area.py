#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""area.py: gate counts of the modules of mx_dot_models.sv, written to area.csv or compared with it.

    area.py --yosys PROGRAM write [-j JOBS] [--only MODEL ...]  measures and writes
    area.py --yosys PROGRAM check [-j JOBS] [--only MODEL ...]  measures and compares: 1, different
    area.py tables                                              writes the tables of README.md
"""
import argparse
import concurrent.futures
import csv
import os
import re
import sys
import tempfile

import synthesis
import tables

VERILOG = os.path.join(synthesis.HERE, "..", "verilog")
CSV = os.path.join(synthesis.HERE, "area.csv")
README = os.path.join(synthesis.HERE, "README.md")

# Models of the emulator with another window, for comparison at equal F.
OTHER_WINDOWS = {
    "blackwell_mxf4": 25, "blackwell_mxf4_e8m3": 25, "blackwell_mxf4nvf4": 25,
    "blackwell_mxf8f6f4_e2m1": 35, "blackwell_mxf8f6f4_e2m3": 35, "blackwell_mxf8f6f4_e3m2": 35,
    "blackwell_mxf8f6f4_e4m3": 35, "blackwell_mxf8f6f4_e5m2": 35,
}
PARAMETERS = {
    "FormatA": "format_a", "FormatB": "format_b", "FormatScale": "scale", "Block": "block",
    "K": "products_per_cycle", "Step": "step", "Group": "group", "Alignment": "alignment",
    "FractionBits": "fraction_bits", "Rounding": "rounding",
}
COLUMNS = ["model", *PARAMETERS.values(), "nand2", "flip_flops", "nand2_registers",
           *(f"part_{part}" for part in synthesis.PARTS),
           "ice40_lut4", "ice40_carry", "ice40_dff", "tool"]


def text_of(name):
    """A file without what only simulators see: any text moves counts, even one that is not read."""
    with open(os.path.join(VERILOG, name), encoding="utf-8") as text:
        return re.sub(r"\n`ifndef SYNTHESIS\n.*?^`endif\n", "", text.read(),
                      flags=re.MULTILINE | re.DOTALL)


def verilog_files():
    """The files of what mx_dot is made of: others would only give gates other names."""
    listed = set(re.findall(r"mx_\w+\.sv", text_of("files.cmake")))
    found, open_files = set(), {"mx_dot.sv"}
    while open_files:
        found |= open_files
        named = {f"{name}.sv" for file in open_files
                 for name in re.findall(r"\b(mx_\w+)(?= #\(|::)", text_of(file))}
        open_files = (named & listed) - found
    return sorted(found)


def modules():
    """{model: its text}, those with another window among them."""
    pattern = re.compile(r"^module mx_dot_(\w+) .*?^endmodule$", re.MULTILINE | re.DOTALL)
    found = {match[1]: match[0] for match in pattern.finditer(text_of("mx_dot_models.sv"))}
    for model, bits in OTHER_WINDOWS.items():
        other = f"{model}_f{bits}"
        text = found[model].replace(f"mx_dot_{model} ", f"mx_dot_{other} ")
        found[other] = re.sub(r"\.FractionBits\(\d+\)", f".FractionBits({bits})", text)
    return found


def snake_case(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def parameters_of(text):
    held = dict(re.findall(r"\.(\w+)\((?:mx_pkg::)?(\w+)\)", text))
    row = {column: held.get(name, "") for name, column in PARAMETERS.items()}
    return {column: snake_case(re.sub("^(Align|Round)", "", value))
            for column, value in row.items()}


def measured(yosys, model, text):
    top = f"mx_dot_{model}"
    row = {"model": model, **parameters_of(text), "tool": synthesis.version_of(yosys)}
    with tempfile.TemporaryDirectory() as folder:
        for name in verilog_files():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text_of(name))
        with open(os.path.join(folder, "mx_dot_models.sv"), "w", encoding="utf-8") as out:
            out.write(text)
        for counts in (synthesis.flat_counts, synthesis.parts_counts, synthesis.ice40_counts):
            row.update(counts(yosys, folder, top))
    return {column: str(row[column]) for column in COLUMNS}


def all_measured(yosys, jobs, only):
    wanted = {model: text for model, text in modules().items() if not only or model in only}
    if not wanted or set(only or []) - set(wanted):
        raise SystemExit(f"area.py: error: no model of {', '.join(only)}")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(measured, yosys, *item) for item in wanted.items()]
        for done in concurrent.futures.as_completed(waiting):
            print(f"{done.result()['model']}: {done.result()['nand2']} NAND2", flush=True)
            yield done.result()


def held_rows():
    if not os.path.exists(CSV):
        return []
    with open(CSV, newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def write(row):
    """Replaces the row of this model; the others stay, in the order of the models."""
    held = {there["model"]: there for there in [*held_rows(), row]}
    with open(CSV + ".new", "w", newline="", encoding="utf-8") as text:
        out = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(held[model] for model in modules() if model in held)
    os.replace(CSV + ".new", CSV)


def same_tool(yosys):
    return all(row["tool"] == synthesis.version_of(yosys) for row in held_rows())


def check(rows, only):
    held = {row["model"]: row for row in held_rows()}
    wrong = 0
    for row in rows:
        there = held.pop(row["model"], {})
        for column in COLUMNS:
            if there.get(column) != row[column]:
                wrong += 1
                print(f"{row['model']}: {column} is {row[column]}, "
                      f"area.csv has {there.get(column)}")
    if held and not only:
        wrong += 1
        print(f"area.csv has models that are not there: {', '.join(held)}")
    if readme_with_tables() != readme():
        wrong += 1
        print("the tables of README.md are not those of area.csv (area.py tables)")
    return 1 if wrong else 0


def readme():
    with open(README, encoding="utf-8") as text:
        return text.read()


def readme_with_tables():
    """README.md with what is between its marks written anew."""
    text = tables.of({row["model"]: row for row in held_rows()})
    return re.sub(r"(?<=<!-- tables -->\n).*(?=<!-- end of tables -->)", lambda _: text, readme(),
                  flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("action", choices=["write", "check", "tables"])
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="MODEL")
    given = parser.parse_args()
    if given.action == "tables":
        text = readme_with_tables()
        with open(README, "w", encoding="utf-8") as out:
            out.write(text)
        return 0
    if given.action == "check" and not same_tool(given.yosys):
        print(f"SKIPPED: area.csv is of another yosys than {synthesis.version_of(given.yosys)}")
        return 77
    rows = all_measured(given.yosys, given.jobs, given.only)
    if given.action == "check":
        return check(rows, given.only)
    for row in rows:
        write(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
