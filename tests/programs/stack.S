/* flags: -Wl,-z,noexecstack */
/*
 * Everything that moves rsp or is addressed by it: push and pop of every kind, enter and leave, and
 * the ways in which compilers and people set, align, exchange and restore it.
 */
#include "finish.h"
	.text
	start

	/* registers, constants, memory, 16 bits */
	push	%rax
	push	%r15
	push	%rsp
	push	$1
	push	$-100000
	pushw	$-2
	pushw	%cx
	push	area(%rip)
	push	area+8
	push	8(%rsp)
	push	-8(%rsp)
	pushw	area+3(%rip)
	mov	$2, %ecx
	push	(%rsp,%rcx,8)
	pushw	2(%rsp,%rcx)
	popw	4(%rsp,%rcx)
	pop	(%rsp,%rcx,8)
	popw	area+24(%rip)
	pop	8(%rsp)
	pop	-8(%rsp)
	pop	area+16
	popw	%dx
	popw	%r9w
	pop	%rbx
	pop	%rbx
	pop	%rsi			/* the pushed rsp */
	mov	$4, %ebp
	push	area(,%rbp,8)
	pop	area+32(,%rbp,8)
	mov	%rsp, %r8
	push	%r8
	pop	%rsp
	push	-8(%r8)
	pop	%r14
	push	%fs
	pop	%fs
	push	%gs
	popw	%r10w
	sub	$-6, %rsp
	pushw	%fs
	popw	%r11w
	pushf
	popf
	pushfw
	popfw
	push	$0x202
	popf

	/* rsp is set */
	lea	stack_top-256(%rip), %rsp
	push	%rax
	mov	%rsp, %rbp
	sub	$100, %rsp
	and	$-32, %rsp
	push	%rbx
	mov	%rax, 8(%rsp)
	mov	%rbp, %rsp
	pop	%r12
	add	$-64, %rsp
	mov	$40, %edx
	add	%rdx, %rsp
	push	%rdx
	sub	%rdx, %rsp
	push	%rdx
	lea	-24(%rsp,%rdx,2), %rsp
	push	%rdx
	lea	16(%rsp), %rsp
	inc	%rsp
	push	%rdx
	dec	%rsp
	pop	%rdx
	lea	stack_top-512(%rip), %rax
	mov	%rsp, saved(%rip)
	xchg	%rsp, %rax
	push	%rax
	xchg	%rax, %rsp
	push	%rax
	mov	saved(%rip), %rsp
	push	%rdx
	movq	%rsp, %xmm3
	mov	$stack_top-600, %esp	/* 32 bits: the upper half is cleared */
	push	%rdx
	movq	%xmm3, %rsp
	pop	%rdx
	xor	$64, %rsp
	push	%rdx
	xor	$64, %rsp
	or	$8, %rsp
	push	%rcx
	cmp	%rsp, %rax
	cmova	%rax, %rsp
	push	%rcx
	lea	stack_top-700(%rip), %rsp
	and	$-16, %spl		/* only the low byte */
	push	%rcx
	mov	$0x7c, %spl
	push	%rcx
	lea	stack_top-704(%rip), %rsp
	sub	$8, %esp
	push	%rcx
	push	saved(%rip)
	pop	%rsp
	push	%rcx
	popq	saved(%rip)
	imul	$1, %rsp, %rsp
	push	%rcx
	xadd	%rsp, zero(%rip)
	mov	zero(%rip), %rsp
	push	%rdi
	mov	%rsp, saved(%rip)
	movbe	saved(%rip), %rdx
	bswap	%rdx
	mov	%rdx, %rsp
	push	%rdi

	/* below rsp: the red zone is the program's */
	mov	%rcx, -8(%rsp)
	mov	%rdx, -128(%rsp)
	mov	-8(%rsp), %r13
	xor	-128(%rsp), %r13

	/* frames */
	mov	$0x1234, %ebp
	enter	$0, $0
	enter	$24, $0
	enter	$16, $1
	enter	$32, $3
	mov	-8(%rbp), %r10
	leave
	leave
	leave
	leave
	mov	%rsp, %rbp
	enterw	$8, $0
	mov	%rsp, %rbp
	push	%rcx
	push	%rcx
	leave
	lea	stack_top-64(%rip), %rbp
	leave
	mov	%rbp, area+64(%rip)

	lea	stack_top(%rip), %rsp
	finish	area, 96

	.data
	.balign	64
area:	.quad	0x0102030405060708, 0x1112131415161718, 0, 0, 0x4142434445464748, 5, 6, 7, 8, 9, 10, 11
saved:	.quad	0
zero:	.quad	0
