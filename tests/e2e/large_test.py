# SPDX-License-Identifier: Apache-2.0
# tests/e2e/large_test.py: a tensor of more than 2^31 elements, in a sparse file.

import json
import os
import shutil
import struct

from command_case import command_case, main

COUNT = (1 << 31) + 96
NEEDED = 3 << 30


class large_test(command_case):
    def test_indices_beyond_2_to_the_31_are_right(self):
        if shutil.disk_usage(self.folder).free < NEEDED:
            self.skipTest("SKIPPED: a tensor of 2^31 elements, because 3 GiB of disk are missing")
        header = json.dumps({"w": {"dtype": "BF16", "shape": [COUNT],
                                   "data_offsets": [0, 2 * COUNT]}}).encode()
        with open(self.path("big.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            start = file.tell()
            file.seek(start + 2 * (COUNT - 32))
            file.write(struct.pack("<32H", *[0x40C0] * 31 + [0xBF80]))  # 6 and -1
        result = self.run_json("quantize", "big.safetensors", "-o", "c.safetensors", timeout=600)
        self.assertEqual(result["tensors"][0]["blocks"], COUNT // 32)
        with open(self.path("c.safetensors"), "rb") as file:
            size = struct.unpack("<Q", file.read(8))[0]
            tensors = json.loads(file.read(size))
            for name, want in (("codes", bytes(16) + b"\x77" * 15 + b"\xa7"),
                               ("scales", b"\x00\x7f")):
                file.seek(8 + size + tensors[name]["data_offsets"][1] - len(want))
                self.assertEqual(file.read(len(want)), want)
        os.remove(self.path("big.safetensors"))


if __name__ == "__main__":
    main()
