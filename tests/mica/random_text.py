#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A random program in the text format of tests/oracle/mica_oracle.py.

usage: random_text.py SEED DYNAMIC STATIC
"""
import random
import sys

seed, dynamic, static = (int(a) for a in sys.argv[1:4])
rng = random.Random(seed)
registers = ("rax rbx rcx rdx rsi rdi rsp rbp eax ax al ah r8 r8d r9 r10 xmm0 xmm1 ymm1 zmm2 st0 st1 mm0 k1").split()
kinds = ("DATAXFER:MOV BINARY:ADD LOGICAL:XOR MISC:LEAVE MISC:LEA CALL:CALL_NEAR RET:RET_NEAR UNCOND_BR:JMP "
         "POP:POP PUSH:PUSH SSE:ADDPS MMX:PADDD CONVERT:CDQE SETCC:SETZ AVX2:VPADDD X87_ALU:FADD NOP:NOP "
         "SHIFT:SHL CMOV:CMOVZ LOGICAL_FP:ANDPS SYSCALL:SYSCALL").split()


def some(most):
    return ",".join(rng.sample(registers, rng.randint(0, most)))


class Insn:
    def __init__(self, pc):
        self.pc, self.size = pc, rng.randint(1, 15)
        self.kind = "COND_BR:JZ" if rng.random() < .3 else rng.choice(kinds)
        self.repeats = rng.random() < .05
        if self.repeats:
            self.kind = "STRINGOP:MOVSB"
        self.reads, self.writes, self.ops = some(4), some(3), rng.choice((0, 1, 2, 3, 4, 6, 7, 9))
        self.loads = 0 if rng.random() < .5 else 2 if rng.random() < .1 else 1
        self.stores = rng.random() < .3
        self.bias = rng.random()
        self.base, self.stride = self.address(), rng.choice((0, 1, 4, 8, 64, 4096, 1 << 18))
        self.read_size, self.write_size = (rng.choice((0, 1, 2, 4, 8, 16, 64, 100)) for _ in range(2))

    @staticmethod
    def address():
        return rng.choice((0, rng.randrange(1 << 8), rng.randrange(1 << 14), rng.randrange(1 << 20),
                           0x7fff00000000 + rng.randrange(1 << 30)))

    def next(self):
        if rng.random() < .7:
            self.base += self.stride
        else:
            self.base = self.address()
        return max(self.base, 1 if not self.read_size or not self.write_size else 0)

    def line(self):
        words = ["%#x" % self.pc, str(self.size), *self.kind.split(":"), "ops=%d" % self.ops]
        if self.reads:
            words.append("r=" + self.reads)
        if self.writes:
            words.append("w=" + self.writes)
        if self.loads:
            words.append("ld=" + ",".join("%#x:%d" % (self.next(), self.read_size) for _ in range(self.loads)))
        if self.stores:
            words.append("st=%#x:%d" % (self.next(), self.write_size))
        if self.kind.startswith("COND_BR"):
            words.append("t=%d" % (rng.random() < self.bias))
        if self.repeats:
            words.append("rep=%d" % rng.choice((0, 0, 1, 2, 3, 20)))
        return " ".join(words)


insns, pc = [], 0x400000
for _ in range(static):
    insns.append(Insn(pc))
    pc += insns[-1].size + rng.choice((0, 0, 0, 100, 5000))
at = 0
for _ in range(dynamic):
    print(insns[at].line())
    at = (at + 1) % static if rng.random() < .8 else rng.randrange(static)
