/* SPDX-License-Identifier: MIT */
/* A loop of 16 instructions: samples of one in 1600 of them are in step with it. */
	.globl	_start
_start:
	mov	$100000, %ecx
1:	.rept	14
	add	$1, %rax
	.endr
	dec	%ecx
	jnz	1b
	mov	$60, %eax
	xor	%edi, %edi
	syscall
