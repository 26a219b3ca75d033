#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""area.py: gate counts of dot products (designs.py), written to area.csv or compared with it.

    area.py --yosys PROGRAM write [-j JOBS] [--only DESIGN ...]  measures and writes: without --only
                                                                 those whose text has changed
    area.py --yosys PROGRAM check [-j JOBS] [--only DESIGN ...]  measures and compares: 1, different
    area.py tables                                               writes the tables of README.md
"""
import argparse
import concurrent.futures
import csv
import os
import re
import sys
import tempfile

import designs
import synthesis
import tables

CSV = os.path.join(designs.HERE, "area.csv")
README = os.path.join(designs.HERE, "README.md")

# Description of a design, its counts, and the tool.
COLUMNS = ["design", "model", "format_a", "format_b", "scale", "block", "lanes", "k", "step",
           "group", "alignment", "fraction_bits", "rounding", "stages",
           "nand2", *(f"part_{part}" for part in synthesis.PARTS), "across_parts",
           "depth", "flip_flops", "nand2_registers", "ice40_lut4", "ice40_carry", "ice40_dff", "text",
           "tool"]


def counted(yosys, design, text):
    with tempfile.TemporaryDirectory() as folder:
        for name in designs.verilog_files():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(designs.text_of(name))
        with open(os.path.join(folder, "mx_dot_models.sv"), "w", encoding="utf-8") as out:
            out.write(text)
        row = {}
        for counts in (synthesis.flat_counts, synthesis.parts_counts, synthesis.ice40_counts):
            row.update(counts(yosys, folder, f"mx_dot_{design}"))
    in_parts = sum(row[f"part_{part}"] for part in synthesis.PARTS)
    return {**row, "across_parts": row["nand2"] - in_parts}


def measured(yosys, design, text):
    row = {**designs.described(design, text), **counted(yosys, design, text),
           "text": designs.digest_of(text), "tool": synthesis.version_of(yosys)}
    return {column: str(row[column]) for column in COLUMNS}


def named(only):
    """{design: text} of all designs, or of those named."""
    wanted = {design: text for design, text in designs.modules().items()
              if not only or design in only}
    if set(only or []) - set(wanted):
        raise SystemExit(f"area.py: error: no design of {', '.join(only)}")
    return wanted


def without_current(wanted, tool):
    """Less the designs whose row is of the same text and tool."""
    held = {row["design"]: (row.get("text"), row["tool"]) for row in held_rows()}
    return {design: text for design, text in wanted.items()
            if held.get(design) != (designs.digest_of(text), tool)}


def all_measured(yosys, jobs, wanted):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(measured, yosys, *item) for item in wanted.items()]
        for done in concurrent.futures.as_completed(waiting):
            print(f"{done.result()['design']}: {done.result()['nand2']} NAND2", flush=True)
            yield done.result()


def held_rows():
    if not os.path.exists(CSV):
        return []
    with open(CSV, newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def write(row):
    """Replaces the row of this design; the others stay, in the order of the designs."""
    held = {there["design"]: there for there in [*held_rows(), row]}
    with open(CSV + ".new", "w", newline="", encoding="utf-8") as text:
        out = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(held[design] for design in designs.modules() if design in held)
    os.replace(CSV + ".new", CSV)


def same_tool(yosys):
    return all(row["tool"] == synthesis.version_of(yosys) for row in held_rows())


def check(rows, only):
    held = {row["design"]: row for row in held_rows()}
    wrong = 0
    for row in rows:
        there = held.pop(row["design"], {})
        for column in COLUMNS:
            if there.get(column) != row[column]:
                wrong += 1
                print(f"{row['design']}: {column} is {row[column]}, "
                      f"area.csv has {there.get(column)}")
    if held and not only:
        wrong += 1
        print(f"area.csv has unknown designs: {', '.join(held)}")
    return 1 if wrong else 0


def readme():
    with open(README, encoding="utf-8") as text:
        return text.read()


def readme_with_tables():
    """README.md with the text between its marks regenerated."""
    text = tables.of({row["design"]: row for row in held_rows()})
    return re.sub(r"(?<=<!-- tables -->\n).*(?=<!-- end of tables -->)", lambda _: text, readme(),
                  flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("action", choices=["write", "check", "tables"])
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="DESIGN")
    given = parser.parse_args()
    if given.action == "tables":
        text = readme_with_tables()
        with open(README, "w", encoding="utf-8") as out:
            out.write(text)
        return 0
    if given.action == "check" and not same_tool(given.yosys):
        print(f"SKIPPED: area.csv is of another yosys than {synthesis.version_of(given.yosys)}")
        return 77
    wanted = named(given.only)
    if given.action == "check":
        return check(all_measured(given.yosys, given.jobs, wanted), given.only)
    if not given.only:
        wanted = without_current(wanted, synthesis.version_of(given.yosys))
    for row in all_measured(given.yosys, given.jobs, wanted):
        write(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
