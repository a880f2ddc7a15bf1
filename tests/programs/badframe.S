/* SPDX-License-Identifier: MIT */
/* Returns from a signal handler with a frame of zeros: to a code segment that is none, which faults. */
	.globl	_start
_start:
	lea	frame(%rip), %rsp
	mov	$15, %eax	/* rt_sigreturn */
	syscall
	hlt

	.bss
	.balign	64
frame:
	.skip	8192
	.section .note.GNU-stack, "", @progbits
