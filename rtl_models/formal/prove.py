#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""prove.py: proves the properties of properties.py and refutes their faults, by yosys and solvers.

    prove.py [--yosys PROGRAM] [--solver NAME=PROGRAM ...] [--limit SECONDS]
             [--nightly] [--faults first|all] [--only TEXT]

Prints a line for each question: property, fault, solver, seconds, answer. The exit status is 1
if a property is not proved or a fault not refuted, 77 without a solver.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from chains import CHAINS, is_chain, sources_of
from properties import PROPERTIES

HERE = os.path.dirname(os.path.abspath(__file__))
VERILOG = os.path.join(HERE, "..", "verilog")
OPTIONS = {"z3": ["-smt2"], "cvc5": ["--bitblast=eager", "--bv-sat-solver=cadical"]}


def verilog_files():
    with open(os.path.join(VERILOG, "files.cmake"), encoding="utf-8") as text:
        return re.findall(r"mx_\w+\.sv", text.read())


def lay_out_verilog(fault, folder):
    """The modules in a folder, with the fault; their names in order."""
    names = verilog_files()
    for name in names:
        shutil.copy(os.path.join(VERILOG, name), folder)
    if fault:
        path = os.path.join(folder, fault.file)
        with open(path, encoding="utf-8") as text:
            right = text.read()
        if fault.there not in right:
            raise SystemExit(f"prove.py: error: {fault.file} has no {fault.there!r}")
        with open(path, "w", encoding="utf-8") as out:
            out.write(right.replace(fault.there, fault.instead))
    return names


def lay_out(wanted, fault, folder):
    """The sources of a property in a folder, with the fault; their names in order."""
    names = lay_out_verilog(fault, folder)
    for stand_in in wanted.stand_ins:
        with open(os.path.join(HERE, stand_in), encoding="utf-8") as text:
            module = re.search(r"^module (\w+)", text.read(), re.MULTILINE)[1]
        shutil.copy(os.path.join(HERE, stand_in), os.path.join(folder, f"{module}.sv"))
    own = [*wanted.beside, f"{wanted.top}.sv"]
    for name in own:
        shutil.copy(os.path.join(HERE, name), folder)
    return [*names, *own]


def format_constants():
    """mx_pkg's formats as the numbers that yosys takes for a parameter."""
    with open(os.path.join(VERILOG, "mx_pkg.sv"), encoding="utf-8") as text:
        lines = re.findall(r"localparam format_t (\w+) = {(.*)};", text.read())
    formats = {}
    for name, fields in lines:
        parts = re.findall(r"(\d+)'[bd](\d+)", fields)
        text = "".join(f"{int(value):0{width}b}" for width, value in parts)
        formats[f"mx_pkg::{name}"] = f"{len(text)}'b{text}"
    return formats


def yosys_script(wanted, names):
    formats = format_constants()
    defines = " ".join(f"-D{name}={value}" for name, value in wanted.defines.items())
    parameters = " ".join(f"-chparam {name} {formats.get(value, value)}"
                          for name, value in wanted.parameters.items())
    # Deferred: only what the property uses is elaborated, and under its parameters alone.
    steps = [f"read_verilog -sv -formal -defer {defines} {' '.join(names)}",
             f"hierarchy -check -top {wanted.top} {parameters}; proc; flatten"]
    # Without -nounset, readers of a wire under another name lose it.
    steps += [f"connect -nounset -set {wire} {driver}"
              for wire, driver in wanted.connections.items()]
    steps += [f"prep -top {wanted.top}", "async2sync", "opt -full -nodffe -nosdff", "dffunmap",
              "write_smt2 -stbv -wires model.smt2"]
    return "; ".join(steps)


def questions(wanted):
    """The formula that must be unsatisfiable, s a state and t the next one."""
    top = wanted.top
    declared = "".join(f"(declare-fun {state} () |{top}_s|)\n(assert (|{top}_u| {state}))\n"
                       for state in "st")
    if wanted.cases:
        wire, count = wanted.cases
        case = (f"{declared}(assert (not (|{top}_a| s)))"
                f"(assert ({{}} (|{top}_n {wire}| s) (_ bv{{}} 32)))")
        # Faults are visible at the smallest or among the largest.
        values = [0, *reversed(range(1, count))]
        return [*(case.format("=", i) for i in values), case.format("bvuge", count)]
    if not wanted.inductive:
        return [f"{declared}(assert (not (|{top}_a| s)))"]
    return [f"{declared}(assert (|{top}_is| s))(assert (|{top}_i| s))(assert (not (|{top}_a| s)))",
            f"{declared}(assert (not (|{top}_is| t)))(assert (|{top}_a| s))(assert (|{top}_t| s t))"
            f"(assert (not (|{top}_a| t)))"]


def answer_of(command, limit):
    try:
        run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return "no answer"
    text = run.stdout.strip()
    return {"unsat": "proved", "sat": "refuted"}.get(text, f"trouble: {text[:200]}")


def model_of(yosys, wanted, fault, folder):
    script = yosys_script(wanted, lay_out(wanted, fault, folder))
    run = subprocess.run([yosys, "-q", "-p", script], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, cwd=folder, check=False)
    if run.returncode != 0:
        raise SystemExit(f"prove.py: error: yosys on {wanted.name}: {run.stdout}")
    with open(os.path.join(folder, "model.smt2"), encoding="utf-8") as text:
        model = text.read()
    # An assertion whose condition is never met would be proved vacuously.
    if "no driver" in run.stdout or re.search(r"_a \d+\|.*\(not false\)", model):
        raise SystemExit(f"prove.py: error: {wanted.name} does not constrain some wires")
    return model


def settle(solver, program, model, wanted, folder, limit):
    """proved if no question is satisfiable."""
    for question in questions(wanted):
        path = os.path.join(folder, "question.smt2")
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"(set-logic QF_BV)\n{model}\n{question}\n(check-sat)\n")
        answer = answer_of([program, *OPTIONS[solver], path], limit)
        if answer != "proved":
            return answer
    return "proved"


def print_answer(wanted, fault, tool, begin, answer):
    subject = f"fault: {fault.name}" if fault else "as it is"
    seconds = time.monotonic() - begin
    print(f"{wanted.name:42} {subject:44} {tool:5} {seconds:7.2f} {answer}", flush=True)


def ask(yosys, solvers, wanted, fault, limit):
    """Whether every solver gives the expected answer."""
    right = True
    with tempfile.TemporaryDirectory() as folder:
        model = model_of(yosys, wanted, fault, folder)
        for solver, program in solvers.items():
            begin = time.monotonic()
            answer = settle(solver, program, model, wanted, folder, limit)
            print_answer(wanted, fault, solver, begin, answer)
            right = right and answer == ("refuted" if fault else "proved")
    return right


def planted(wanted, faults):
    return wanted.faults[:1] if faults == "first" else wanted.faults


def prove(yosys, programs, wanted, faults, limit):
    solvers = {name: programs[name] for name in wanted.solvers if name in programs}
    if not solvers:
        print(f"{wanted.name}: SKIPPED: no {' or '.join(wanted.solvers)}")
        return True
    right = ask(yosys, solvers, wanted, None, limit)
    quick = dict([list(solvers.items())[-1]])
    for fault in planted(wanted, faults):
        right = ask(yosys, quick, wanted, fault, limit) and right
    return right


def in_order(yosys, chain, faults):
    """Whether the chain is one, and is none with a fault planted."""
    right = True
    for fault in (None, *planted(chain, faults)):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            names = lay_out_verilog(fault, folder)
            found = is_chain(sources_of(yosys, chain, names, folder), chain.registers)
            print_answer(chain, fault, "yosys", begin, "proved" if found else "refuted")
            right = right and found == (fault is None)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("--solver", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--nightly", action="store_true", help="only those that take longer")
    parser.add_argument("--faults", choices=("first", "all"), default="all",
                        help="of each property")
    parser.add_argument("--only", default="", help="properties whose name holds this")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each question")
    given = parser.parse_args()
    programs = dict(pair.split("=", 1) for pair in given.solver) or {
        name: name for name in OPTIONS if shutil.which(name)}
    if not programs or not shutil.which(given.yosys):
        print("SKIPPED: no yosys or no solver (./bootstrap --rtl)")
        return 77
    wanted = [p for p in PROPERTIES
              if given.only in p.name and (given.only or p.nightly == given.nightly)]
    chains = [c for c in CHAINS if given.only in c.name and (given.only or not given.nightly)]
    failed = [c.name for c in chains if not in_order(given.yosys, c, given.faults)]
    failed += [p.name for p in wanted
               if not prove(given.yosys, programs, p, given.faults, given.limit)]
    wanted += chains
    print(f"{len(wanted)} properties, {sum(len(planted(p, given.faults)) for p in wanted)} faults, unexpected "
          f"answers: {', '.join(failed) or 'none'}")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
