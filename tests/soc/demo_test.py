#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""demo_test.py EXPORT DEMO STUDY [KEY=VALUE...]: the products of a step, exported, go through the
system on a chip and come back with the bits of mx::gemm; one changed byte of a copy of the file gives
other hashes, and invalid files are refused."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ENVIRONMENT = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")


def run(*words):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, env=ENVIRONMENT)
    return done.returncode, done.stdout


def hashes(text):
    return re.findall(r"[0-9a-f]{64}", text)


def byte_of(content, name):
    """Offset of a tensor of a safetensors file."""
    size = struct.unpack("<Q", content[:8])[0]
    return 8 + size + json.loads(content[8:8 + size])[name]["data_offsets"][0]


def write_products(path, count, m, n, k):
    """A file with products of zeros of these sizes under every name."""
    header, data = {}, b""
    for name in (f"{of}.{linear}" for of in ("forward", "dgrad", "wgrad")
                 for linear in ("q", "k", "v", "o", "gate", "up", "down")):
        for part, lines, length in (("a", m, k // 2), ("b", n, k // 2),
                                    ("scale_a", m, k // 32), ("scale_b", n, k // 32)):
            size = count * lines * length
            header[f"{name}.{part}"] = {"dtype": "U8", "shape": [count, lines, length],
                                        "data_offsets": [len(data), len(data) + size]}
            data += bytes(size)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def check_sizes(demo, folder):
    """Sizes that the tensor core does not take are refused by name, as are files without products."""
    path = os.path.join(folder, "sizes.safetensors")
    write_products(path, 1, 3, 5, 64)
    status, text = run(demo, path)
    assert status == 0, text
    for sizes in ((0, 16, 8, 64), (1, 0, 8, 64), (1, 16, 0, 64), (1, 16, 8, 0), (1, 16, 8, 32)):
        write_products(path, *sizes)
        status, text = run(demo, path)
        assert status == 2 and "is no product that the tensor core takes" in text, (sizes, status, text)


def main():
    export, demo, study, *overrides = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "products.safetensors")
        status, text = run(export, study, file, *overrides)
        assert status == 0, text
        status, text = run(demo, file)
        print(text)
        assert status == 0 and "21 of 21 have the bits of mx::gemm" in text, status
        assert len(hashes(text)) == 21 and len(set(hashes(text))) == 21
        for line in text.splitlines()[-22:-1]:
            assert re.search(r" [1-9]\d* cycles .* [1-9]\d* bytes core .* [1-9]\d* bytes DMA", line)
        with open(file, "rb") as whole:
            content = bytearray(whole.read())
        content[byte_of(content, "forward.down.scale_b")] ^= 1
        changed = os.path.join(folder, "changed.safetensors")
        with open(changed, "wb") as whole:
            whole.write(content)
        _, other = run(demo, changed)
        assert sum(a != b for a, b in zip(hashes(text), hashes(other))) == 1, other
        check_sizes(demo, folder)
        with open(changed, "wb") as whole:
            whole.write(content[:-1])
        for words in ((demo, changed), (demo, os.path.join(folder, "none")), (demo,),
                      (export, study), (export, study, changed, "no.key=1")):
            status, text = run(*words)
            assert status == 2, (words, status, text)
        assert run(demo, "--help") == (0, "usage: mx_soc_demo FILE\n")


if __name__ == "__main__":
    main()
