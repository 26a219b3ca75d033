# SPDX-License-Identifier: Apache-2.0
# tests/oracle/transformers_test.py: logits and gradients of checkpoints against transformers on torch,
# on the CPU: tiny ones of every family made here, folders that were written here opened there, and
# SmolLM2-135M-Instruct from its GGUF file.
# MX_ORACLE_POLICY is the program oracle_policy.

import importlib.metadata
import json
import os
import subprocess
import tempfile
import unittest

from prompts_module import prompts
from torch_models import (MODEL_ABSENCE, load_file, smollm2, smollm2_on_torch, torch,
                          transformers)

PROGRAM = os.environ.get("MX_ORACLE_POLICY", "oracle_policy")
LIMIT = 1e-5  # of the largest magnitude of a tensor
SMALL = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 48, "intermediate_size": 160, "vocab_size": 112,
         "rms_norm_eps": 3e-6, "hidden_act": "silu", "max_position_embeddings": 256,
         "attention_dropout": 0.0}


def random_model(name, **changes):
    """A model of a family, with norms other than 1 and biases other than 0."""
    config = getattr(transformers, f"{name}Config")(**SMALL | changes)
    config.rope_parameters = {"rope_type": "default", "rope_theta": 54321.0}
    torch.manual_seed(sum(map(ord, name)))
    model = getattr(transformers, f"{name}ForCausalLM")(config)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            center = 1.0 if "norm" in key else 0.0
            parameter.copy_(center + 0.15 * torch.randn_like(parameter))
    return model.eval()


def some_texts(vocabulary, lengths=(19, 7, 64, 33)):
    generator = torch.Generator().manual_seed(5)
    return [torch.randint(vocabulary, (n,), generator=generator).tolist() for n in lengths]


def theirs(model, texts, with_gradient=True):
    """Logits of all predicted tokens, and gradients of their mean cross entropy."""
    rows, loss, count = [], 0.0, sum(len(ids) - 1 for ids in texts)
    for ids in texts:
        with torch.set_grad_enabled(with_gradient):
            logits = model(torch.tensor([ids])).logits[0, :-1]
        rows.append(logits.detach())
        if with_gradient:
            loss = loss + torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]),
                                                            reduction="sum")
    if with_gradient:
        model.zero_grad()
        (loss / count).backward()
    gradients = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    return torch.cat(rows), apart(gradients)


def apart(gradients):
    """Experts by themselves, as in files: a model in memory has those of a layer in two tensors."""
    found = {}
    for name, whole in gradients.items():
        if not name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            found[name] = whole
            continue
        prefix, kind = name.rsplit(".", 1)
        for e, expert in enumerate(whole):
            parts = expert.chunk(2) if kind == "gate_up_proj" else [expert]
            for part, one in zip(("gate", "up") if len(parts) == 2 else ("down",), parts):
                found[f"{prefix}.{e}.{part}_proj.weight"] = one
    return found


class transformers_test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def ours(self, model, texts, *words):
        file, results = (os.path.join(self.folder, name) for name in ("t.jsonl", "r.safetensors"))
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(json.dumps({"tokens": ids}) + "\n" for ids in texts)
        done = subprocess.run([PROGRAM, model, file, results, *words], stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = load_file(results)
        return found.pop("logits"), found

    def distance(self, found, expected, what):
        self.assertEqual(found.shape, expected.shape, what)
        largest = expected.abs().max().item()
        far = (found - expected).abs().max().item()
        self.assertLessEqual(far, LIMIT * largest, what)
        return far / largest if largest else 0.0

    def check(self, name, **changes):
        model = random_model(name, **changes)
        saved, written = (os.path.join(tempfile.mkdtemp(dir=self.folder), "m") for _ in range(2))
        model.save_pretrained(saved)
        texts = some_texts(SMALL["vocab_size"])
        logits, gradients = self.ours(saved, texts, written)
        expected, slopes = theirs(model, texts)
        far = self.distance(logits, expected, f"{name}: logits")
        self.assertEqual(set(gradients), set(slopes))
        worst = max(self.distance(gradients[key], slopes[key], f"{name}: {key}") for key in slopes)
        again = transformers.AutoModelForCausalLM.from_pretrained(written, dtype=torch.float32).eval()
        same, _ = theirs(again, texts, with_gradient=False)
        plain, _ = theirs(model, texts, with_gradient=False)
        self.assertTrue(torch.equal(same, plain), f"{name}: the written folder has other logits")
        print(f"{name} {changes}: logits within {far:.1e}, {len(slopes)} gradients within "
              f"{worst:.1e} of their largest magnitudes; the folder written has the same logits "
              f"(transformers {transformers.__version__}, torch {torch.__version__})")

    def test_logits_and_gradients_of_every_family(self):
        torch.set_num_threads(1)
        for name, changes in FAMILIES:
            with self.subTest(name=name, changes=changes):
                self.check(name, **changes)

    def test_shards_are_read_as_one_file_is(self):
        model = random_model("Qwen3", tie_word_embeddings=True)
        one, several = (os.path.join(self.folder, n) for n in ("one", "several"))
        model.save_pretrained(one)
        model.save_pretrained(several, max_shard_size="60KB")
        self.assertGreater(len([n for n in os.listdir(several) if n.endswith(".safetensors")]), 2)
        texts = some_texts(SMALL["vocab_size"])
        self.assertTrue(torch.equal(self.ours(one, texts)[0], self.ours(several, texts)[0]))

    def test_half_precision_is_read_exactly(self):
        model = random_model("Qwen3", tie_word_embeddings=True)
        for dtype in (torch.bfloat16, torch.float16):
            with self.subTest(dtype=dtype):
                folder = os.path.join(self.folder, str(dtype))
                model.to(dtype).save_pretrained(folder)
                # Converted in place the model would lose bits of its positions' frequencies too.
                same = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
                texts = some_texts(SMALL["vocab_size"])
                logits, _ = self.ours(folder, texts)
                expected, _ = theirs(same.eval(), texts, with_gradient=False)
                self.distance(logits, expected, f"{dtype}: logits")


def checkpoint():
    """Folder and name of the GGUF file; skips the test without it."""
    found = smollm2()
    if found is None:
        raise unittest.SkipTest(f"Python has no {MODEL_ABSENCE}")
    return found


TEXTS = ["The capital of France is Paris, and it has 2,102,650 inhabitants.\n\n\tSo what?",
         "Janet's ducks lay 16 eggs per day; she eats three. H\u00e4user \u4f60\u597d \U0001f600  end "]


class smollm2_test(transformers_test):
    """A language model that others trained and quantized."""

    test_logits_and_gradients_of_every_family = None
    test_shards_are_read_as_one_file_is = None
    test_half_precision_is_read_exactly = None

    def test_logits_of_the_gguf_file_are_those_of_transformers(self):
        folder, name = checkpoint()
        torch.set_num_threads(1)
        model = smollm2_on_torch().eval()
        texts = [prompts().Tokenizer(os.path.join(folder, name)).ids(text) for text in TEXTS]
        expected, _ = theirs(model, texts, with_gradient=False)
        del model
        logits, _ = self.ours(os.path.join(folder, name), texts)
        far = self.distance(logits, expected, "logits")
        print(f"{name}: {expected.shape[0]} x {expected.shape[1]} logits within {far:.1e} of the "
              f"largest magnitude (gguf {importlib.metadata.version('gguf')})")

    def test_token_ids_are_those_of_transformers(self):
        folder, name = checkpoint()
        own = prompts().Tokenizer(os.path.join(folder, name))
        theirs_ = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=name)
        for text in TEXTS + ["<|im_start|>user\nHi<|im_end|>\n", "12345 x^2  \r\n", ""]:
            self.assertEqual(own.ids(text), theirs_(text, add_special_tokens=False)["input_ids"])
            self.assertEqual(own.text(own.ids(text)),
                             theirs_.decode(own.ids(text), skip_special_tokens=True))
        print(f"{name}: token ids and texts equal (tokenizers "
              f"{importlib.metadata.version('tokenizers')})")


    def test_answers_are_scored_by_the_texts_of_their_tokens(self):
        folder, name = checkpoint()
        own = prompts().Tokenizer(os.path.join(folder, name))
        file = os.path.join(self.folder, "problems.jsonl")
        answers = [f"{text} {i}" for i, text in enumerate(TEXTS * 4)]
        prompts().write_problems(own, [{"prompt": f"Problem {i}:", "answer": text}
                                       for i, text in enumerate(answers)], file, {"compare": "text"})
        lines = [f"{i} {' '.join(map(str, own.ids(given) + [own.end]))}"
                 for i, text in enumerate(answers) for given in (text, text + "!")]
        done = subprocess.run([os.environ["MX_ORACLE_ANSWERS"], file], input="\n".join(lines) + "\n",
                              capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([float(line) for line in done.stdout.split()], [1.0, 0.0] * len(answers))
        print(f"{name}: {len(lines)} answers of several tokens have the scores of their texts")


# More experts than the tokens of the texts choose: some have none.
EXPERTS = {"num_experts": 24, "num_experts_per_tok": 2, "moe_intermediate_size": 96}
FAMILIES = [(name, {"tie_word_embeddings": tied}) for name in ("Llama", "Qwen2", "Qwen3")
            for tied in (True, False)]
FAMILIES += [("Qwen3Moe", EXPERTS | {"norm_topk_prob": whole}) for whole in (True, False)]

if __name__ == "__main__":
    unittest.main()
