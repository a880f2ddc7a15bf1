/* SPDX-License-Identifier: MIT */
/*
 * Three phases that bounds of regions are hard for: a loop of 4 instructions, so that a region of a multiple of
 * 4 begins and ends at one address; a loop of 7 with a rep instruction, on which some bounds fall, in one that is
 * executed less often; and a copy of the first loop in anonymous memory, which is in no module.
 */
	.globl	_start
	.type	_start, @function
_start:
	mov	$4000, %ecx
	call	four
	mov	$40, %r12d
	lea	area(%rip), %r8
outer:	mov	$100, %ebx
seven:	mov	$3, %ecx
	mov	%r8, %rdi
	.globl	repeats
repeats:
	rep stosb
	xor	%edx, %eax
	rol	$3, %eax
	dec	%ebx
	jnz	seven
	dec	%r12d
	jnz	outer

	mov	$9, %eax		/* mmap */
	xor	%edi, %edi
	mov	$4096, %esi
	mov	$7, %edx		/* read, write, execute */
	mov	$0x22, %r10d		/* private, anonymous */
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	mov	%rax, %rbx
	lea	four(%rip), %rsi
	mov	%rax, %rdi
	mov	$four_end - four, %ecx
	rep movsb
	mov	$4000, %ecx
	call	*%rbx
	mov	$60, %eax		/* exit */
	xor	%edi, %edi
	syscall
	.size	_start, . - _start

	.type	four, @function
four:	add	%ecx, %eax
	lea	7(%rax,%rcx), %edx
	dec	%ecx
	jnz	four
	ret
four_end:
	.size	four, . - four

	.bss
area:	.skip	64
