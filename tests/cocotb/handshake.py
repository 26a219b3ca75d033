# SPDX-License-Identifier: Apache-2.0
"""handshake.py: both sides of a module with ready and valid, each with random stalls. Pins are set
at the falling edge of the clock and sampled before the rising one."""
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer

PATIENCE = 1000  # cycles without a transfer after which a module counts as hanging


def seed():
    """The seed of words and stalls: --seed of run.py."""
    return int(os.environ["COCOTB_RANDOM_SEED"])


def goes(source):
    """Whether a side is active in this cycle."""
    return source.randrange(4) != 0


async def start(dut):
    """Clock and reset; nothing is offered or accepted."""
    dut.valid_i.value = 0
    dut.ready_i.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    await FallingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1


async def transfer(dut, valid, ready):
    """Waits for the cycle in which a word goes over, and returns in its middle."""
    for _ in range(PATIENCE):
        await ReadOnly()
        if valid.value == 1 and ready.value == 1:
            return
        await FallingEdge(dut.clk_i)
    raise AssertionError(f"{valid._name} and {ready._name} do not meet in {PATIENCE} cycles")


async def send(dut, words, drive, source):
    """Offers each word until it is taken.   drive  sets the pins of a word"""
    for word in words:
        while True:
            await FallingEdge(dut.clk_i)
            if goes(source):
                break
        drive(dut, word)
        dut.valid_i.value = 1
        await transfer(dut, dut.valid_i, dut.ready_o)
        await FallingEdge(dut.clk_i)
        dut.valid_i.value = 0


async def receive(dut, count, look, source):
    """What comes out, stable while it waits.   look  the pins of a result"""
    results, held = [], None
    for _ in range(PATIENCE * count):
        await FallingEdge(dut.clk_i)
        taken = goes(source)
        dut.ready_i.value = int(taken)
        await ReadOnly()
        assert dut.valid_o.value.is_resolvable, "valid_o is unknown"
        valid = dut.valid_o.value == 1
        assert held is None or (valid and look(dut) == held), "a result changed while it waited"
        held = look(dut) if valid and not taken else None
        if valid and taken:
            results.append(look(dut))
        if len(results) == count:
            return results
    raise AssertionError(f"{len(results)} results of {count}")


async def outcome(dut, words, drive, look, source):
    """Results of all words, sent and taken under stalls."""
    await start(dut)
    sending = cocotb.start_soon(send(dut, words, drive, source))
    results = await receive(dut, len(words), look, source)
    await sending
    await Timer(100, "ns")
    assert dut.valid_o.value == 0, "an unexpected result"
    return results
