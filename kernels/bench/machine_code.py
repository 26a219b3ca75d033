# SPDX-License-Identifier: Apache-2.0
# kernels/bench/machine_code.py: kernels as the text of cuobjdump -sass shows them: their instructions, their
# loops, and the cheapest paths through them.
import collections
import re

CLASSES = ("matrix", "fp32", "integer", "move", "memory", "local", "control", "other")
CONTROL = re.compile(r"BRA|BRX|BSSY|BSYNC|BREAK|CALL|RET$|EXIT|BAR|WARPSYNC|DEPBAR|LDGDEPBAR|NOP|YIELD|BMOV|ENDCOLLECTIVE"
                     r"|SYNCS|WARPGROUP|BPT|KILL|JMP|NANOSLEEP")
MOVE = re.compile(r"(IMAD\.MOV|U?MOV|CS2R|S2U?R|R2UR|R2P|P2R|MOVM)(\.|\s)|IMAD\.U32 \w+, RZ, RZ,")
INTEGER = re.compile(r"I|U?(LOP3|PLOP3|SHF|LEA|PRMT|SEL|IADD3|IMAD|ISETP|FLO|POPC)$|V(IADD|IMNMX|ABS)|BREV|SGXT|BMSK")

Instruction = collections.namedtuple("Instruction", "address predicate opcode operands")
HEAD = re.compile(r"\s*Function : (\S+)")
LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);")


def class_of(instruction):
    base = instruction.opcode.split(".")[0]
    if base.endswith("MMA"):
        return "matrix"
    if CONTROL.match(base):
        return "control"
    if base in ("LDL", "STL"):
        return "local"
    if re.match(r"LD|ST|ULDC|ATOM|RED$|UBLKCP|MEMBAR", base):
        return "memory"
    if MOVE.match(f"{instruction.opcode} {instruction.operands}"):
        return "move"
    if re.match(r"F(FMA|MUL|ADD|MNMX|SETP|SEL|SET)", base):
        return "fp32"
    return "integer" if INTEGER.match(base) else "other"


def is_named(opcode, name):
    """Whether an opcode has a name or begins with it: FADD.RZ.FTZ has FADD and FADD.RZ."""
    return opcode == name or opcode.startswith(name + ".")


def functions_in(text):
    """Name -> instructions."""
    found, current = {}, None
    for line in text.splitlines():
        if match := HEAD.match(line):
            current = found.setdefault(match[1], [])
        elif (match := LINE.match(line)) and current is not None:
            current.append(Instruction(int(match[1], 16), match[2], match[3], match[4].strip()))
    return {name: body for name, body in found.items() if body}


def target_of(instruction):
    match = re.search(r"\b(0x[0-9a-f]+)$", instruction.operands)
    return int(match[1], 16) if match else None


class Blocks:
    """The blocks of a kernel, numbered as they lie, and their successors."""

    def __init__(self, body):
        place = {instruction.address: i for i, instruction in enumerate(body)}
        leaders = {0}
        for i, instruction in enumerate(body):
            if re.match(r"BRA|BRX|CALL|RET|EXIT|JMP|KILL|BPT", instruction.opcode):
                leaders |= {place.get(target_of(instruction), 0), i + 1}
        starts = sorted(leaders - {len(body)})
        self.of = [body[first:last] for first, last in zip(starts, [*starts[1:], len(body)])]
        self.at = {block[0].address: i for i, block in enumerate(self.of)}
        self.next_of = [self.successors(i) for i in range(len(self.of))]

    def successors(self, number):
        last = self.of[number][-1]
        base = last.opcode.split(".")[0]
        falls = [number + 1] if number + 1 < len(self.of) else []
        if base in ("EXIT", "RET", "KILL", "BPT", "BRX", "JMP"):
            return falls if last.predicate else []
        if base != "BRA":
            return falls
        taken = self.at.get(target_of(last))
        is_conditional = last.predicate or not re.fullmatch(r"0x[0-9a-f]+", last.operands)
        return ([] if taken is None else [taken]) + (falls if is_conditional else [])

    def order_from(self, start):
        """Blocks in an order that follows all edges but those back into the path to a block; and those edges."""
        state, order, back = {start: "open"}, [], set()
        stack = [(start, iter(self.next_of[start]))]
        while stack:
            block, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[block] = "done"
                order.append(block)
                stack.pop()
            elif state.get(following) == "open":
                back.add((block, following))
            elif following not in state:
                state[following] = "open"
                stack.append((following, iter(self.next_of[following])))
        return order[::-1], back

    def loops(self):
        """(head, blocks, sources of its edges back) of each, the largest first."""
        order, back = self.order_from(0)
        before = collections.defaultdict(set)
        for block in order:
            for following in self.next_of[block]:
                before[following].add(block)
        found = []
        for head in {head for _, head in back}:
            sources = {source for source, to in back if to == head}
            found.append((head, blocks_before(before, head, sources), sources))
        return sorted(found, key=lambda loop: (-len(loop[1]), loop[0]))


def blocks_before(before, head, sources):
    """The blocks from which a source is reached without passing the head; and the head."""
    blocks, rest = {head}, list(sources)
    while rest:
        block = rest.pop()
        if block not in blocks:
            blocks.add(block)
            rest += before[block]
    return blocks


class Ways(dict):
    """numbers -> (instructions, path): the cheapest path that executes these numbers, none above `most`."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def add(self, numbers, cost, path):
        if all(n <= m for n, m in zip(numbers, self.most)) and (numbers not in self or cost < self[numbers][0]):
            self[numbers] = (cost, path)

    def add_all(self, others, numbers=None, cost=0, block=None):
        for more, (extra, path) in others.items():
            sum_of = more if numbers is None else tuple(a + b for a, b in zip(numbers, more))
            self.add(sum_of, cost + extra, path if block is None else (block, path))


class Paths:
    """Cheapest paths that execute exactly the required numbers of some opcodes.
      required  opcode -> number"""

    def __init__(self, blocks, required):
        self.blocks, self.names, self.numbers = blocks, tuple(required), tuple(required.values())
        self.inside_of = {}

    def hot_loop(self):
        """A pass of the largest loop that has one, as instructions; and the loop's blocks."""
        _, back = self.blocks.order_from(0)
        for head, blocks, sources in self.blocks.loops():
            ways = self.cheapest(head, sources, blocks, back)
            if self.numbers in ways:
                return self.instructions(ways[self.numbers]), blocks
        return None, set()

    def end_after(self, loop):
        """The path from a loop's blocks to the kernel's end."""
        order, back = self.blocks.order_from(0)
        outside = set(order) - loop
        ends = {b for b in outside if self.blocks.of[b][-1].opcode == "EXIT"}
        exits = {following for b in loop for following in self.blocks.next_of[b]} - loop
        ways = [self.cheapest(e, ends, outside, back).get(self.numbers) for e in exits]
        return min((self.instructions(way) for way in ways if way), key=len, default=None)

    def cheapest(self, start, goals, inside, back):
        best = {}
        for block in reversed([b for b in self.blocks.order_from(start)[0] if b in inside]):
            ways = Ways(self.numbers)
            if block in goals:
                ways.add((0,) * len(self.numbers), 0, ())
            for following in self.blocks.next_of[block]:
                if (block, following) not in back:
                    ways.add_all(best.get(following, {}))
            best[block] = self.with_block(block, ways)
        return best.get(start, {})

    def with_block(self, block, ways):
        own = self.blocks.of[block]
        counts = tuple(sum(is_named(i.opcode, name) for i in own) for name in self.names)
        made = Ways(self.numbers)
        made.add_all(ways, counts, len(own), block)
        if not own[-1].opcode.startswith("CALL"):
            return made
        called = Ways(self.numbers)
        for numbers, (cost, inner) in self.paths_of_function(target_of(own[-1])).items():
            called.add_all(made, numbers, cost, inner)
        return called

    def paths_of_function(self, address):
        """Empty for one that calls itself."""
        if address not in self.inside_of:
            self.inside_of[address] = {}
            start = self.blocks.at.get(address)
            if start is not None:
                order, back = self.blocks.order_from(start)
                ends = {b for b in order if self.blocks.of[b][-1].opcode.startswith("RET")}
                self.inside_of[address] = self.cheapest(start, ends, set(order), back)
        return self.inside_of[address]

    def instructions(self, way):
        return [i for block in flattened(way[1]) for i in self.blocks.of[block]]


def flattened(path):
    """The blocks of a path: of pairs of a block, or a called function's path, and the rest."""
    while path:
        first, path = path
        if isinstance(first, tuple):
            yield from flattened(first)
        else:
            yield first
