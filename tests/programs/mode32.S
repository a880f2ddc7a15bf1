/* SPDX-License-Identifier: MIT */
/* mode32: goes over to 32-bit code, which exits with status 7. */
	.globl	_start
_start:
	mov	$100, %ecx
1:	dec	%ecx
	jne	1b
	pushq	$0x23
	pushq	$compatible
	lretq

	.code32
compatible:
	mov	$1, %eax
	mov	$7, %ebx
	int	$0x80
