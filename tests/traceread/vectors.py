# SPDX-License-Identifier: MIT
"""The executions of basic block vectors (4.5)."""

from collections import Counter


def executed(path, leave, partial):
    """Returns how many instructions of the path are executed up to the exit."""
    return partial if leave is None else sum(len(b.insns) for b in path.blocks[:leave.blocks])


def executions(counts):
    """Returns how often blocks are executed: (id of the block, instructions executed) -> times."""
    sums = Counter()
    for path, leave, times, partial in counts:
        left = executed(path, leave, partial)
        for block in path.blocks:
            if left > 0:
                sums[id(block), min(left, len(block.insns))] += times
            left -= len(block.insns)
    return sums


def places(block):
    """Returns the places of the block's instructions, and of its end, as pairs of module and offset."""
    found, offset = [(block.module, block.start)], block.start
    for insn in block.insns:
        offset += len(insn.code)
        found.append((block.module, offset))
    return found
