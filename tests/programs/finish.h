/* SPDX-License-Identifier: MIT */
/*
 * For assembly programs: `finish area, bytes` writes a checksum of the general registers, the flags,
 * xmm0-15 and the area (bytes: a multiple of 8) to standard output and exits with its low byte. It
 * needs 512 bytes of stack, which should be the program's own: the kernel's is anywhere. `start`
 * begins with such a stack and registers that are all different.
 */
	.macro	start
	.globl	_start
_start:
	lea	stack_top(%rip), %rsp
	mov	$0x1122334455667788, %rax
	.irp	register, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	lea	0x1357(%rax,%rax,2), %\register
	rol	$9, %rax
	.endr
	.endm

	.macro	finish	area, bytes
	pushf
	andq	$0xcd5, (%rsp)		/* CF PF AF ZF SF DF OF */
	cld
	.irp	register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	push	%\register
	.endr
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	lea	-16(%rsp), %rsp
	movdqu	%xmm\n, (%rsp)
	.endr
	mov	$-1, %eax
	mov	%rsp, %rsi
	mov	$48, %ecx
991:	crc32q	(%rsi), %rax
	add	$8, %rsi
	loop	991b
	lea	\area(%rip), %rsi
	mov	$\bytes / 8, %ecx
992:	crc32q	(%rsi), %rax
	add	$8, %rsi
	loop	992b
	push	%rax
	mov	$1, %eax		/* write */
	mov	$1, %edi
	mov	%rsp, %rsi
	mov	$8, %edx
	syscall
	mov	$231, %eax		/* exit_group */
	movzbl	(%rsp), %edi
	syscall

	.bss
	.balign	64
	.skip	8192
stack_top:
	.skip	64
	.text
	.endm
