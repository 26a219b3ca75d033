# SPDX-License-Identifier: Apache-2.0
# tests/e2e/built_program.py: how the command under test was built.

import functools


@functools.lru_cache
def is_sanitized(program):
    """Whether AddressSanitizer or ThreadSanitizer is in a program's file."""
    with open(program, "rb") as file:
        text = file.read()
    return b"__asan_init" in text or b"__tsan_init" in text
