/* SPDX-License-Identifier: MIT */
/*
 * Returns from a signal handler with a frame of zeros: to a code segment that is none, which faults. With an argument,
 * the code segment is one that the program could have made.
 */
	.set	code_segment, 184
	.globl	_start
_start:
	mov	(%rsp), %rcx
	lea	frame(%rip), %rsp
	dec	%rcx
	jz	1f
	movw	$7, code_segment(%rsp)	/* number 0 in the local table */
1:	mov	$15, %eax	/* rt_sigreturn */
	syscall
	hlt

	.bss
	.balign	64
frame:
	.skip	8192
	.section .note.GNU-stack, "", @progbits
