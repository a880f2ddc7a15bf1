/* SPDX-License-Identifier: MIT */
/*
 * The x87 instruction pointer, as two instructions store it. Ends with the sum of: 1, fxsave64 has
 * stored an address that is neither the instruction's nor 0; 2, so has fnstenv; 4, fnstenv has stored
 * 0, as natively after a stop by the kernel in between.
 */
	.globl	_start
	.text
_start:	fninit
1:	fldz
	fxsave64 area(%rip)
	fnstenv env(%rip)
	lea	1b(%rip), %rbx
	xor	%edi, %edi
	mov	area+8(%rip), %rax
	test	%rax, %rax
	jz	2f
	cmp	%rbx, %rax
	je	2f
	or	$1, %edi
2:	mov	env+12(%rip), %eax
	test	%eax, %eax
	jnz	3f
	or	$4, %edi
	jmp	4f
3:	cmp	%ebx, %eax
	je	4f
	or	$2, %edi
4:	mov	$60, %eax
	syscall
	.bss
	.balign	64
area:	.skip	512
env:	.skip	28
