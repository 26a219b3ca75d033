# SPDX-License-Identifier: Apache-2.0
# tests/e2e/smollm2_results_test.py: the tables of docs/results/smollm2.md are those that tables.py makes
# of the committed figures, which are those of the committed page.

import hashlib
import importlib.util
import os
import re
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

    def test_the_page_is_of_these_texts_and_has_these_figures(self):
        with open(os.path.join(RESULTS, "smollm2/texts.jsonl"), "rb") as file:
            texts = hashlib.sha256(file.read()).hexdigest()
        with open(os.path.join(RESULTS, "smollm2/assessment.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn(texts, page)
        figures, seen = tables_module().model_figures(), 0
        for arm, cells in re.findall(r"<tr><th>([^<]+)</th>(.*?)</tr>", page):
            for head, passes, metric in (("KL to FP32, nats a token", "", "kl"),
                                         ("greedy agreement", "", "greedy_agreement"),
                                         ("gradient cosine", "all", "gradient_cosine")):
                shown = re.search(rf'data-head="{head}">([\d.]+)', cells)
                if shown:
                    value, decimals = figures[arm, passes, metric][0], len(shown[1].partition(".")[2])
                    self.assertEqual(shown[1], f"{value:.{decimals}f}", f"{arm}: {metric}")
                    seen += 1
        self.assertEqual(seen, 3 * 15)


if __name__ == "__main__":
    unittest.main()
