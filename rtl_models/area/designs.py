# SPDX-License-Identifier: Apache-2.0
"""designs.py: the dot products whose gates are counted: the modules of mx_dot_models.sv, and those
with other scales, another window or other elements, for comparison of one choice at a time."""
import hashlib
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
VERILOG = os.path.join(HERE, "..", "verilog")

PARAMETERS = {
    "FormatA": "format_a", "FormatB": "format_b", "FormatScale": "scale", "Block": "block",
    "K": "k", "Step": "step", "Group": "group", "Alignment": "alignment",
    "FractionBits": "fraction_bits", "Rounding": "rounding",
}
# Widths of mx_dot's ports, in its parameters.
PORTS = {
    "a_i": "{K}*mx_pkg::width({FormatA})", "b_i": "{K}*mx_pkg::width({FormatB})",
    "scale_a_i": "{K}/{Block}*mx_pkg::width({FormatScale})",
    "scale_b_i": "{K}/{Block}*mx_pkg::width({FormatScale})",
}
STAGES_A_STEP = 4

SCALES = {"e8m3": "mx_pkg::E8m3", "ue4m3": "mx_pkg::Ue4m3"}
F4_MODELS = ("blackwell_mxf4", "blackwell_mxf4_e8m3", "blackwell_mxf4_ue4m3", "blackwell_mxf4nvf4")
MXFP6_AND_8 = {f"blackwell_mxf8f6f4_{element}": element
               for element in ("e2m3", "e3m2", "e4m3", "e5m2")}
EXACT = {"mxfp6_e2m3": "mx_pkg::E2m3", "mxfp6_e3m2": "mx_pkg::E3m2", "mxfp8_e4m3": "mx_pkg::E4m3"}

SIMULATION_ONLY = re.compile(r"\n`ifndef SYNTHESIS\n.*?^`endif\n", re.MULTILINE | re.DOTALL)
# if (CONDITION) begin : gen_refused_WHY, an instance of mx_refused_RULE, end
REFUSAL = re.compile(r"^ *if \((?:(?!begin)[^;])*begin : gen_refused_\w+\n"
                     r" *mx_refused_\w+ u_refused \(\);\n *end\n", re.MULTILINE)


def text_of(name):
    """A file without what makes no gate (simulation-only text, refusals of parameters, comments and
    empty lines): any text moves counts, even one that is not read."""
    with open(os.path.join(VERILOG, name), encoding="utf-8") as file:
        text = SIMULATION_ONLY.sub("", file.read())
    text = REFUSAL.sub("", re.sub(r"[ \t]*//.*", "", text))
    return re.sub(r"\n\s*\n", "\n", text)


def verilog_files():
    """The files that mx_dot needs: others would only rename gates."""
    listed = set(re.findall(r"mx_\w+\.sv", text_of("files.cmake")))
    found, open_files = set(), {"mx_dot.sv"}
    while open_files:
        found |= open_files
        named = {f"{name}.sv" for file in open_files
                 for name in re.findall(r"\b(mx_\w+)(?= #\(|::)", text_of(file))}
        open_files = (named & listed) - found
    return sorted(found)


def others():
    """{design: (its base, the differences)}"""
    made = {f"{base}_{scale}": (base, {"FormatScale": format})
            for base in MXFP6_AND_8 for scale, format in SCALES.items()}
    narrow = {f"{base}_f25": (base, {"FractionBits": "25"}) for base in F4_MODELS}
    wide = {f"{base}_f35": (base, {"FractionBits": "35"})
            for base in ("blackwell_mxf8f6f4_e2m1", *MXFP6_AND_8)}
    exact = {f"exact_rne_{name}": ("exact_rne_mxfp4", {"FormatA": format, "FormatB": format})
             for name, format in EXACT.items()}
    return {**exact, **made, **narrow, **wide}


def held_parameters(text):
    return dict(re.findall(r"\.([A-Z]\w*)\(([\w:]+)\)", text))


def with_parameters(text, base, design, changed):
    """The module under another name, with changed parameters and the ports that these require."""
    text = text.replace(f"mx_dot_{base} ", f"mx_dot_{design} ")
    for name, value in changed.items():
        text = re.sub(rf"\.{name}\([\w:]+\)", f".{name}({value})", text)
    for port, width in PORTS.items():
        text = re.sub(rf"\[\d+:0\] {port}\b",
                      f"[{width.format(**held_parameters(text))}-1:0] {port}", text)
    return text


def modules():
    """{design: its text}"""
    pattern = re.compile(r"^module mx_dot_(\w+) .*?^endmodule$", re.MULTILINE | re.DOTALL)
    found = {match[1]: match[0] for match in pattern.finditer(text_of("mx_dot_models.sv"))}
    for design, (base, changed) in others().items():
        found[design] = with_parameters(found[base], base, design, changed)
    return found


def digest_of(text):
    """Of a module and the files that it needs: other counts can come of other text alone."""
    whole = hashlib.sha256()
    for part in (*map(text_of, verilog_files()), text):
        whole.update(part.encode())
    return whole.hexdigest()[:16]


def snake_case(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def model_of(design):
    """The emulator's name of the accumulation."""
    found = re.match("blackwell_mxf4nvf4|blackwell_mxf4|blackwell_mxf8f6f4|exact_rne|exact_rz|"
                     "fp32_sequential", design)
    return found[0].replace("_", ".")


def described(design, text):
    """The columns that describe a design."""
    held = held_parameters(text)
    row = {column: snake_case(re.sub("^mx_pkg::(Align|Round)?", "", held.get(name, "")))
           for name, column in PARAMETERS.items()}
    stages = STAGES_A_STEP * int(row["k"]) // int(row["step"])
    return {"design": design, "model": model_of(design), "lanes": 1, "stages": stages, **row}
