# SPDX-License-Identifier: Apache-2.0
"""tables.py: the tables of README.md, from the rows of area.csv."""
import synthesis

MXFP4, NVFP4 = "blackwell_mxf4", "blackwell_mxf4nvf4"
# From MXFP4 to NVFP4 one choice at a time.
STEPS = ((MXFP4, "blackwell_mxf4_ue4m3", "the scale is UE4M3 instead of E8M0"),
         ("blackwell_mxf4_ue4m3", NVFP4, "blocks of 16 instead of 32"))


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


def models_table(rows):
    text = line("model", "scale", "block", "F", "products a cycle", "NAND2", "flip-flops",
                "with registers", "a product", "LUT4 + carry")
    text += line("---", "---", *["---:"] * 8)
    for name, row in rows.items():
        window = row["fraction_bits"] or row["alignment"]
        text += line(f"`{name}`", row["scale"], row["block"], window, row["products_per_cycle"],
                     f"{number(row, 'nand2'):.0f}", row["flip_flops"],
                     f"{with_registers(row):.0f}",
                     f"{with_registers(row) / int(row['products_per_cycle']):.0f}",
                     f"{row['ice40_lut4']} + {row['ice40_carry']}")
    return text


def gap_table(rows, mxfp4, nvfp4):
    """The gap and its parts, each in percent of the larger design's gates, synthesized by parts."""
    low, high = rows[mxfp4], rows[nvfp4]
    columns = [f"part_{part}" for part in synthesis.PARTS] + ["nand2_registers"]
    totals = [sum(number(row, column) for column in columns) for row in (low, high)]
    text = line("part", "MXFP4", "NVFP4", "difference", "of NVFP4's sum")
    text += line("---", *["---:"] * 4)
    for column in columns:
        x, y = number(low, column), number(high, column)
        text += line(column.replace("part_", "").replace("nand2_", ""), f"{x:.0f}", f"{y:.0f}",
                     f"{y - x:+.0f}", f"{100 * (y - x) / totals[1]:+.1f} %")
    text += line("sum of the parts", f"{totals[0]:.0f}", f"{totals[1]:.0f}",
                 f"{totals[1] - totals[0]:+.0f}", smaller(*totals))
    flat = [with_registers(row) for row in (low, high)]
    return text + line("in one piece", f"{flat[0]:.0f}", f"{flat[1]:.0f}",
                       f"{flat[1] - flat[0]:+.0f}", smaller(*flat))


def steps_table(rows):
    text = line("from", "to", "what changes", "NAND2 with registers") + line("---", "---", "---",
                                                                            "---:")
    for low, high, what in STEPS:
        pair = [with_registers(rows[name]) for name in (low, high)]
        text += line(f"`{low}`", f"`{high}`", what, more(*pair))
    return text


def of(rows):
    return (f"{models_table(rows)}\nMXFP4 and NVFP4 at F = 35:\n\n{gap_table(rows, MXFP4, NVFP4)}"
            f"\nMXFP4 and NVFP4 at F = 25:\n\n{gap_table(rows, MXFP4 + '_f25', NVFP4 + '_f25')}"
            f"\nOne choice at a time, F = 35:\n\n{steps_table(rows)}")
