# SPDX-License-Identifier: Apache-2.0
"""tests/rtl/area_csv_test.py: area.csv agrees with rtl_models/area/README.md: columns, units,
ranges, parts that sum to wholes, tables made from it.

    area_csv_test.py AREA_FOLDER
"""
import csv
import os
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

AREA = os.path.abspath(sys.argv.pop()) if len(sys.argv) > 1 else "rtl_models/area"
sys.path.insert(0, AREA)
import area  # noqa: E402
import designs  # noqa: E402
import synthesis  # noqa: E402

FORMAT = r"e2m1|e2m3|e3m2|e4m3|e5m2"
COUNT, HALVES = r"[1-9][0-9]*", r"-?[0-9]+(\.[05])?"
CELLS = {
    "design": r"[a-z0-9_]+", "model": r"[a-z0-9]+\.[a-z0-9]+", "format_a": FORMAT,
    "format_b": FORMAT, "scale": r"e8m0|e8m3|ue4m3", "block": r"16|32", "lanes": "1",
    "k": r"32|64", "step": COUNT, "group": COUNT, "alignment": r"window|sticky|exact",
    "fraction_bits": r"(25|35)?", "rounding": r"toward_zero|ties_to_even", "stages": COUNT,
    "across_parts": HALVES, "nand2": HALVES, "nand2_registers": HALVES, "flip_flops": COUNT,
    "ice40_lut4": COUNT, "ice40_carry": COUNT, "ice40_dff": COUNT, "depth": COUNT,
    "text": r"[0-9a-f]{16}", "tool": r"Yosys [0-9.+]+",
}
PARTS = ("control", "exponents", "scaling", "sum", "products", "scales", "alignment", "rounding")
CELLS |= {f"part_{part}": r"[0-9]+(\.[05])?" for part in PARTS}


def text_of(name):
    with open(os.path.join(AREA, name), encoding="utf-8") as text:
        return text.read()


class AreaCsv(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(AREA, "area.csv"), newline="", encoding="utf-8") as text:
            reader = csv.DictReader(text, strict=True)
            cls.rows = list(reader)
            cls.columns = reader.fieldnames
        cls.by_design = {row["design"]: row for row in cls.rows}

    def test_readme_documents_every_column_in_order(self):
        table = re.search(r"^\| column .*?\n\n", text_of("README.md"), re.M | re.S)[0]
        names = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:-1]]
        self.assertEqual(sum(names, []), self.columns)

    def test_every_cell_is_in_its_range(self):
        self.assertEqual(set(self.columns), set(CELLS))
        for row in self.rows:
            with self.subTest(row["design"]):
                for column, cell in row.items():
                    self.assertRegex(cell or "", f"^({CELLS[column]})$", column)

    def test_rows_are_the_designs_with_their_parameters(self):
        wanted = designs.modules()
        self.assertEqual([row["design"] for row in self.rows], list(wanted))
        for row in self.rows:
            with self.subTest(row["design"]):
                result = designs.described(row["design"], wanted[row["design"]])
                self.assertEqual({column: row[column] for column in result},
                                 {column: str(value) for column, value in result.items()})

    def test_rows_are_of_todays_text(self):
        wanted = designs.modules()
        for row in self.rows:
            with self.subTest(row["design"]):
                self.assertEqual(row["text"], designs.digest_of(wanted[row["design"]]))

    def test_verilog_moves_the_digest_and_comments_and_refusals_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(designs.VERILOG, os.path.join(folder, "verilog"))
            step = os.path.join(copy, "mx_step.sv")
            with open(step, encoding="utf-8") as file:
                text = file.read()
            block = ("  if (A != 0 ||\n      B != 0) begin : gen_{0}\n"
                     "    mx_{0} u_{1} ();\n  end\nendmodule\n")
            refusal = text.replace("endmodule\n", block.format("refused_more", "refused"))
            instance = text.replace("endmodule\n", block.format("more", "more"))
            self.assertNotEqual(refusal, text)
            for changed, same in ((text + "// more\n\n", True), (refusal, True),
                                  (instance, False), (text + "`define MORE 1\n", False)):
                with open(step, "w", encoding="utf-8") as file:
                    file.write(changed)
                with unittest.mock.patch.object(designs, "VERILOG", copy):
                    digest = designs.digest_of("")
                self.assertEqual(digest == designs.digest_of(""), same)

    def test_rows_of_todays_text_and_tool_are_not_counted_again(self):
        wanted = dict(list(designs.modules().items())[:3])
        (one, text), (other, _), (third, _) = wanted.items()
        held = [{"design": one, "text": designs.digest_of(text), "tool": "Yosys 1"},
                {"design": other, "text": "", "tool": "Yosys 1"}]
        with unittest.mock.patch.object(area, "held_rows", lambda: held):
            self.assertEqual(list(area.without_current(wanted, "Yosys 1")), [other, third])
            self.assertEqual(list(area.without_current(wanted, "Yosys 2")), [one, other, third])

    def test_the_depth_is_that_of_the_longest_path_without_a_flip_flop(self):
        def gate(output, *inputs):
            pins = {f"A{i}": [bit] for i, bit in enumerate(inputs)}
            return {"connections": {"Y": [output], **pins}}
        flip_flop = {"connections": {"Q": [4], "D": [6]}}
        gates = [gate(6, 5, 1), gate(1, 2, 3), gate(2, 4), gate(5, 1, "0"), flip_flop]
        self.assertEqual(synthesis.depth_of(gates), 4)

    def test_numbers_of_products_go_into_each_other(self):
        for row in self.rows:
            with self.subTest(row["design"]):
                k, step, group, block = (int(row[name]) for name in ("k", "step", "group", "block"))
                self.assertEqual((k % step, step % group, step % block), (0, 0, 0))
                self.assertEqual(int(row["stages"]), 4 * k // step)
                self.assertEqual(row["fraction_bits"] == "", row["alignment"] != "window")

    def test_parts_sum_to_the_whole(self):
        for row in self.rows:
            with self.subTest(row["design"]):
                across, whole = float(row["across_parts"]), float(row["nand2"])
                parts = sum(float(row[f"part_{part}"]) for part in PARTS)
                self.assertEqual(parts + across, whole)
                self.assertLess(abs(across), 0.15 * whole)

    def test_a_scale_without_a_fraction_costs_no_multiplier(self):
        for row in self.rows:
            with self.subTest(row["design"]):
                self.assertEqual(float(row["part_scaling"]) == 0, row["scale"] == "e8m0")

    def test_registers_are_counted_alike_in_both_views(self):
        for row in self.rows:
            with self.subTest(row["design"]):
                count = int(row["flip_flops"])
                self.assertTrue(8.5 * count <= float(row["nand2_registers"]) <= 9.5 * count)
                self.assertLess(abs(int(row["ice40_dff"]) - count), 0.1 * count)

    def test_a_wider_window_and_a_scale_with_a_fraction_cost_more(self):
        for row in self.rows:
            with self.subTest(row["design"]):
                name = row["design"]
                narrow = self.by_design.get(name.removesuffix("_f35") if name.endswith("_f35")
                                            else f"{name}_f25", row)
                plain = self.by_design.get(re.sub("_(e8m3|ue4m3)", "", name), row)
                for other in (narrow, plain):
                    if other is not row:
                        self.assertGreater(float(row["nand2"]), float(other["nand2"]))

    def test_every_format_is_there_under_every_scale(self):
        grid = {(row["format_a"], row["scale"]) for row in self.rows
                if row["alignment"] == "window" and row["fraction_bits"] == "25"}
        self.assertLessEqual({(a, scale) for a in FORMAT.split("|")
                              for scale in ("e8m0", "e8m3", "ue4m3")}, grid)

    def test_the_tables_of_the_readme_are_those_of_the_rows(self):
        self.assertEqual(area.readme_with_tables(), text_of("README.md"))

    def test_the_gap_of_the_readme_is_that_of_the_rows(self):
        for window, suffix in (("35", ""), ("25", "_f25")):
            whole = [float(row["nand2"]) + float(row["nand2_registers"])
                     for row in (self.by_design[f"blackwell_mxf4{suffix}"],
                                 self.by_design[f"blackwell_mxf4nvf4{suffix}"])]
            gap = f"{100 * (1 - whole[0] / whole[1]):.1f} %"
            table = text_of("README.md").split(f"MXFP4 and NVFP4 at F = {window}:")[1]
            self.assertIn(gap, re.search(r"^\| in one piece .*$", table, re.M)[0])


if __name__ == "__main__":
    unittest.main()
