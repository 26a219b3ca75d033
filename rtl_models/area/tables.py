# SPDX-License-Identifier: Apache-2.0
"""tables.py: the tables of README.md, from the rows of area.csv."""
import synthesis

MXFP4, NVFP4 = "blackwell_mxf4", "blackwell_mxf4nvf4"
# From MXFP4 to NVFP4 one choice at a time.
STEPS = ((MXFP4, "blackwell_mxf4_ue4m3", "the scale is UE4M3 instead of E8M0"),
         ("blackwell_mxf4_ue4m3", NVFP4, "blocks of 16 instead of 32"))
# The published figure for whole tensor cores, in percent (arXiv 2603.08713, abstract).
PUBLISHED = 12
# Elements under each scale, at F = 25: the design under E8M0, what the others add to its name.
UNDER_E8M0 = {"MXFP4, groups of 16": ("blackwell_mxf4", "_f25"),
              **{f"{kind} {element.upper()}": (f"blackwell_mxf8f6f4_{element}", "")
                 for kind, element in (("MXFP6", "e2m3"), ("MXFP6", "e3m2"),
                                       ("MXFP8", "e4m3"), ("MXFP8", "e5m2"))}}


def number(row, column):
    return float(row[column])


def with_registers(row):
    return number(row, "nand2") + number(row, "nand2_registers")


def more(low, high):
    return f"{100 * (high - low) / low:+.1f} %"


def smaller(low, high):
    return f"{100 * (high - low) / high:.1f} %"


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def designs_table(rows):
    text = line("design", "scale", "block", "F", "products a cycle", "NAND2", "flip-flops",
                "with registers", "a product", "depth", "LUT4 + carry")
    text += line("---", "---", *["---:"] * 9)
    for name, row in rows.items():
        window = row["fraction_bits"] or row["alignment"]
        products = int(row["lanes"]) * int(row["k"])
        text += line(f"`{name}`", row["scale"], row["block"], window, products,
                     f"{number(row, 'nand2'):.0f}", row["flip_flops"],
                     f"{with_registers(row):.0f}", f"{with_registers(row) / products:.0f}", row["depth"],
                     f"{row['ice40_lut4']} + {row['ice40_carry']}")
    return text


def gap_table(rows, mxfp4, nvfp4):
    """The gap and its parts, and the part common to both designs for the published one."""
    low, high = rows[mxfp4], rows[nvfp4]
    columns = [*(f"part_{part}" for part in synthesis.PARTS), "across_parts", "nand2_registers"]
    flat = [with_registers(row) for row in (low, high)]
    gap = flat[1] - flat[0]
    text = line("part", "MXFP4", "NVFP4", "difference", "of the gap", "of NVFP4's sum")
    text += line("---", *["---:"] * 5)
    for column in columns:
        x, y = number(low, column), number(high, column)
        text += line(column.replace("part_", "").replace("nand2_", "").replace("_", " "),
                     f"{x:.0f}", f"{y:.0f}", f"{y - x:+.0f}", f"{100 * (y - x) / gap:+.1f} %",
                     f"{100 * (y - x) / flat[1]:+.1f} %")
    text += line("in one piece", f"{flat[0]:.0f}", f"{flat[1]:.0f}", f"{gap:+.0f}", "100 %",
                 smaller(*flat))
    common = gap * 100 / PUBLISHED - flat[1]
    return text + line(f"with {common:.0f} common to both", f"{flat[0] + common:.0f}",
                       f"{flat[1] + common:.0f}", f"{gap:+.0f}", "",
                       smaller(flat[0] + common, flat[1] + common))


def steps_table(rows):
    text = line("from", "to", "what changes", "NAND2 with registers") + line("---", "---", "---",
                                                                            "---:")
    for low, high, what in STEPS:
        pair = [with_registers(rows[name]) for name in (low, high)]
        text += line(f"`{low}`", f"`{high}`", what, more(*pair))
    return text


def scales_table(rows):
    text = line("elements", "E8M0", "E8M3", "UE4M3") + line("---", *["---:"] * 3)
    for name, (base, window) in UNDER_E8M0.items():
        first, *rest = [with_registers(rows[f"{base}{scale}{window}"])
                        for scale in ("", "_e8m3", "_ue4m3")]
        text += line(name, f"{first:.0f}", *(f"{each:.0f} ({more(first, each)})" for each in rest))
    return text


def of(rows):
    return (f"{designs_table(rows)}\nMXFP4 and NVFP4 at F = 35:\n\n{gap_table(rows, MXFP4, NVFP4)}"
            f"\nMXFP4 and NVFP4 at F = 25:\n\n{gap_table(rows, MXFP4 + '_f25', NVFP4 + '_f25')}"
            f"\nOne choice at a time, F = 35:\n\n{steps_table(rows)}"
            f"\nBlocks of 32 under each scale, F = 25, NAND2 with registers:\n\n"
            f"{scales_table(rows)}")
