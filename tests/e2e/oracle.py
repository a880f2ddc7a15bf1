#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a trace with the steps of a plain single-stepper of the same program.

usage: oracle.py STEPS DUMP.jsonl [PROGRAM]

STEPS is the output of steptrace (tests/oracle), DUMP.jsonl that of trace-dump --format=jsonl.
Both must have the same sequence of pcs. With PROGRAM, its file, the addresses of all memory
operands that objdump writes are computed from the stepper's registers, and must be in the trace.
"""
import json
import re
import subprocess
import sys

REGISTERS = ("rip rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 "
             "fs_base gs_base").split()
NARROW = {"e" + name[1:]: name for name in REGISTERS if re.fullmatch("r[a-ds][xip]|r[bs]p", name)}
NARROW |= {f"r{i}d": f"r{i}" for i in range(8, 16)}
OPERAND = re.compile(r"%?([fg]s:)?(?:[de]s:)?(-?0x[0-9a-f]+)?"
                     r"(?<!%st)\((%\w+)?(?:,(%\w+),([1248]))?\)"
                     r"|%([fg]s:)(0x[0-9a-f]+)")
NO_ACCESS = re.compile(r"(?:(?:cs |data16 )*nop[wl]?|lea|clflush|endbr64)\b")
OTHER_ADDRESS = re.compile(r"(?:bt[scr]?[wlq]?\s+%|pop|xlat|v?maskmov)")


def disassemble(program):
    """pc -> (text of the instruction, the address objdump shows for rip-relative operands)"""
    output = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True,
                            text=True, capture_output=True).stdout
    code = {}
    for pc, text, target in re.findall(
            r"^ +([0-9a-f]+):\t([^#<\n]*?)\s*(?:# ([0-9a-f]+).*|<.*)?$", output, re.MULTILINE):
        code[int(pc, 16)] = text, int(target, 16) if target else None
    return code


def register(registers, name):
    name = name.lstrip("%")
    if name in NARROW:
        return registers[NARROW[name]] & 0xffffffff
    return registers.get(name)


def address(match, target, registers):
    """Returns the address of an operand of objdump's; None if the operand is not a simple one."""
    _, displacement, base, index, scale, absolute_segment, absolute = match.groups()
    segment = match[1] or absolute_segment
    if base == "%rip":
        return target
    value = int(displacement or absolute or "0", 16)
    for name, factor in ((base, 1), (index, int(scale or 1))):
        if name and name != "%riz":
            part = register(registers, name)
            if part is None:
                return None
            value += part * factor
    if any(name and name[1:] in NARROW for name in (base, index)):
        value %= 1 << 32
    if segment:
        value += registers[segment[0] + "s_base"]
    return value % (1 << 64)


def main():
    steps_name, dump_name, *program = sys.argv[1:]
    code = disassemble(program[0]) if program else {}
    steps = checked = number = 0
    with open(steps_name, encoding="ascii") as steps_file, \
         open(dump_name, encoding="utf-8") as dump_file:
        insns = (insn for insn in map(json.loads, dump_file) if insn["type"] == "insn")
        for number, insn in enumerate(insns):
            line = steps_file.readline()
            if not line:
                sys.exit(f"the stepper ends before instruction {number}, at {insn['pc']}")
            registers = dict(zip(REGISTERS, (int(word, 16) for word in line.split())))
            if int(insn["pc"], 16) != registers["rip"]:
                sys.exit(f"instruction {number} is at {insn['pc']}, "
                         f"the stepper's at {registers['rip']:#x}")
            steps += 1
            text, target = code.get(registers["rip"], ("", None))
            if NO_ACCESS.match(text):
                if insn["mem"]:
                    sys.exit(f"instruction {number}, {text}, has operands {insn['mem']}")
                continue
            if OTHER_ADDRESS.match(text):
                continue
            for match in OPERAND.finditer(text):
                expected = address(match, target, registers)
                if expected is None:
                    continue
                checked += 1
                if f"{expected:#x}" not in [operand["address"] for operand in insn["mem"]]:
                    sys.exit(f"instruction {number}, {text}, accesses {expected:#x}, "
                             f"the trace has {insn['mem']}")
        rest = sum(1 for _ in steps_file)
        if rest:
            sys.exit(f"the stepper has {rest} instructions more after {steps}")
    print(f"{steps} instructions, {checked} addresses agree")
    sys.exit(steps == 0 or (bool(program) and checked == 0))


main()
