# SPDX-License-Identifier: Apache-2.0
# tests/layering/layering_rules_test.py: the rules report breaches, and nothing else.

import os
import sys
import tempfile
import unittest

import layering_rules

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


def breaches_of(name, text):
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return list(layering_rules.breaches(root))


class layering_rules_test(unittest.TestCase):
    def test_forbidden_includes_are_found(self):
        for name, included in [
            ("golden/reference/a.h", '"mx/block/scale.h"'),
            ("golden/reference/a.h", "<mx/block/scale.h>"),
            ("golden/reference/a.h", '"mx/block/scale.h"'),
            ("golden/reference/a.cpp", '"golden/io/npy.h"'),
            ("golden/reference/a.cpp", '"sim/study/study.h"'),
            ("golden/reference/a.cpp", '"golden/vectors/draws.h"'),
            ("golden/vectors/a.cpp", '"mx/dot/dot.h"'),
            ("golden/vectors/a.cpp", '"golden/io/npy.h"'),
            ("emulator/src/a.cpp", '"golden/vectors/draws.h"'),
            ("golden/validator/a.cpp", '"golden/reference/quantizer.h"'),
            ("golden/validator/a.cpp", '"sim/cli/terminal/command.h"'),
            ("emulator/src/a.cpp", '"golden/validator/product/model.h"'),
            ("sim/cli/products/a.cpp", '"golden/validator/product/model.h"'),
            ("sim/cli/products/a.cpp", '"sim/cli/verify/product_command.h"'),
            ("golden/io/a.cpp", '"mx/block/scale.h"'),
            ("golden/bindings/a.cpp", '"sim/study/study.h"'),
            ("golden/bindings/a.cpp", '"golden/reference/quantizer.h"'),
            ("golden/io/a.cpp", '"mxprism/tensor.h"'),
            ("emulator/src/a.cpp", "<mxprism/mxprism.h>"),
            ("golden/bindings/python/a.cpp", '"sim/cli/probe/probe_work.h"'),
            ("golden/bindings/python/a.cpp", '"golden/bindings/arguments.h"'),
            ("golden/bindings/include/mxprism/a.h", '"golden/bindings/arguments.h"'),
            ("tests/bindings/example/a.c", '"catch.h"'),
            ("golden/io/a.cpp", '"../reference/quantizer.h"'),
            ("golden/io/a.cpp", '"sim/study/study.h"'),
            ("emulator/src/a.cpp", '"golden/io/npy.h"'),
            ("emulator/include/mx/a.h", '"sim/study/study.h"'),
            ("sim/train/a.cpp", '"golden/reference/quantizer.h"'),
            ("sim/train/a.cpp", '"tests/catch.h"'),
            ("sim/train/a.cpp", '"catch.h"'),
            ("sim/train/a.cpp", "<mpi.h>"),
            ("sim/cli/train/a.cpp", "<mpi.h>"),
            ("sim/ranks/a.cpp", '"golden/io/npy.h"'),
            ("emulator/src/a.cpp", '"../../tests/catch.h"'),
            ("sim/train/a.cpp", '"sim/cli/terminal/command.h"'),
            ("sim/cli/terminal/a.cpp", '"sim/cli/rules/storage.h"'),
            ("sim/cli/rules/a.cpp", '"../quantize/coded_tensor.h"'),
            ("sim/cli/formats/a.cpp", '"sim/cli/commands.h"'),
            ("sim/cli/bench/a.cpp", '"golden/reference/quantizer.h"'),
            ("sim/cli/main.cpp", '"golden/reference/quantizer.h"'),
            ("rtl_models/systemc/a.cpp", '"golden/io/npy.h"'),
            ("rtl_models/soc/a.cpp", '"sim/train/trainer.h"'),
            ("sim/train/a.cpp", '"rtl_models/systemc/tile.h"'),
            ("sim/train/a.cpp", '"kernels/bench/measures.h"'),
            ("kernels/bench/a.cpp", '"golden/io/npy.h"'),
            ("sim/policy/a.cpp", '"simd/energy-inl.h"'),
            ("sim/cli/bench/a.cpp", '"dot/gemm_slices.h"'),
            ("sim/cli/bench/a.cpp", '"emulator/src/dot/gemm_slices.h"'),
            ("golden/bindings/a.cpp", '"spelling/words.h"'),
            ("emulator/include/mx/tensor/a.h", '"simd/energy-inl.h"'),
        ]:
            with self.subTest(name=name, included=included):
                found = breaches_of(name, HEAD + f"#include {included}\n")
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:2: "), found)

    def test_allowed_includes_pass(self):
        for name, included in [
            ("emulator/src/a.cpp", '"mx/block/scale.h"'),
            ("emulator/src/a.cpp", '"emulator/src/dot/gemm_slices.h"'),
            ("emulator/src/a.cpp", '"tensor/energy_sums.h"'),
            ("emulator/src/a.cpp", '"hwy/highway.h"'),
            ("golden/reference/a.cpp", "<boost/multiprecision/cpp_int.hpp>"),
            ("golden/vectors/a.cpp", '"golden/reference/dot_word.h"'),
            ("golden/io/a.cpp", '"golden/io/npy.h"'),
            ("golden/bindings/a.cpp", '"mx/dot/bulk_gemm.h"'),
            ("golden/bindings/a.cpp", '"mxprism/tensor.h"'),
            ("golden/bindings/python/a.cpp", '"mxprism/mxprism.h"'),
            ("golden/bindings/python/a.cpp", '"golden/bindings/python/array.h"'),
            ("tests/bindings/a.c", "<mxprism/mxprism.h>"),
            ("tests/bindings/example/a.cpp", "<mx/block/block.h>"),
            ("sim/train/a.cpp", '"golden/io/npy.h"'),
            ("sim/train/a.cpp", '"mx/tensor/bulk.h"'),
            ("sim/train/a.cpp", '"sim/ranks/rank_group.h"'),
            ("sim/ranks/a.cpp", "<mpi.h>"),
            ("sim/policy/a.cpp", '"mx/tensor/fused_targets.h"'),
            ("sim/cli/rules/a.cpp", '"sim/cli/rules/storage.h"'),
            ("sim/cli/decompose/a.cpp", '"../quantize/coded_tensor.h"'),
            ("sim/cli/train/a.cpp", '"sim/train/run.h"'),
            ("sim/cli/bench/a.cpp", '"mx/tensor/bulk.h"'),
            ("sim/cli/bench/a.cpp", '"kernels/bench/measures.h"'),
            ("sim/cli/main.cpp", '"sim/cli/train/train_command.h"'),
            ("sim/cli/main.cpp", '"sim/report/metrics.h"'),
            ("tests/cross/a.cpp", '"golden/reference/quantizer.h"'),
            ("tests/cross/a.cpp", '"catch.h"'),
            ("tests/kernels/a.cpp", '"tests/kernels/golden/backend.h"'),
            ("rtl_models/cosim/a.cpp", '"mx/dot/dot.h"'),
            ("rtl_models/cosim/a.cpp", '"rtl_models/systemc/tile.h"'),
            ("rtl_models/soc/a.cpp", '"golden/io/tensor_file.h"'),
            ("tests/rtl/a.cpp", '"rtl_models/systemc/tile.h"'),
        ]:
            with self.subTest(name=name, included=included):
                self.assertEqual(breaches_of(name, HEAD + f"#include {included}\n"), [])

    def test_headers_include_no_room_that_comes_after_theirs(self):
        for room, included in [("number", "block/scale"), ("block", "tensor/packing"), ("block", "dot/dot"),
                               ("tensor", "presets/variants"), ("dot", "tensor/bulk"), ("dot", "presets/variant"),
                               ("presets", "dot/dot"), ("number", "spelling"), ("number", "mx"),
                               ("unknown", "number/bits")]:
            with self.subTest(room=room, included=included):
                text = HEAD + f'#include "mx/{included}.h"\n'
                self.assertEqual(len(breaches_of(f"emulator/include/mx/{room}/a.h", text)), 1)
        for name, included in [("number/a", "number/bits"), ("block/a", "number/bits"), ("dot/a", "block/scale"),
                               ("presets/a", "tensor/packing"), ("mx", "dot/dot"), ("spelling", "dot/dot")]:
            with self.subTest(name=name, included=included):
                text = HEAD + f'#include "mx/{included}.h"\n'
                self.assertEqual(breaches_of(f"emulator/include/mx/{name}.h", text), [])

    def test_the_header_for_users_includes_or_names_every_other(self):
        below = "emulator/include/"
        headers = {f"{below}mx/mx.h": '// words: mx/spelling.h\n#include "mx/dot/dot.h"\n',
                   f"{below}mx/dot/dot.h": '#include "mx/number/bits.h"\n', f"{below}mx/number/bits.h": "",
                   f"{below}mx/spelling.h": ""}
        self.assertEqual(list(layering_rules.users_header_breaches(headers)), [])
        for path in ("mx/dot/alpha.h", "mx/tensor/storage.h", "mx/fp32.h"):
            with self.subTest(path=path):
                found = list(layering_rules.users_header_breaches(headers | {below + path: ""}))
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{below}{path}:1: "), found)

    def test_rooms_of_sim_include_no_room_that_they_do_not_see(self):
        for name, included, count in [
            ("study/a.cpp", "sim/pretrained/model_weights.h", 1), ("study/a.h", "sim/report/report.h", 1),
            ("task/a.cpp", "sim/report/metrics.h", 1), ("claims/a.cpp", "sim/assess/assessment.h", 1),
            ("report/a.cpp", "sim/claims/decision.h", 1), ("report/a.cpp", "sim/report/seeds/seed_page.h", 1),
            ("report/a.cpp", "../train/run.h", 1), ("unknown/a.cpp", "sim/study/study.h", 1),
            ("claims/a.cpp", "sim/train/run.h", 0), ("report/seeds/a.cpp", "sim/claims/decision.h", 0),
            ("report/seeds/a.cpp", "sim/report/page.h", 0),
            ("ranks/a.h", "sim/study/input_error.h", 0), ("train/a.cpp", "sim/train/run.h", 0),
            ("device/a.cpp", "sim/policy/product.h", 0), ("cli/bench/a.cpp", "sim/train/run.h", 0),
            ("study/a.cpp", "golden/io/file.h", 0),
        ]:
            with self.subTest(name=name, included=included):
                found = breaches_of(f"sim/{name}", HEAD + f'#include "{included}"\n')
                self.assertEqual(len(found), count, found)

    def test_rooms_see_none_but_those_before_them(self):
        for rooms in (layering_rules.ROOMS, layering_rules.SIM_ROOMS):
            before = set()
            for room, others in rooms.items():
                self.assertLessEqual(others, before, room)
                before.add(room)

    def test_folders_of_the_command_see_none_but_those_before_them(self):
        before = set()
        for name, others in layering_rules.COMMAND_FOLDERS.items():
            self.assertLessEqual(others, before, name)
            before.add(name)

    def test_parallel_loops_and_bound_functions_have_one_place(self):
        loop, bound = "#include <tbb/parallel_for.h>\n", "nb::class_<probe>(module);\n"
        for name, text, count in [
            ("golden/validator/tensor/a.cpp", loop, 1), ("emulator/src/dot/a.h", loop, 1), ("sim/cli/a.cpp", loop, 1),
            ("sim/sweep/a.cpp", "#include <tbb/parallel_reduce.h>\n#include <tbb/task_group.h>\n", 2),
            ("emulator/src/tensor/parallel.cpp", loop, 0), ("tests/unit/a.cpp", loop, 0),
            ("golden/probe/a.cpp", "#include <tbb/task_arena.h>\n", 0),
            ("golden/bindings/python/a.cpp", bound, 1), ("golden/bindings/python/bound.h", bound, 0),
        ]:
            with self.subTest(name=name, text=text):
                self.assertEqual(len(breaches_of(name, HEAD + text)), count)

    def test_functions_of_the_c_abi_begin_with_the_guard(self):
        for body, count in [("return bindings::guarded(error, [&] {});", 0),
                            ("return bindings::described(facts,\n                             error);", 0),
                            ("return mx_other(format, 0, error);", 0), ("return mx_status_ok;", 1),
                            ("const auto m = model_of(model);\n  return bindings::guarded(error, [&] {});", 1)]:
            with self.subTest(body=body):
                text = f"{HEAD}mx_status mx_some(const mx_model* model,\n    mx_error* error) {{\n  {body}\n}}\n"
                found = breaches_of("golden/bindings/a.cpp", text)
                self.assertEqual(len(found), count, found)
                self.assertEqual(breaches_of("sim/train/a.cpp", text), [])

    def test_forbidden_text_is_found_in_any_file(self):
        for text in ["-ffast" + "-math", "see /wor" + "k/x", "'/roo" + "t/y'", "cd /hom" + "e/ann/z",
                     "TO" + "DO", "# FIX" + "ME: later"]:
            with self.subTest(text=text):
                self.assertEqual(len(breaches_of("sim/studies/a.toml", f"\n{text}\n")), 1)

    def test_similar_text_passes(self):
        for text in ["no fast-math", "example.org/wor" + "k/x", "${root}/roo" + "ts/x", "src/hom" + "e/ann/x",
                     "TODOS is another word", "-ffp-contract=off"]:
            with self.subTest(text=text):
                self.assertEqual(breaches_of("README.md", text), [])

    def test_missing_license_line_is_found(self):
        self.assertEqual(len(breaches_of("sim/train/a.cpp", "int a;\n")), 1)

    def test_long_comment_is_found(self):
        comment = "// SPDX-License-Identifier: Apache-2.0\n// " + "x" * 97
        self.assertEqual(breaches_of("sim/train/a.cpp", comment), [])
        self.assertEqual(len(breaches_of("sim/train/a.cpp", comment + "x")), 1)

    def test_binary_files_are_left_out(self):
        self.assertEqual(breaches_of("golden/vectors/a.bin", "\0 TO" + "DO"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
