# SPDX-License-Identifier: Apache-2.0
# tests/e2e/assess_test.py: checkpoints of language models through the command: assess, export, and a
# study that starts from one.

import csv
import json
import os
import random
import re
import resource
import shutil
import subprocess

import tensor_files
from command_case import PROGRAM, SOURCES, main
from examples_test import examples_case

SHAPE = {"model_type": "qwen3", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
         "num_key_value_heads": 1, "head_dim": 32, "intermediate_size": 64, "vocab_size": 32,
         "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "hidden_act": "silu",
         "tie_word_embeddings": True}
LAYER = {"input_layernorm": [32], "self_attn.q_proj": [64, 32], "self_attn.k_proj": [32, 32],
         "self_attn.v_proj": [32, 32], "self_attn.o_proj": [32, 64], "self_attn.q_norm": [32],
         "self_attn.k_norm": [32], "post_attention_layernorm": [32], "mlp.gate_proj": [64, 32],
         "mlp.up_proj": [64, 32], "mlp.down_proj": [32, 64]}


def write_model(folder, seed=1, shape=SHAPE):
    chance = random.Random(seed)
    names = {f"model.layers.0.{name}.weight": extents for name, extents in LAYER.items()}
    names |= {"model.embed_tokens.weight": [32, 32], "model.norm.weight": [32]}
    tensors = {}
    for name, extents in names.items():
        count = extents[0] * (extents[1] if len(extents) > 1 else 1)
        center = 1 if len(extents) == 1 else 0
        tensors[name] = tensor_files.floats(
            extents, [center + chance.gauss(0, 0.2) for _ in range(count)])
    os.mkdir(folder)
    tensor_files.write_safetensors(os.path.join(folder, "model.safetensors"), tensors)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(shape, file)
    return tensors


def write_texts(path, texts):
    with open(path, "w", encoding="utf-8") as file:
        for ids in texts:
            file.write(json.dumps({"tokens": ids}) + "\n")


class assess_test(examples_case):
    def setUp(self):
        super().setUp()
        self.tensors = write_model(self.path("model"))
        chance = random.Random(2)
        write_texts(self.path("texts.jsonl"),
                    [[chance.randrange(32) for _ in range(length)] for length in (9, 20, 31, 12)])
        shutil.copytree(os.path.join(SOURCES, "sim/studies"), self.path("sim", "studies"))

    def results(self):
        """All files of the assessment but those that name a process or its threads."""
        return {name: text for name, text in self.snapshot().items()
                if os.path.basename(name) not in ("run.lock", "study.toml")}

    def rows(self):
        with open(self.path("out", "metrics.csv"), encoding="utf-8") as file:
            return {(row["arm"], row["metric"], row["passes"], row["layer"]): float(row["value"])
                    for row in csv.DictReader(file)}

    def test_examples_run_and_a_second_call_changes_no_result(self):
        self.run_examples_of("assess")
        self.run_examples_of("export")
        rows = self.rows()
        self.assertEqual(rows["fp32", "kl", "", ""], 0)
        self.assertGreater(rows["mxfp4", "kl", "", ""], 0)
        self.assertLess(rows["mxfp4", "gradient_cosine", "dgrad", "0"], 1)
        self.assertGreater(rows["mxfp4", "energy.x.grid", "", "0.down"], 0)
        self.assertGreater(os.path.getsize(self.path("out", "assessment.html")), 5000)
        narrow, _ = tensor_files.read_safetensors(self.path("narrow", "model.safetensors"))
        self.assertEqual({t[0] for t in narrow.values()}, {"BF16"})
        self.assertEqual(set(narrow), set(self.tensors))
        before = self.results()
        self.run_command("assess", "model", "--study", "sim/studies/default.toml", "--prompts",
                         "texts.jsonl", "-o", "out", "--arms", "mxfp4", "--threads", "1")
        self.assertEqual(self.results(), before)

    def test_an_exported_model_is_the_same_model(self):
        self.run_command("export", "model", "-o", "copy")
        copied, _ = tensor_files.read_safetensors(self.path("copy", "model.safetensors"))
        self.assertEqual(copied, self.tensors)
        self.assert_refused("export", "model", "-o", "copy", naming=(
            "copy: exists", "name a new or an empty folder"))
        self.run_command("export", "model", "-o", "slash/")
        self.assertEqual(sorted(os.listdir(self.path("slash"))), ["config.json", "model.safetensors"])
        os.mkdir(self.path("empty"))
        told = self.run_json("export", "model", "-o", "empty", "--numbers", "bf16")
        self.assertEqual(told, {"output": "empty", "numbers": "bf16"})
        self.assert_refused("export", "model", "-o", "other", "--numbers", "bf", naming=(
            "--numbers", "there is no number format `bf`", "fp32 bf16"))

    def test_a_full_disk_is_reported_of_the_folder_that_was_asked_for(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        done = subprocess.run([PROGRAM, "export", "model", "-o", "copy"], cwd=self.folder,
                              capture_output=True, timeout=120, check=False, encoding="utf-8",
                              preexec_fn=limit_files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(done.stderr.startswith("mxprism: error: copy: cannot write"), done.stderr)
        self.assertNotIn("partial", done.stderr)
        self.assertFalse(os.path.exists(self.path("copy")))

    def test_the_table_shows_errors_as_the_page_does(self):
        table = self.run_command("assess", "model", "--study", "sim/studies/default.toml",
                                 "--prompts", "texts.jsonl", "-o", "out", "--arms", "mxfp4").stdout
        page = self.read_text("out", "assessment.html")
        row = re.split(" {2,}", table.splitlines()[1].strip())
        self.assertEqual((row[0], row[2]), ("fp32", "0"))
        value, error = row[1].split(" \u00b1 ")
        self.assertIn(f"{value} <small>\u00b1 {error}</small>", page)

    def test_bad_input_is_named_and_leaves_nothing(self):
        refused = lambda *names: self.assert_refused(
            "assess", "model", "--study", "sim/studies/default.toml", "--prompts", "texts.jsonl",
            "-o", "out", naming=names)
        write_texts(self.path("texts.jsonl"), [[1, 2], [3, 32]])
        refused("texts.jsonl:2", "token 32")
        write_texts(self.path("texts.jsonl"), [[1, 2], [3, 4]])
        refused("--batch")
        write_texts(self.path("texts.jsonl"), [[1, 2]] * 4)
        tensors = dict(self.tensors)
        tensors.pop("model.norm.weight")
        tensor_files.write_safetensors(self.path("model", "model.safetensors"), tensors)
        refused("model.norm.weight", "missing")
        os.remove(self.path("model", "config.json"))
        refused("config.json")

    def test_batches_that_split_a_product_of_several_sequences_are_refused(self):
        self.write_text("packed.toml", "[formats.mxfp4]\nnumbers = \"mxfp4\"\n"
                        "[[arm]]\nname = \"fp32\"\n[[arm]]\nname = \"packed\"\n"
                        "format = \"mxfp4\"\nwgrad = { sequences = 2 }\n")
        words = ("assess", "model", "--study", "packed.toml", "--prompts", "texts.jsonl", "-o", "out")
        for batch, last in ("1", 1), ("3", 1):
            self.assert_refused(*words, "--batch", batch, naming=(
                f"--batch {batch}: arm 'packed' multiplies 2 sequences at once",
                f"the last batch of 4 texts has {last}", "leave the arm out with --arms"))
        self.run_command(*words, "--batch", "3", "--arms", "fp32")
        shutil.rmtree(self.path("out"))
        self.run_command(*words, "--batch", "2")
        self.assertGreater(self.rows()["packed", "gradient_cosine", "wgrad", "0"], 0)

    def test_a_study_trains_from_a_checkpoint(self):
        with open(self.path("study.toml"), "w", encoding="utf-8") as file:
            file.write("[policy]\ncheckpoint = \"model\"\n[task]\ndigits = 1\n"
                       "[warm_up]\nschedule = \"fixed\"\nsteps = 0\n"
                       "[grpo]\nsteps = 1\nprompts = 2\nsamples = 2\n"
                       "[measurement]\nfrozen_batches = 2\nevaluation_problems = 4\n"
                       "final_problems = 4\nadditivity_steps = []\n[outliers]\nfactors = [1]\n"
                       "[[arm]]\nname = \"fp32\"\n")
        environment = dict(os.environ)
        done = subprocess.run([PROGRAM, "train", "study.toml", "-o", "run"], cwd=self.folder,
                              env=environment, capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_command("export", "run/checkpoints/warm-up.safetensors", "-o", "start")
        start, _ = tensor_files.read_safetensors(self.path("start", "model.safetensors"))
        self.assertEqual(start, self.tensors)
        self.assert_refused("train", "study.toml", "policy.width=64", "-o", "other",
                            naming=("policy.width is 32 there and 64 here",))


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(assess_test)


if __name__ == "__main__":
    main()
