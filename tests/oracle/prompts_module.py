# SPDX-License-Identifier: Apache-2.0
# tests/oracle/prompts_module.py: mxprism.prompts, which needs nothing of the compiled package.

import importlib.util
import os


def prompts():
    path = os.path.join(os.environ["MX_SOURCE_DIR"], "golden/bindings/python/mxprism/prompts.py")
    spec = importlib.util.spec_from_file_location("mxprism_prompts", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
