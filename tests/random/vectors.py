# SPDX-License-Identifier: MIT
"""Vector and x87 instructions for generate.py."""
from operands import AREA, NAMES, Operands, part

FEATURES = set()        # of the processor, as /proc/cpuinfo names them


class Vectors(Operands):
    def vector(self):
        n, m = self.random.randrange(16), self.random.randrange(16)
        how = self.random.randrange(12)
        if how == 0:
            self.emit('%s %s, %%xmm%d' % (self.pick('movdqu', 'movups', 'lddqu'), self.operand(16), n))
        elif how == 1:
            self.emit('%s %%xmm%d, %s' % (self.pick('movdqu', 'movups'), n, self.operand(16)))
        elif how == 2:
            self.emit('%s %%xmm%d, %%xmm%d' % (self.pick('paddd', 'pxor', 'psubb', 'pmulld', 'pshufb',
                                                         'pcmpeqw', 'punpcklbw'), n, m))
        elif how == 3:
            size, op = self.pick((4, 'movd'), (8, 'movq'))
            self.emit('%s %s, %%xmm%d' % (op, self.pick(self.operand(size),
                                                        part(self.random.choice(NAMES), size)), n))
        elif how == 4:
            size, op = self.pick((4, 'movd'), (8, 'movq'))
            to = self.free()
            self.emit('%s %%xmm%d, %s' % (op, n, part(to, size)))
            self.forget(to)
        elif how == 5:
            size, op = self.pick((8, 'movhps'), (8, 'movlps'), (4, 'movss'), (8, 'movsd'))
            self.emit('%s %%xmm%d, %s' % (op, n, self.operand(size)))
        elif how == 6:
            to = self.free()
            self.emit('pmovmskb %%xmm%d, %s' % (n, part(to, 4)))
            self.forget(to)
        elif how == 7 and self.usable('rdi'):
            self.make_pointer(('rdi',), self.random.randrange(AREA - 16))
            self.emit('maskmovdqu %%xmm%d, %%xmm%d' % (n, m))
        elif how == 8:
            self.emit('%s %s' % self.pick(('fldl', self.operand(8)), ('flds', self.operand(4)),
                                          ('fildll', self.operand(8)), ('fldt', self.operand(10))))
            self.emit('%s %s' % self.pick(('fstpl', self.operand(8)), ('fstps', self.operand(4)),
                                          ('fstpt', self.operand(10)), ('fistpll', self.operand(8))))
        elif 'avx2' in FEATURES:
            self.avx(n, m)

    def avx(self, n, m):
        x = self.pick('x', 'y')
        lanes = 16 if x == 'x' else 32
        how = self.random.randrange(6)
        if how == 0:
            self.emit('vmovdqu %s, %%%smm%d' % (self.operand(lanes), x, n))
        elif how == 1:
            self.emit('vmovdqu %%%smm%d, %s' % (x, n, self.operand(lanes)))
        elif how == 2:
            self.emit('vpaddd %s, %%%smm%d, %%%smm%d' % (self.operand(lanes), x, n, x, m))
        elif how == 3:
            op = self.pick('vpmaskmovd', 'vpmaskmovq', 'vmaskmovps', 'vmaskmovpd')
            if self.chance(50):
                self.emit('%s %s, %%%smm%d, %%%smm%d' % (op, self.operand(lanes), x, n, x, m))
            else:
                self.emit('%s %%%smm%d, %%%smm%d, %s' % (op, x, n, x, m, self.operand(lanes)))
        elif how == 4:      # three registers that differ; indices from -8 to 7
            a, b, c = self.random.sample(range(16), 3)
            base = self.make_pointer(offset=self.random.randrange(64, AREA - 128))
            self.emit('vmovdqu indices(%%rip), %%%smm%d' % (x, a))
            self.emit('%s %%%smm%d, %d(%s,%%%smm%d,%d), %%%smm%d' % (
                self.pick('vpgatherdd', 'vgatherdps'), x, b, self.pick(0, 8), part(base, 8), x, a,
                self.pick(1, 2, 4, 8), x, c))
        elif 'avx512vl' in FEATURES and 'avx512bw' in FEATURES:
            self.masked(n, m)

    def masked(self, n, m):
        x, lanes = self.pick(('x', 16), ('y', 32), ('z', 64))
        k = self.random.randrange(1, 8)
        size = self.pick(8, 16, 32, 64)
        how = self.random.randrange(6)
        if how == 0:
            self.emit('kmovq %s, %%k%d' % (self.pick(part(self.random.choice(NAMES), 8),
                                                     self.operand(8)), k))
        elif how == 1:
            self.emit('vmovdqu%d %s, %%%smm%d{%%k%d}%s' % (size, self.operand(lanes), x, n + self.pick(
                0, 16), k, self.pick('', '{z}')))
        elif how == 2:
            self.emit('vmovdqu%d %%%smm%d, %s{%%k%d}' % (size, x, n + self.pick(0, 16),
                                                         self.operand(lanes), k))
        elif how == 3:
            self.emit('vpaddd %s, %%%smm%d, %%%smm%d{%%k%d}' % (self.operand(lanes), x, n, x, m, k))
        elif how == 4:
            self.emit('vpcompressd %%%smm%d, %s{%%k%d}' % (x, n, self.operand(lanes), k))
        else:
            base = self.make_pointer(offset=self.random.randrange(64, AREA - 128))
            self.emit('vmovdqu32 indices(%%rip), %%%smm%d' % (x, n))
            self.emit('vpscatterdd %%%smm%d, (%s,%%%smm%d,%d){%%k%d}' % (
                x, m, part(base, 8), x, n, self.pick(1, 2, 4, 8), k))
