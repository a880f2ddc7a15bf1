/* flags: -Wl,-z,noexecstack,-N,--no-warn-rwx-segments */
/* SPDX-License-Identifier: MIT */
/*
 * Instructions that hide their single step: loads of ss, and those that the kernel emulates. The instruction behind
 * each is another one every time. The code is writable and the alignment check is on: the recorder, which compares
 * such code, steps what lies at odd addresses.
 */
#include "finish.h"
	.text
	start
	xor	%r14d, %r14d
	mov	%ss, %ebx
	mov	$50, %ebp
	pushf
	orl	$0x40000, (%rsp)
	popf
round:	mov	%ebx, %ss
	lea	1(%r14), %r14
	smsw	%eax
	lea	(%r14,%r14), %r14
	mov	%ebx, %ss
	mov	%rsp, -64(%rsp)
	sgdt	area(%rip)
	push	%rbp
	pop	%rcx
	smsw	%eax
	jmp	1f
	ud2
1:	mov	%ebx, %ss
	call	2f
	dec	%ebp
	jnz	round
	pushf
	andl	$~0x40000, (%rsp)
	popf
	finish	area, 16
2:	sidt	area(%rip)
	ret
	.bss
	.balign	16
area:	.space	16
