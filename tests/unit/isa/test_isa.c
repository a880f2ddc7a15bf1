/* SPDX-License-Identifier: MIT */
/*
 * isa_decode against a table written by hand: what an instruction is, what memory it touches and
 * how it ends. Then names, disassembly, and bytes that are no instructions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/isa/isa_text.h"
#include "tests/unit/run_suite.h"

enum { PC = 0x1000 };

/* ---- the table --------------------------------------------------------------------------- */

/* facts: as isa_text.h writes them; pc is 0x1000. */
static const struct {
	const char *assembly, *bytes, *facts;
} table[] = {
	/* plain moves and arithmetic */
	{ "mov %rax,(%rbx)", "48 89 03", "move; store 8 rbx" },
	{ "mov 0x10(%rax,%rcx,8),%edx", "8b 54 c8 10", "move; load 4 rax+rcx*8+0x10" },
	{ "mov %al,-1(%r12,%r13,2)", "43 88 44 6c ff", "move; store 1 r12+r13*2-0x1" },
	{ "movzbl (%rsi),%eax", "0f b6 06", "move; load 1 rsi" },
	{ "movswq (%rsi),%rax", "48 0f bf 06", "move; load 2 rsi" },
	{ "movslq (%rsi),%rax", "48 63 06", "move; load 4 rsi" },
	{ "movslw (%rsi),%ax", "66 63 06", "move; load 2 rsi" },
	{ "movbe (%rsi),%rax", "48 0f 38 f0 06", "move; load 8 rsi" },
	{ "movabs 0x1122334455667788,%al", "a0 88 77 66 55 44 33 22 11",
	  "move; load 1 0x1122334455667788" },
	{ "addr32 movabs 0x11223344,%eax", "67 a1 44 33 22 11", "move; load 4 low32(0x11223344)" },
	{ "mov 0x10(%rip),%eax", "8b 05 10 00 00 00", "move; load 4 0x1016" },
	{ "mov 0x10(%eip),%eax", "67 8b 05 10 00 00 00", "move; load 4 low32(0x1017)" },
	{ "mov %fs:0x28,%rax", "64 48 8b 04 25 28 00 00 00", "move; load 8 fs:0x28" },
	{ "mov %gs:(%rax,%rbx,4),%cx", "65 66 8b 0c 98", "move; load 2 gs:rax+rbx*4" },
	{ "mov %fs:-8(%eax),%rcx", "64 67 48 8b 48 f8", "move; load 8 fs:low32(rax-0x8)" },
	{ "mov 8(%r8d,%r9d,2),%eax", "67 43 8b 44 48 08", "move; load 4 low32(r8+r9*2+0x8)" },
	{ "lea 8(%rax,%rbx,2),%rcx", "48 8d 4c 58 08", "move" },
	{ "add (%rdi),%eax", "03 07", "int-arithmetic; load 4 rdi" },
	{ "add %eax,(%rdi)", "01 07", "int-arithmetic; loadstore 4 rdi" },
	{ "cmp (%rdi),%eax", "3b 07", "int-arithmetic; load 4 rdi" },
	{ "cmpb $1,(%rdi)", "80 3f 01", "int-arithmetic; load 1 rdi" },
	{ "test %al,(%rdi)", "84 07", "logic; load 1 rdi" },
	{ "adc $1,(%rdi)", "83 17 01", "int-arithmetic; loadstore 4 rdi" },
	{ "xchg %rax,(%rdi)", "48 87 07", "atomic; loadstore 8 rdi" },
	{ "xchg %rax,%rbx", "48 93", "move" },
	{ "lock addl $1,(%rdi)", "f0 83 07 01", "atomic; loadstore 4 rdi" },
	{ "lock cmpxchg %rcx,(%rdi)", "f0 48 0f b1 0f", "atomic; loadstore 8 rdi" },
	{ "cmpxchg %rcx,(%rdi)", "48 0f b1 0f", "int-arithmetic; loadstore 8 rdi" },
	{ "cmpxchg8b (%rdi)", "0f c7 0f", "int-arithmetic; loadstore 8 rdi" },
	{ "lock cmpxchg16b (%rdi)", "f0 48 0f c7 0f", "atomic; loadstore 16 rdi" },
	{ "lock xadd %eax,(%rdi)", "f0 0f c1 07", "atomic; loadstore 4 rdi" },
	{ "xacquire lock orl $1,(%rdi)", "f2 f0 83 0f 01", "atomic; loadstore 4 rdi" },
	{ "mfence", "0f ae f0", "atomic" },
	{ "sete (%rdi)", "0f 94 07", "move; store 1 rdi" },
	{ "cmove (%rdi),%eax", "0f 44 07", "move; load 4 rdi" },
	{ "neg (%rdi)", "f7 1f", "int-arithmetic; loadstore 4 rdi" },
	{ "imul (%rdi),%eax", "0f af 07", "int-multiply; load 4 rdi" },
	{ "divq (%rdi)", "48 f7 37", "int-multiply; load 8 rdi" },
	{ "mulx (%rdi),%rax,%rbx", "c4 e2 fb f6 1f", "int-multiply; load 8 rdi" },
	{ "shlq %cl,(%rdi)", "48 d3 27", "shift; loadstore 8 rdi" },
	{ "rolb $3,(%rdi)", "c0 07 03", "shift; loadstore 1 rdi" },
	{ "shld $3,%eax,(%rdi)", "0f a4 07 03", "shift; loadstore 4 rdi" },
	{ "andn (%rdi),%eax,%ebx", "c4 e2 78 f2 1f", "shift; load 4 rdi" },
	{ "popcnt (%rdi),%rax", "f3 48 0f b8 07", "shift; load 8 rdi" },
	{ "crc32w (%rdi),%eax", "66 f2 0f 38 f1 07", "int-arithmetic; load 2 rdi" },
	{ "adcx (%rdi),%rax", "66 48 0f 38 f6 07", "int-arithmetic; load 8 rdi" },
	{ "movnti %rax,(%rdi)", "48 0f c3 07", "move; store 8 rdi" },
	{ "movdiri %eax,(%rdi)", "0f 38 f9 07", "move; store 4 rdi" },
	{ "movdir64b (%rdi),%rsi", "66 0f 38 f8 37", "move; load 64 rdi; store 64 rsi" },
	{ "movdir64b (%edi),%esi", "67 66 0f 38 f8 37",
	  "move; load 64 low32(rdi); store 64 low32(rsi)" },
	{ "movdir64b (%rdi),%rsp", "66 0f 38 f8 27", "move; load 64 rdi; store 64 rsp" },
	{ "enqcmd (%rdi),%rsi", "f2 0f 38 f8 37", "system; load 64 rdi; store 64 rsi" },
	/* bit strings */
	{ "bt %rax,(%rdi)", "48 0f a3 07", "shift; load 8 rdi+bits64(rax)" },
	{ "btl $5,(%rdi)", "0f ba 27 05", "shift; load 4 rdi" },
	{ "btsw %r9w,(%rdi)", "66 44 0f ab 0f", "shift; loadstore 2 rdi+bits16(r9)" },
	{ "lock btrl %edx,8(%rdi)", "f0 0f b3 57 08", "atomic; loadstore 4 rdi+bits32(rdx)+0x8" },
	{ "btc %rax,%fs:(%rdi,%rcx,8)", "64 48 0f bb 04 cf",
	  "shift; loadstore 8 fs:rdi+rcx*8+bits64(rax)" },
	{ "btsl %eax,(%edi)", "67 0f ab 07", "shift; loadstore 4 low32(rdi+bits32(rax))" },
	/* stack */
	{ "push %rax", "50", "stack; ~store 8 rsp-0x8" },
	{ "pushw %ax", "66 50", "stack; ~store 2 rsp-0x2" },
	{ "push $1", "6a 01", "stack; ~store 8 rsp-0x8" },
	{ "pushq (%rdi)", "ff 37", "stack; load 8 rdi; ~store 8 rsp-0x8" },
	{ "pushq 8(%rsp)", "ff 74 24 08", "stack; load 8 rsp+0x8; ~store 8 rsp-0x8" },
	{ "pushq 8(%esp)", "67 ff 74 24 08", "stack; load 8 low32(rsp+0x8); ~store 8 rsp-0x8" },
	{ "push %fs", "0f a0", "stack; ~store 8 rsp-0x8" },
	{ "pushfq", "9c", "stack; ~store 8 rsp-0x8" },
	{ "pushfw", "66 9c", "stack; ~store 2 rsp-0x2" },
	{ "pop %rax", "58", "stack; ~load 8 rsp" },
	{ "popw %ax", "66 58", "stack; ~load 2 rsp" },
	{ "popq (%rdi)", "8f 07", "stack; ~load 8 rsp; store 8 rdi" },
	{ "popq 8(%rsp)", "8f 44 24 08", "stack; ~load 8 rsp; store 8 rsp+0x10" },
	{ "popw 8(%rsp)", "66 8f 44 24 08", "stack; ~load 2 rsp; store 2 rsp+0xa" },
	{ "popq 8(%esp)", "67 8f 44 24 08", "stack; ~load 8 rsp; store 8 low32(rsp+0x10)" },
	{ "pop %fs", "0f a1", "stack segment1; ~load 8 rsp" },
	{ "pop %gs", "0f a9", "stack segment2; ~load 8 rsp" },
	{ "popfq", "9d", "stack; ~load 8 rsp" },
	{ "leave", "c9", "stack; ~load 8 rbp" },
	{ "leavew", "66 c9", "stack; ~load 2 rbp" },
	{ "enter $16,$0", "c8 10 00 00", "stack; ~store 8 rsp-0x8" },
	{ "enter $16,$1", "c8 10 00 01", "stack; ~store 16 rsp-0x10" },
	{ "enter $16,$4", "c8 10 00 04", "stack; ~load 24 rbp-0x18; ~store 40 rsp-0x28" },
	{ "enter $16,$35", "c8 10 00 23", "stack; ~load 16 rbp-0x10; ~store 32 rsp-0x20" },
	{ "enterw $16,$2", "66 c8 10 00 02", "stack; ~load 2 rbp-0x2; ~store 6 rsp-0x6" },
	/* control transfers */
	{ "jne .+0x20", "75 1e", "branch conditional 0x1020" },
	{ "jo .+0x200", "0f 80 fa 01 00 00", "branch conditional 0x1200" },
	{ "jrcxz .+0x10", "e3 0e", "branch conditional 0x1010" },
	{ "jecxz .+0x10", "67 e3 0d", "branch conditional 0x1010" },
	{ "loop .+0x10", "e2 0e", "branch conditional 0x1010" },
	{ "xbegin .+0x100", "c7 f8 fa 00 00 00", "branch conditional 0x1100" },
	{ "xabort $1", "c6 f8 01", "system trap" },
	{ "xend", "0f 01 d5", "system" },
	{ "jmp .+0x20", "eb 1e", "jump jump 0x1020" },
	{ "jmp .+0x200", "e9 fb 01 00 00", "jump jump 0x1200" },
	{ "bnd jmp .+0x200", "f2 e9 fa 01 00 00", "jump jump 0x1200" },
	{ "jmp *%rax", "ff e0", "jump indirect-jump" },
	{ "jmp *8(%rax)", "ff 60 08", "jump indirect-jump; load 8 rax+0x8" },
	{ "notrack jmp *%rax", "3e ff e0", "jump indirect-jump" },
	{ "jmp *0x20(%rip)", "ff 25 20 00 00 00", "jump indirect-jump; load 8 0x1026" },
	{ "ljmp *(%rax)", "ff 28", "jump indirect-jump; load 6 rax" },
	{ "call .+0x100", "e8 fb 00 00 00", "call call 0x1100; ~store 8 rsp-0x8" },
	{ "call *%rax", "ff d0", "call indirect-call; ~store 8 rsp-0x8" },
	{ "call *8(%rsp)", "ff 54 24 08", "call indirect-call; load 8 rsp+0x8; ~store 8 rsp-0x8" },
	{ "lcall *(%rax)", "ff 18", "call indirect-call; load 6 rax; ~store 8 rsp-0x8" },
	{ "rex.W lcall *(%rax)", "48 ff 18",
	  "call indirect-call; load 10 rax; ~store 16 rsp-0x10" },
	{ "lcallw *(%rax)", "66 ff 18", "call indirect-call; load 4 rax; ~store 4 rsp-0x4" },
	{ "ret", "c3", "return return; ~load 8 rsp" },
	{ "ret $16", "c2 10 00", "return return; ~load 8 rsp" },
	{ "rep ret", "f3 c3", "return return; ~load 8 rsp" },
	{ "retw", "66 c3", "return return; ~load 8 rsp" },
	{ "lret", "cb", "return return; ~load 8 rsp" },
	{ "lretw", "66 cb", "return return; ~load 4 rsp" },
	{ "lretq", "48 cb", "return return; ~load 16 rsp" },
	{ "lret $8", "ca 08 00", "return return; ~load 8 rsp" },
	{ "iretw", "66 cf", "return return; ~load 10 rsp" },
	{ "iretl", "cf", "return return; ~load 20 rsp" },
	{ "iretq", "48 cf", "return return; ~load 40 rsp" },
	{ "uiret", "f3 0f 01 ec", "return return; ~load 24 rsp" },
	{ "syscall", "0f 05", "system syscall" },
	{ "sysenter", "0f 34", "system syscall" },
	{ "int $0x80", "cd 80", "system syscall" },
	{ "int $0x81", "cd 81", "system trap" },
	{ "int3", "cc", "system trap" },
	{ "int1", "f1", "system trap" },
	{ "ud2", "0f 0b", "system trap" },
	{ "ud1 (%rax),%eax", "0f b9 00", "system trap" },
	{ "ud0 (%rax),%eax", "0f ff 00", "system trap" },
	{ "hlt", "f4", "system trap" },
	{ "cli", "fa", "system trap" },
	{ "in %dx,%al", "ec", "system" },
	{ "rdmsr", "0f 32", "system trap" },
	{ "lgdt (%rax)", "0f 01 10", "system trap" },
	{ "invlpg (%rax)", "0f 01 38", "system trap" },
	{ "swapgs", "0f 01 f8", "system trap" },
	{ "sysretq", "48 0f 07", "system trap" },
	{ "sysexit", "0f 35", "system trap" },
	{ "mov %cr0,%rax", "0f 20 c0", "move trap" },
	{ "mov %rax,%db7", "0f 23 f8", "move trap" },
	{ "xsetbv", "0f 01 d1", "system trap" },
	/* string instructions */
	{ "movsb", "a4", "string; ~load 1 rsi; ~store 1 rdi" },
	{ "movsq", "48 a5", "string; ~load 8 rsi; ~store 8 rdi" },
	{ "rep movsb", "f3 a4", "string rep1; ~load 1 rep +3 rsi; ~store 1 rep +3 rdi" },
	{ "rep movsq", "f3 48 a5", "string rep8; ~load 8 rep +3 rsi; ~store 8 rep +3 rdi" },
	{ "addr32 rep movsl %fs:(%esi),%es:(%edi)", "64 67 f3 a5",
	  "string rep4 address32; ~load 4 rep +3 fs:low32(rsi); ~store 4 rep +3 low32(rdi)" },
	{ "repne movsb", "f2 a4", "string rep1; ~load 1 rep +3 rsi; ~store 1 rep +3 rdi" },
	{ "cmpsb", "a6", "string; ~load 1 rsi; ~load 1 rdi" },
	{ "repe cmpsw", "66 f3 a7", "string rep2 repe; ~load 2 rep +3 rsi; ~load 2 rep +3 rdi" },
	{ "repne cmpsl", "f2 a7", "string rep4 repne; ~load 4 rep +3 rsi; ~load 4 rep +3 rdi" },
	{ "scasb", "ae", "string; ~load 1 rdi" },
	{ "repne scasb", "f2 ae", "string rep1 repne; ~load 1 rep +3 rdi" },
	{ "repe scasq", "f3 48 af", "string rep8 repe; ~load 8 rep +3 rdi" },
	{ "lodsl", "ad", "string; ~load 4 rsi" },
	{ "rep lodsb %gs:(%rsi)", "65 f3 ac", "string rep1; ~load 1 rep +3 gs:rsi" },
	{ "stosw", "66 ab", "string; ~store 2 rdi" },
	{ "rep stosq", "f3 48 ab", "string rep8; ~store 8 rep +3 rdi" },
	{ "insb", "6c", "system; ~store 1 rdi" },
	{ "rep outsl", "f3 6f", "system rep4; ~load 4 rep +3 rsi" },
	{ "xlat", "d7", "move; ~load 1 rbx+rax.byte*1" },
	{ "xlat %fs:(%ebx)", "64 67 d7", "move; ~load 1 fs:low32(rbx+rax.byte*1)" },
	/* hints and cache control */
	{ "nop", "90", "nop" },
	{ "nopw 8(%rax)", "66 0f 1f 40 08", "nop" },
	{ "pause", "f3 90", "nop" },
	{ "endbr64", "f3 0f 1e fa", "nop" },
	{ "prefetcht0 8(%rax)", "0f 18 48 08", "nop; prefetch 1 rax+0x8" },
	{ "prefetchw (%rax)", "0f 0d 08", "nop; prefetch 1 rax" },
	{ "prefetch (%rax)", "0f 0d 00", "nop; prefetch 1 rax" },
	{ "prefetchwt1 (%rax)", "0f 0d 10", "nop; prefetch 1 rax" },
	{ "clflush (%rax)", "0f ae 38", "system" },
	{ "clflushopt (%rax)", "66 0f ae 38", "system" },
	{ "clwb (%rax)", "66 0f ae 30", "system" },
	{ "cldemote (%rax)", "0f 1c 00", "system" },
	{ "clzero", "0f 01 fc", "system; ~store 64 align64:rax" },
	{ "addr32 clzero", "67 0f 01 fc", "system; ~store 64 align64:low32(rax)" },
	{ "bndmov (%rax),%bnd0", "66 0f 1a 00", "nop" },
	{ "bndldx (%rax),%bnd0", "0f 1a 00", "nop" },
	{ "bndcl (%rax),%bnd0", "f3 0f 1a 00", "nop" },
	/* x87 and MMX */
	{ "flds (%rax)", "d9 00", "x87; load 4 rax" },
	{ "fldl (%rax)", "dd 00", "x87; load 8 rax" },
	{ "fldt (%rax)", "db 28", "x87; load 10 rax" },
	{ "fstpt (%rax)", "db 38", "x87; store 10 rax" },
	{ "fbld (%rax)", "df 20", "x87; load 10 rax" },
	{ "fbstp (%rax)", "df 30", "x87; store 10 rax" },
	{ "filds (%rax)", "df 00", "x87; load 2 rax" },
	{ "fildll (%rax)", "df 28", "x87; load 8 rax" },
	{ "fisttpll (%rax)", "dd 08", "x87; store 8 rax" },
	{ "fiaddl (%rax)", "da 00", "x87; load 4 rax" },
	{ "fldcw (%rax)", "d9 28", "x87 control1; load 2 rax" },
	{ "fnstcw (%rax)", "d9 38", "x87; store 2 rax" },
	{ "fnstsw (%rax)", "dd 38", "x87; store 2 rax" },
	{ "fninit", "db e3", "x87 control1" },
	{ "fldenv (%rax)", "d9 20", "x87 control1; load 28 rax" },
	{ "data16 fldenv (%rax)", "66 d9 20", "x87 control1; load 14 rax" },
	{ "fnstenv (%rax)", "d9 30", "x87; store 28 rax" },
	{ "data16 fnstenv (%rax)", "66 d9 30", "x87; store 14 rax" },
	{ "fnsave (%rax)", "dd 30", "x87 control1; store 108 rax" },
	{ "data16 fnsave (%rax)", "66 dd 30", "x87 control1; store 94 rax" },
	{ "frstor (%rax)", "dd 20", "x87 control1; load 108 rax" },
	{ "data16 frstor (%rax)", "66 dd 20", "x87 control1; load 94 rax" },
	{ "fxsave (%rax)", "0f ae 00", "system; store 512 rax" },
	{ "fxrstor64 (%rax)", "48 0f ae 08", "system control3; load 512 rax" },
	{ "movq (%rax),%mm0", "0f 6f 00", "x87; load 8 rax" },
	{ "movntq %mm0,(%rax)", "0f e7 00", "x87; store 8 rax" },
	{ "punpcklbw (%rax),%mm0", "0f 60 00", "x87; load 4 rax" },
	{ "punpckhbw (%rax),%mm0", "0f 68 00", "x87; load 8 rax" },
	{ "maskmovq %mm1,%mm2", "0f f7 d1", "x87; ~store 1 x8 signs of mm1 +1 rdi" },
	{ "emms", "0f 77", "x87" },
	/* SSE */
	{ "movss (%rax),%xmm0", "f3 0f 10 00", "vector-move; load 4 rax" },
	{ "movsd %xmm0,(%rax)", "f2 0f 11 00", "vector-move; store 8 rax" },
	{ "movlps (%rax),%xmm0", "0f 12 00", "vector-move; load 8 rax" },
	{ "movhpd %xmm0,(%rax)", "66 0f 17 00", "vector-move; store 8 rax" },
	{ "movaps (%rax),%xmm0", "0f 28 00", "vector-move; load 16 rax" },
	{ "movups %xmm0,(%rax)", "0f 11 00", "vector-move; store 16 rax" },
	{ "movddup (%rax),%xmm0", "f2 0f 12 00", "vector-move; load 8 rax" },
	{ "lddqu (%rax),%xmm0", "f2 0f f0 00", "vector-move; load 16 rax" },
	{ "addss (%rax),%xmm0", "f3 0f 58 00", "vector-float; load 4 rax" },
	{ "addpd (%rax),%xmm0", "66 0f 58 00", "vector-float; load 16 rax" },
	{ "cvtsi2sdl (%rax),%xmm0", "f2 0f 2a 00", "vector-move; load 4 rax" },
	{ "cvtsi2sdq (%rax),%xmm0", "f2 48 0f 2a 00", "vector-move; load 8 rax" },
	{ "cvtps2pd (%rax),%xmm0", "0f 5a 00", "vector-move; load 8 rax" },
	{ "cvtpi2ps (%rax),%xmm0", "0f 2a 00", "vector-move; load 8 rax" },
	{ "comisd (%rax),%xmm0", "66 0f 2f 00", "vector-float; load 8 rax" },
	{ "pmovzxbq (%rax),%xmm0", "66 0f 38 32 00", "vector-move; load 2 rax" },
	{ "pmovsxwd (%rax),%xmm0", "66 0f 38 23 00", "vector-move; load 8 rax" },
	{ "pinsrb $1,(%rax),%xmm0", "66 0f 3a 20 00 01", "vector-move; load 1 rax" },
	{ "pextrw $1,%xmm0,(%rax)", "66 0f 3a 15 00 01", "vector-move; store 2 rax" },
	{ "extractps $1,%xmm0,(%rax)", "66 0f 3a 17 00 01", "vector-move; store 4 rax" },
	{ "insertps $1,(%rax),%xmm0", "66 0f 3a 21 00 01", "vector-move; load 4 rax" },
	{ "paddd (%rax),%xmm0", "66 0f fe 00", "vector-int; load 16 rax" },
	{ "pand (%rax),%xmm0", "66 0f db 00", "vector-int; load 16 rax" },
	{ "xorps (%rax),%xmm0", "0f 57 00", "vector-float; load 16 rax" },
	{ "pshufd $1,(%rax),%xmm0", "66 0f 70 00 01", "vector-move; load 16 rax" },
	{ "pcmpistri $1,(%rax),%xmm0", "66 0f 3a 63 00 01", "vector-int; load 16 rax" },
	{ "aesenc (%rax),%xmm0", "66 0f 38 dc 00", "crypto; load 16 rax" },
	{ "pclmulqdq $1,(%rax),%xmm0", "66 0f 3a 44 00 01", "crypto; load 16 rax" },
	{ "sha256msg1 (%rax),%xmm0", "0f 38 cc 00", "crypto; load 16 rax" },
	{ "movntss %xmm0,(%rax)", "f3 0f 2b 00", "vector-move; store 4 rax" },
	{ "movntdqa (%rax),%xmm0", "66 0f 38 2a 00", "vector-move; load 16 rax" },
	{ "maskmovdqu %xmm1,%xmm2", "66 0f f7 d1",
	  "vector-move; ~store 1 x16 signs of v1 by 1 +1 rdi" },
	{ "addr32 maskmovdqu %xmm1,%xmm2", "67 66 0f f7 d1",
	  "vector-move; ~store 1 x16 signs of v1 by 1 +1 low32(rdi)" },
	{ "ldmxcsr (%rax)", "0f ae 10", "system control2; load 4 rax" },
	{ "stmxcsr (%rax)", "0f ae 18", "system; store 4 rax" },
	/* AVX and AVX2 */
	{ "vmovdqu (%rax),%ymm0", "c5 fe 6f 00", "vector-move; load 32 rax" },
	{ "vbroadcastss (%rax),%ymm0", "c4 e2 7d 18 00", "vector-move; load 4 rax" },
	{ "vbroadcasti128 (%rax),%ymm0", "c4 e2 7d 5a 00", "vector-move; load 16 rax" },
	{ "vpbroadcastb (%rax),%ymm0", "c4 e2 7d 78 00", "vector-move; load 1 rax" },
	{ "vinserti128 $1,(%rax),%ymm0,%ymm0", "c4 e3 7d 38 00 01", "vector-move; load 16 rax" },
	{ "vextractf128 $1,%ymm0,(%rax)", "c4 e3 7d 19 00 01", "vector-move; store 16 rax" },
	{ "vpmovzxbd (%rax),%ymm0", "c4 e2 7d 31 00", "vector-move; load 8 rax" },
	{ "vcvtph2ps (%rax),%ymm0", "c4 e2 7d 13 00", "vector-move; load 16 rax" },
	{ "vcvtpd2psy (%rax),%xmm0", "c5 fd 5a 00", "vector-move; load 32 rax" },
	{ "vfmadd231sd (%rax),%xmm1,%xmm2", "c4 e2 f1 b9 10", "vector-float; load 8 rax" },
	{ "vmaskmovps (%rax),%ymm1,%ymm2", "c4 e2 75 2c 10",
	  "vector-move; load 4 x8 signs of v1 by 4 +1 rax" },
	{ "vmaskmovpd %ymm1,%ymm2,(%rax)", "c4 e2 6d 2f 08",
	  "vector-move; store 8 x4 signs of v2 by 8 +1 rax" },
	{ "vpmaskmovd (%rax),%xmm1,%xmm2", "c4 e2 71 8c 10",
	  "vector-move; load 4 x4 signs of v1 by 4 +1 rax" },
	{ "vpmaskmovq %ymm1,%ymm2,(%rax)", "c4 e2 ed 8e 08",
	  "vector-move; store 8 x4 signs of v2 by 8 +1 rax" },
	{ "vmaskmovdqu %xmm1,%xmm2", "c5 f9 f7 d1",
	  "vector-move; ~store 1 x16 signs of v1 by 1 +1 rdi" },
	{ "vgatherdps %ymm1,8(%rax,%ymm2,4),%ymm3", "c4 e2 75 92 5c 90 08",
	  "vector-move; load 4 x8 at v2 by 4 *4 signs of v1 by 4 +5 rax+0x8" },
	{ "vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm3", "c4 e2 f5 92 1c d0",
	  "vector-move; load 8 x4 at v2 by 4 *8 signs of v1 by 8 +3 rax" },
	{ "vgatherdpd %xmm1,(%rax,%xmm2,8),%xmm3", "c4 e2 f1 92 1c d0",
	  "vector-move; load 8 x2 at v2 by 4 *8 signs of v1 by 8 +2 rax" },
	{ "vgatherqps %xmm1,(%rax,%ymm2,1),%xmm3", "c4 e2 75 93 1c 10",
	  "vector-move; load 4 x4 at v2 by 8 *1 signs of v1 by 4 +5 rax" },
	{ "vgatherqps %xmm1,(%rax,%xmm2,1),%xmm3", "c4 e2 71 93 1c 10",
	  "vector-move; load 4 x2 at v2 by 8 *1 signs of v1 by 4 +3 rax" },
	{ "vpgatherqq %ymm1,(%r9,%ymm12,2),%ymm3", "c4 82 f5 91 1c 61",
	  "vector-move; load 8 x4 at v12 by 8 *2 signs of v1 by 8 +5 r9" },
	{ "vpgatherdd %xmm1,0x10(,%xmm2,4),%xmm3", "c4 e2 71 90 1c 95 10 00 00 00",
	  "vector-move; load 4 x4 at v2 by 4 *4 signs of v1 by 4 +3 0x10" },
	{ "vpgatherdd %xmm1,%fs:(%eax,%xmm2,4),%xmm3", "64 67 c4 e2 71 90 1c 90",
	  "vector-move; load 4 x4 at v2 by 4 *4 signs of v1 by 4 +3 fs:low32(rax)" },
	{ "vldmxcsr (%rax)", "c5 f8 ae 10", "system control2; load 4 rax" },
	{ "vzeroupper", "c5 f8 77", "vector-move" },
	/* AVX-512 */
	{ "vmovdqu64 (%rax),%zmm0", "62 f1 fe 48 6f 00", "vector-move; load 64 rax" },
	{ "vmovdqu64 64(%rax),%zmm20", "62 e1 fe 48 6f 60 01", "vector-move; load 64 rax+0x40" },
	{ "vmovdqu8 (%rax),%zmm0{%k1}", "62 f1 7f 49 6f 00", "vector-move; load 1 x64 k1 +1 rax" },
	{ "vmovdqu16 %ymm0,(%rax){%k2}", "62 f1 ff 2a 7f 00",
	  "vector-move; store 2 x16 k2 +1 rax" },
	{ "vmovdqa32 (%rax),%xmm0{%k7}{z}", "62 f1 7d 8f 6f 00",
	  "vector-move; load 4 x4 k7 +1 rax" },
	{ "vaddps (%rax),%zmm1,%zmm2", "62 f1 74 48 58 10", "vector-float; load 64 rax" },
	{ "vaddps (%rax),%zmm1,%zmm2{%k1}", "62 f1 74 49 58 10",
	  "vector-float; load 4 x16 k1 +1 rax" },
	{ "vaddps (%rax){1to16},%zmm1,%zmm2", "62 f1 74 58 58 10", "vector-float; load 4 rax" },
	{ "vaddpd 8(%rax){1to8},%zmm1,%zmm2{%k1}", "62 f1 f5 59 58 50 01",
	  "vector-float; load 8 rax+0x8" },
	{ "vaddss (%rax),%xmm1,%xmm2{%k1}", "62 f1 76 09 58 10",
	  "vector-float; load 4 x1 k1 +1 rax" },
	{ "vmovss (%rax),%xmm2{%k1}", "62 f1 7e 09 10 10", "vector-move; load 4 x1 k1 +1 rax" },
	{ "vmovsd %xmm2,(%rax){%k1}", "62 f1 ff 09 11 10", "vector-move; store 8 x1 k1 +1 rax" },
	{ "vpcmpeqb (%rax),%zmm1,%k2{%k1}", "62 f1 75 49 74 10",
	  "vector-int; load 1 x64 k1 +1 rax" },
	{ "vpcmpub $1,(%rax),%ymm17,%k2", "62 f3 75 20 3e 10 01", "vector-int; load 32 rax" },
	{ "vptestnmb (%rax),%ymm16,%k2{%k3}", "62 f2 7e 23 26 10",
	  "vector-int; load 1 x32 k3 +1 rax" },
	{ "vpblendmd (%rax),%zmm1,%zmm2{%k1}", "62 f2 75 49 64 10",
	  "vector-move; load 4 x16 k1 +1 rax" },
	{ "vpdpbusd (%rax),%zmm1,%zmm2{%k1}", "62 f2 75 49 50 10",
	  "vector-int; load 4 x16 k1 +1 rax" },
	{ "vfmaddcph (%rax),%zmm1,%zmm2{%k1}", "62 f6 76 49 56 10",
	  "vector-float; load 4 x16 k1 +1 rax" },
	{ "vpermd (%rax),%zmm1,%zmm2{%k1}", "62 f2 75 49 36 10", "vector-move; load 64 rax" },
	{ "vpshufb (%rax),%zmm1,%zmm2{%k1}", "62 f2 75 49 00 10", "vector-move; load 64 rax" },
	{ "vdbpsadbw $1,(%rax),%zmm1,%zmm2{%k1}", "62 f3 75 49 42 10 01",
	  "vector-int; load 64 rax" },
	{ "vgf2p8affineqb $1,(%rax),%zmm1,%zmm2{%k1}", "62 f3 f5 49 ce 10 01",
	  "crypto; load 64 rax" },
	{ "vcvtne2ps2bf16 (%rax),%zmm1,%zmm2{%k1}", "62 f2 77 49 72 10",
	  "vector-move; load 64 rax" },
	{ "vpslld (%rax),%zmm1,%zmm2{%k1}", "62 f1 75 49 f2 10", "vector-int; load 16 rax" },
	{ "vpslld $1,(%rax),%zmm2{%k1}", "62 f1 6d 49 72 30 01",
	  "vector-int; load 4 x16 k1 +1 rax" },
	{ "vpmovzxbw (%rax),%zmm1{%k1}", "62 f2 7d 49 30 08", "vector-move; load 1 x32 k1 +1 rax" },
	{ "vpmovqb %zmm1,(%rax){%k1}", "62 f2 7e 49 32 08", "vector-move; store 1 x8 k1 +1 rax" },
	{ "vpmovusdw %ymm1,(%rax)", "62 f2 7e 28 13 08", "vector-move; store 16 rax" },
	{ "vcvtps2pd (%rax),%zmm1{%k1}", "62 f1 7c 49 5a 08", "vector-move; load 4 x8 k1 +1 rax" },
	{ "vcvtps2ph $0,%zmm1,(%rax){%k1}", "62 f3 7d 49 1d 08 00",
	  "vector-move; store 2 x16 k1 +1 rax" },
	{ "vbroadcastf32x4 (%rax),%zmm1{%k1}", "62 f2 7d 49 1a 08", "vector-move; load 16 rax" },
	{ "vpbroadcastw (%rax),%zmm1{%k1}", "62 f2 7d 49 79 08", "vector-move; load 2 rax" },
	{ "vinserti32x8 $1,(%rax),%zmm1,%zmm1{%k1}", "62 f3 75 49 3a 08 01",
	  "vector-move; load 32 rax" },
	{ "vextracti64x4 $1,%zmm1,(%rax)", "62 f3 fd 48 3b 08 01", "vector-move; store 32 rax" },
	{ "vextracti64x4 $1,%zmm1,(%rax){%k1}", "62 f3 fd 49 3b 08 01",
	  "vector-move; store 8 x4 k1 +1 rax" },
	{ "vpcompressb %zmm1,(%rax){%k1}", "62 f2 7d 49 63 08",
	  "vector-move; store packed x64 by 1 k1 +1 rax" },
	{ "vpcompressd %ymm1,(%rax)", "62 f2 7d 28 8b 08", "vector-move; store 32 rax" },
	{ "vcompresspd %xmm1,(%rax){%k3}", "62 f2 fd 0b 8a 08",
	  "vector-move; store packed x2 by 8 k3 +1 rax" },
	{ "vexpandps (%rax),%zmm1{%k1}", "62 f2 7d 49 88 08",
	  "vector-move; load packed x16 by 4 k1 +1 rax" },
	{ "vpexpandw (%rax),%ymm1{%k1}{z}", "62 f2 fd a9 62 08",
	  "vector-move; load packed x16 by 2 k1 +1 rax" },
	{ "vpexpandq (%rax),%ymm1", "62 f2 fd 28 89 08", "vector-move; load 32 rax" },
	{ "vpgatherdd 8(%rax,%zmm2,4),%zmm3{%k1}", "62 f2 7d 49 90 5c 90 02",
	  "vector-move; load 4 x16 at v2 by 4 *4 k1 +9 rax+0x8" },
	{ "vpgatherdq (%rax,%ymm22,8),%zmm3{%k1}", "62 f2 fd 41 90 1c f0",
	  "vector-move; load 8 x8 at v22 by 4 *8 k1 +5 rax" },
	{ "vpgatherqd (%rax,%zmm2,1),%ymm3{%k1}", "62 f2 7d 49 91 1c 10",
	  "vector-move; load 4 x8 at v2 by 8 *1 k1 +9 rax" },
	{ "vgatherqpd (%rax,%xmm2,1),%xmm3{%k1}", "62 f2 fd 09 93 1c 10",
	  "vector-move; load 8 x2 at v2 by 8 *1 k1 +3 rax" },
	{ "vpscatterqd %ymm3,8(%rax,%zmm2,4){%k1}", "62 f2 7d 49 a1 5c 90 02",
	  "vector-move; store 4 x8 at v2 by 8 *4 k1 +9 rax+0x8" },
	{ "vscatterdpd %xmm3,(%rax,%xmm31,8){%k1}", "62 b2 fd 01 a2 1c f8",
	  "vector-move; store 8 x2 at v31 by 4 *8 k1 +2 rax" },
	{ "vgatherpf0dps (%rax,%zmm1,1){%k1}", "62 f2 7d 49 c6 0c 08", "vector-move" },
	{ "vscatterpf1qpd (%rax,%zmm1,1){%k1}", "62 f2 fd 49 c7 34 08", "vector-move" },
	{ "kmovq (%rax),%k1", "c4 e1 f8 90 08", "vector-move; load 8 rax" },
	{ "kmovb %k1,(%rax)", "c5 f9 91 08", "vector-move; store 1 rax" },
	{ "kortestd %k0,%k1", "c4 e1 f9 98 c8", "vector-int" },
	/* state */
	{ "xsave (%rax)", "0f ae 20", "system; store xsave +1 rax" },
	{ "xsave64 (%rax)", "48 0f ae 20", "system; store xsave +1 rax" },
	{ "xsavec (%rax)", "0f c7 20", "system; store xsavec +1 rax" },
	{ "xsaveopt (%rax)", "0f ae 30", "system; store xsave +1 rax" },
	{ "xrstor (%rax)", "0f ae 28", "system control3; load xsave +1 rax" },
	{ "xsaves (%rax)", "0f c7 28", "system trap" },
	{ "ldtilecfg (%rax)", "c4 e2 78 49 00", "system; load 64 rax" },
	{ "sttilecfg (%rax)", "c4 e2 79 49 00", "system; store 64 rax" },
	{ "tileloadd (%rax,%rbx,1),%tmm1", "c4 e2 7b 4b 0c 18", "opaque opaque-end opaque-flag" },
	{ "tilestored %tmm1,(%rax,%rbx,1)", "c4 e2 7a 4b 0c 18", "opaque opaque-end opaque-flag" },
	{ "tdpbf16ps %tmm1,%tmm2,%tmm3", "c4 e2 72 5c da", "vector-float" },
	{ "cpuid", "0f a2", "system" },
	{ "rdtsc", "0f 31", "system" },
	{ "wrfsbase %rax", "f3 48 0f ae d0", "system segment1" },
	{ "wrgsbase %eax", "f3 0f ae d8", "system segment2" },
	{ "rdfsbase %rax", "f3 48 0f ae c0", "system" },
	{ "mov (%rax),%fs", "8e 20", "move segment1; load 2 rax" },
	{ "mov %ax,%gs", "8e e8", "move segment2" },
	{ "mov %gs,(%rax)", "8c 28", "move; store 2 rax" },
	{ "mov (%rax),%ds", "8e 18", "move; load 2 rax" },
	{ "lfs (%rax),%eax", "0f b4 00", "move segment1; load 6 rax" },
	{ "lgs (%rax),%rax", "48 0f b5 00", "move segment2; load 10 rax" },
	{ "lss (%rax),%ax", "66 0f b2 00", "move; load 4 rax" },
	{ "sgdt (%rax)", "0f 01 00", "system; store 10 rax" },
	{ "sldt (%rax)", "0f 00 00", "system; store 2 rax" },
	{ "verr (%rax)", "0f 00 20", "system; load 2 rax" },
	{ "lar (%rax),%eax", "0f 02 00", "system; load 2 rax" },
	{ "wrssq %rax,(%rbx)", "48 0f 38 f6 03", "system; store 8 rbx" },
	{ "rstorssp (%rbx)", "f3 0f 01 2b", "system; loadstore 8 rbx" },
	{ "incsspq %rax", "f3 48 0f ae e8", "system" },
	{ "rdsspq %rax", "f3 48 0f 1e c8", "system" },
	{ "ptwriteq (%rax)", "f3 48 0f ae 20", "system; load 8 rax" },
	{ "umonitor %rax", "f3 0f ae f0", "system" },
	{ "vmcall", "0f 01 c1", "opaque opaque-end opaque-flag" },
	{ "vmfunc", "0f 01 d4", "opaque opaque-end opaque-flag" },
	{ "enclu", "0f 01 d7", "opaque opaque-end opaque-flag" },
	{ "aesenc128kl (%rax),%xmm0", "f3 0f 38 dc 00", "crypto; load 48 rax" },
	{ "aesencwide256kl (%rax)", "f3 0f 38 d8 10", "crypto; load 64 rax" },
	{ "senduipi %rax", "f3 0f c7 f0", "opaque opaque-end opaque-flag" },
	{ "stui", "f3 0f 01 ef", "system" },
	{ "xstore", "0f a7 c0", "opaque opaque-end opaque-flag" },
	{ "rep xcryptecb", "f3 0f a7 c8", "opaque opaque-end opaque-flag" },
	{ "llwpcb %rax", "8f e9 f8 12 c0", "opaque opaque-end opaque-flag" },
};

START_TEST(test_table)
{
	uint8_t bytes[16];
	size_t size = parse_bytes(table[_i].bytes, bytes);
	struct isa_insn insn;
	struct text facts;

	ck_assert_int_eq(isa_decode(bytes, size, PC, ISA_INTEL, &insn), 0);
	ck_assert_uint_eq(insn.length, size);
	facts = describe(&insn);
	ck_assert_msg(!strcmp(facts.s, table[_i].facts), "%s\nis       %s\nexpected %s",
		      table[_i].assembly, facts.s, table[_i].facts);
}
END_TEST
/* ---- what is no instruction -------------------------------------------------------------- */

static const struct {
	const char *bytes, *reason;
} undecodable[] = {
	{ "06", "push es, not in 64-bit mode" },
	{ "62 f1 78 08 58 c0", "MVEX, Xeon Phi coprocessors" },
	{ "c5 f0 84 00 00 00 00", "jkzd, Xeon Phi coprocessors" },
	{ "c5 f8 ae c8", "clevict1 and its like" },
	{ "0f 04", "no such opcode" },
	{ "ff ff", "no such group member" },
	{ "8e c8", "mov to cs" },
	{ "f0 03 07", "lock with a register destination" },
	{ "f0 89 07", "lock with mov" },
	{ "0f c7 c8", "cmpxchg8b of a register" },
	{ "66 c5 f8 58 c0", "66 before VEX" },
	{ "62 f2 7d 48 90 04 20", "gather without a mask" },
	{ "c4 e2 6d 90 04 90", "gather whose index is its mask" },
	{ "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", "16 bytes" },
	{ "", "nothing" },
};

START_TEST(test_undecodable)
{
	struct isa_insn insn, untouched;
	char text[64];
	uint8_t bytes[16];
	size_t size = parse_bytes(undecodable[_i].bytes, bytes);

	memset(&insn, 0x5a, sizeof(insn));
	untouched = insn;
	ck_assert_msg(isa_decode(bytes, size, PC, ISA_INTEL, &insn) == -1, "%s",
		      undecodable[_i].reason);
	ck_assert_mem_eq(&insn, &untouched, sizeof(insn));
	isa_disassemble(bytes, size, PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "(bad)");
	isa_mnemonic(bytes, size, PC, ISA_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, "(bad)");
}
END_TEST

/* Two pages of which the second is inaccessible; returns the border. */
static uint8_t *map_border(void)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
	return pages + 4096;
}

START_TEST(test_cut_short)
{
	uint8_t *border = map_border(), bytes[16];
	struct isa_insn insn;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t size = parse_bytes(table[i].bytes, bytes);

		for (size_t n = 0; n < size; n++) {
			memcpy(border - n, bytes, n);
			ck_assert_msg(isa_decode(border - n, n, PC, ISA_INTEL, &insn) == -1, "%s: %zu bytes",
				      table[i].assembly, n);
		}
		memcpy(border - size, bytes, size);
		ck_assert_int_eq(isa_decode(border - size, size, PC, ISA_INTEL, &insn), 0);
	}
}
END_TEST

/* ---- random bytes ------------------------------------------------------------------------ */

enum { RANDOM_STRINGS = 1000000, SENTINEL = 0x5e };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Half of them begin like the instructions that random bytes seldom hit. */
static void fill_randomly(uint8_t *bytes, size_t size)
{
	static const uint8_t starts[] = {
		0x0f, 0x0f, 0x62, 0x62, 0x62, 0xc4, 0xc4, 0xc5, 0x66, 0xf2, 0xf3, 0x48, 0x67, 0x64,
		0x8f, 0xf0,
	};
	uint64_t choice = random64();

	for (size_t i = 0; i < size; i++)
		bytes[i] = random64() >> 32;
	if (choice & 1 && size)
		bytes[0] = starts[choice >> 32 & 15];
}

static void check_operand(const struct isa_operand *operand)
{
	const struct tf_operand *trace = &operand->trace;
	static const uint8_t fixed_extras[] = {
		[TF_PLAIN] = 0, [TF_MASKED] = 1, [TF_REP] = 3, [TF_SIZED] = 1,
	};

	ck_assert_uint_ne(trace->access, 0);
	ck_assert_uint_le(trace->access, TF_PREFETCH);
	ck_assert_uint_le(trace->form, TF_SIZED);
	ck_assert_uint_eq(trace->size == 0, trace->form == TF_SIZED);
	ck_assert_uint_le(trace->lanes, TF_MAX_LANES);
	ck_assert_uint_eq(trace->lanes != 0, trace->form == TF_MASKED || trace->form == TF_LANES);
	ck_assert_uint_eq(trace->index_size != 0, trace->form == TF_LANES);
	ck_assert_uint_eq(trace->scale != 0, trace->form == TF_LANES);
	ck_assert_uint_eq(operand->address.scale != 0, operand->address.index != ISA_NO_REGISTER);
	if (trace->form == TF_LANES)
		ck_assert_uint_eq(operand->n_extras,
				  1 + (trace->lanes * trace->index_size + 7) / 8);
	else
		ck_assert_uint_eq(operand->n_extras, fixed_extras[trace->form]);
}

static void check_insn(const struct isa_insn *insn, size_t available)
{
	unsigned n_values = insn->n_operands;
	bool transfers = insn->end == TF_END_CONDITIONAL || insn->end == TF_END_JUMP ||
			 insn->end == TF_END_CALL;

	ck_assert_uint_ge(insn->length, 1);
	ck_assert_uint_le(insn->length, available);
	ck_assert_uint_le(insn->n_operands, ISA_MAX_OPERANDS);
	ck_assert_uint_le(insn->end, TF_END_OPAQUE);
	ck_assert_uint_lt(insn->class, ISA_N_CLASSES);
	ck_assert_uint_eq(insn->end == TF_END_OPAQUE, insn->class == ISA_CLASS_OPAQUE);
	ck_assert_uint_eq(insn->end == TF_END_OPAQUE, !!(insn->flags & TF_INSN_OPAQUE));
	ck_assert_uint_eq(insn->rep_element != 0, !!(insn->flags & TF_INSN_REP));
	if (insn->target)
		ck_assert(transfers);
	for (int i = 0; i < insn->n_operands; i++) {
		const struct isa_operand *operand = &insn->operands[i];

		check_operand(operand);
		ck_assert_uint_eq(operand->trace.form == TF_REP, !!(insn->flags & TF_INSN_REP));
		if (operand->trace.form != TF_REP || i == 0)
			n_values += operand->n_extras;
	}
	ck_assert_uint_eq(insn->n_values, n_values);
	ck_assert_uint_le(insn->n_values, ISA_MAX_VALUES);
}

/* isa_values writes its n_values and no more. */
static void check_values(const struct isa_insn *insn)
{
	static struct isa_registers registers;
	uint64_t values[ISA_MAX_VALUES + 1];

	for (int i = 0; i < 16; i++)
		registers.general[i] = random64();
	registers.mask[random64() % 8] = random64();
	registers.vector[random64() % 32][random64() % 64] = random64();
	values[insn->n_values] = SENTINEL;
	isa_values(insn, &registers, values);
	ck_assert_uint_eq(values[insn->n_values], SENTINEL);
}

static void check_text(const uint8_t *bytes, size_t size)
{
	char text[24];
	size_t room = random64() % sizeof(text);

	text[room] = SENTINEL;
	isa_disassemble(bytes, size, random64(), ISA_INTEL, random64() % 2, text, room);
	ck_assert_int_eq(text[room], SENTINEL);
	if (room)
		ck_assert_uint_lt(strnlen(text, room), room);
}

START_TEST(test_random_bytes)
{
	uint8_t *border = map_border();
	long decoded = 0, operands = 0;

	for (long i = 0; i < RANDOM_STRINGS; i++) {
		size_t size = random64() % 17;
		struct isa_insn insn;

		fill_randomly(border - size, size);
		if (i % 16 == 0)
			check_text(border - size, size);
		if (isa_decode(border - size, size, random64(), ISA_INTEL, &insn) < 0)
			continue;
		check_insn(&insn, size);
		check_values(&insn);
		decoded++;
		operands += insn.n_operands;
	}
	ck_assert_int_gt(decoded, RANDOM_STRINGS / 4);
	ck_assert_int_gt(operands, RANDOM_STRINGS / 10);
}
END_TEST

/* ---- text -------------------------------------------------------------------------------- */

static const struct {
	const char *bytes, *att, *intel;
} texts[] = {
	{ "48 89 03", "mov %rax, (%rbx)", "mov qword ptr [rbx], rax" },
	{ "8b 05 10 00 00 00", "mov 0x1016, %eax", "mov eax, dword ptr [0x1016]" },
	{ "75 1e", "jnz 0x1020", "jnz 0x1020" },
	{ "ff e0", "jmp *%rax", "jmp rax" },
	{ "ff 15 00 00 00 00", "call *0x1006", "call qword ptr [0x1006]" },
	{ "3e ff 20", "notrack jmp *(%rax)", "notrack jmp qword ptr [rax]" },
	{ "ff 18", "lcall *(%rax)", "call far fword ptr [rax]" },
	{ "ff 00", "incl (%rax)", "inc dword ptr [rax]" },
	{ "f0 66 ff 00", "lock incw (%rax)", "lock inc word ptr [rax]" },
	{ "48 d3 27", "shlq %cl, (%rdi)", "shl qword ptr [rdi], cl" },
	{ "d2 27", "shlb %cl, (%rdi)", "shl byte ptr [rdi], cl" },
	{ "48 c7 45 f8 ff ff ff ff", "movq $-0x1, -0x8(%rbp)",
	  "mov qword ptr [rbp-0x8], 0xffffffffffffffff" },
	{ "0f b6 06", "movzbl (%rsi), %eax", "movzx eax, byte ptr [rsi]" },
	{ "48 0f bf c1", "movswq %cx, %rax", "movsx rax, cx" },
	{ "48 63 06", "movslq (%rsi), %rax", "movsxd rax, dword ptr [rsi]" },
	{ "66 8f 44 24 08", "popw 0x8(%rsp)", "pop word ptr [rsp+0x8]" },
	{ "c8 10 00 03", "enter $0x10, $0x3", "enter 0x10, 0x3" },
	{ "66 0f 1f 44 00 00", "nopw (%rax,%rax,1)", "nop word ptr [rax+rax*1]" },
	{ "d9 00", "flds (%rax)", "fld dword ptr [rax]" },
	{ "db 28", "fldt (%rax)", "fld tbyte ptr [rax]" },
	{ "df 28", "fildll (%rax)", "fild qword ptr [rax]" },
	{ "da 00", "fiaddl (%rax)", "fiadd dword ptr [rax]" },
	{ "de 00", "fiadds (%rax)", "fiadd word ptr [rax]" },
	{ "d9 28", "fldcw (%rax)", "fldcw word ptr [rax]" },
	{ "f2 48 0f 2a 00", "cvtsi2sdq (%rax), %xmm0", "cvtsi2sd xmm0, qword ptr [rax]" },
	{ "c5 fd 5a 00", "vcvtpd2psy (%rax), %xmm0", "vcvtpd2ps xmm0, ymmword ptr [rax]" },
	{ "62 f1 7c 49 5a 08", "vcvtps2pd (%rax), %zmm1 {%k1}",
	  "vcvtps2pd zmm1 {k1}, ymmword ptr [rax]" },
	{ "62 f1 fe 48 6f 40 01", "vmovdqu64 0x40(%rax), %zmm0",
	  "vmovdqu64 zmm0, zmmword ptr [rax+0x40]" },
	{ "f2 0f 38 f0 00", "crc32b (%rax), %eax", "crc32 eax, byte ptr [rax]" },
	{ "f3 48 ab", "rep stosq", "rep stosq" },
	{ "c3", "ret", "ret" },
};

START_TEST(test_disassemble)
{
	uint8_t bytes[16];
	size_t size = parse_bytes(texts[_i].bytes, bytes);
	char text[128];

	isa_disassemble(bytes, size, PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, texts[_i].att);
	isa_disassemble(bytes, size, PC, ISA_INTEL, ISA_SYNTAX_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, texts[_i].intel);
}
END_TEST

START_TEST(test_short_buffer)
{
	static const uint8_t mov[] = { 0x48, 0x89, 0x03 };
	char text[8];

	isa_disassemble(mov, sizeof(mov), PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "mov %ra");
	isa_mnemonic(mov, sizeof(mov), PC, ISA_INTEL, text, 3);
	ck_assert_str_eq(text, "mo");
	isa_mnemonic(mov, sizeof(mov), PC, ISA_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, "mov");
}
END_TEST

START_TEST(test_class_names)
{
	for (enum isa_class class = 0; class < ISA_N_CLASSES; class++) {
		ck_assert_ptr_nonnull(isa_class_name(class));
		for (enum isa_class other = 0; other < class; other++)
			ck_assert_str_ne(isa_class_name(class), isa_class_name(other));
	}
	ck_assert_str_eq(isa_class_name(ISA_CLASS_INT_MULTIPLY), "int-multiply");
	ck_assert_str_eq(isa_class_name(ISA_N_CLASSES), "unknown");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa");
	TCase *tests = tcase_create("decode");

	tcase_add_loop_test(tests, test_table, 0, sizeof(table) / sizeof(table[0]));
	tcase_add_loop_test(tests, test_undecodable, 0,
			    sizeof(undecodable) / sizeof(undecodable[0]));
	tcase_add_test(tests, test_cut_short);
	tcase_add_test(tests, test_random_bytes);
	tcase_add_loop_test(tests, test_disassemble, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tests, test_short_buffer);
	tcase_add_test(tests, test_class_names);
	tcase_set_timeout(tests, 120);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
