# SPDX-License-Identifier: Apache-2.0
# tests/e2e/smollm2_results_test.py: the tables of docs/results/smollm2.md are those that tables.py makes
# of the committed figures, which are those of the committed page.

import importlib.util
import os
import unittest

RESULTS = os.path.join(os.environ["MX_SOURCE_DIR"], "docs/results")


def tables_module():
    spec = importlib.util.spec_from_file_location("tables", os.path.join(RESULTS, "smollm2/tables.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class smollm2_results_test(unittest.TestCase):
    def test_tables_follow_from_the_figures(self):
        with open(os.path.join(RESULTS, "smollm2.md"), encoding="utf-8") as file:
            page = file.read()
        tables = tables_module().tables()
        self.assertEqual(len(tables), 3)
        for table in tables:
            self.assertIn(f"\n\n{table}\n\n", page)

    def test_figures_are_of_fourteen_arms_and_five_restrictions(self):
        figures = tables_module().model_figures()
        arms = {arm for arm, passes, metric in figures}
        self.assertEqual(len(arms), 15)
        self.assertEqual({passes for arm, passes, metric in figures if metric == "gradient_cosine"},
                         {"forward", "dgrad", "wgrad", "backward", "all"})
        self.assertEqual(figures["fp32", "", "kl"], (0, 0))

    def test_the_page_has_the_figures(self):
        with open(os.path.join(RESULTS, "smollm2/assessment.html"), encoding="utf-8") as file:
            page = file.read()
        for arm, passes, metric in tables_module().model_figures():
            if metric == "kl":
                self.assertIn(arm, page)


if __name__ == "__main__":
    unittest.main()
