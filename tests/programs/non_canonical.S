/* flags: -Wl,-z,noexecstack */
/*
 * Jumps, calls and returns to addresses that are not canonical, or the kernel's, in code that is run
 * often enough to be joined with what is around it; and branches with an operand-size prefix, which
 * AMD's processors take to addresses of 16 bits. Whether the jump faults or what it leads to is
 * the processor's to say. The handler adds up all registers and goes on at the place in r15.
 */
#include "finish.h"
#include "recover.h"
	.text
	/* goes on behind \insn, with the former stack */
	.macro	jumps	insn:vararg
	lea	991f(%rip), %r15
	lea	3(%rax,%rbx,2), %rbx
	cmp	%rax, %rbx
	\insn
	ud2
991:	mov	%r12, %rsp
	adc	%rbx, %r14
	.endm

	start
	recover_from	SIGSEGV
	mov	%rsp, %r12
	mov	$places, %ebp
round:	mov	(%rbp), %rsi
	mov	%rsi, place(%rip)
	mov	%rsi, -8(%rsp)
	mov	%rsi, -16(%rsp)
	jumps	jmp	*%rsi
	jumps	jmp	*place(%rip)
	jumps	jmp	*(%rbp)
	jumps	jmp	*-8(%rsp)
	jumps	call	*-8(%rsp)
	jumps	call	*-16(%rsp)
	mov	%rsi, -13(%rsp)
	jumps	call	*-13(%rsp)
	jumps	call	*%rsi
	jumps	call	*place
	push	%rsi
	jumps	ret
	push	%rsi
	jumps	ret	$24

	jumps	.byte	0x66, 0xff, 0xe6		/* jmp *%rsi or %si */
	jumps	.byte	0x66, 0xff, 0x65, 0x00		/* jmp *(%rbp) */
	jumps	.byte	0x66, 0xff, 0xd6		/* call *%rsi */
	jumps	.byte	0x66, 0xff, 0x54, 0x24, 0xf8	/* call *-8(%rsp) */
	push	%rsi
	jumps	.byte	0x66, 0xc3			/* ret */
	push	%rsi
	jumps	.byte	0x66, 0xc2, 0x18, 0x00		/* ret $24 */
	jumps	.byte	0x66, 0xeb, 991f - . - 1	/* jmp 991f */
	jumps	.byte	0x66, 0xe9, 2, 0, 0, 0
	jumps	.byte	0x66, 0xe8, 2, 0, 0, 0
	.irp	opcode, 0x72, 0x73, 0x74, 0x75, 0x7c, 0x7d
	lea	1f(%rip), %r15
	.byte	0x66, \opcode, 1f - . - 1
1:	adc	%rbx, %r14
	.endr

	/* the same jumps with addresses that are sometimes valid, in a loop that gets hot */
	mov	$600, %r13d
2:	mov	$3f, %esi
	test	$255, %r13b
	cmovz	(%rbp), %rsi
	lea	4f(%rip), %r15
	mov	%rsi, -8(%rsp)
	call	*-8(%rsp)
	jmp	4f
3:	add	%rsi, %r14
	ret
4:	mov	%r12, %rsp
	dec	%r13d
	jnz	2b
	add	$8, %rbp
	cmp	$places_end, %ebp
	jne	round
	finish	sum, 8

	recovery	sum, crc32q 16(%rsi), %rax	/* si_addr */

	.data
	.balign	64
sum:	.quad	0
place:	.quad	0
places:	.quad	0x800000000000, 0x8000000000000000, 0x1234567812345678, 0xffff800000001000
	.quad	0xffffffffff600ff0, 0xffffffff81000000, 0x7ffffffff000, 0xff7fffffffffffff
places_end:
