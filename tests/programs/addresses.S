/* flags: -Wl,-z,noexecstack */
/*
 * Operands addressed in every way: base, index and displacement by each register, 32 bits, fs,
 * relative to rip with constants behind, bit strings, xlat, values that follow from each other along a
 * block, and blocks that leave no register free.
 */
#include "finish.h"
	.text
	start
	mov	$3, %eax
	mov	%eax, turns(%rip)
	mov	$158, %eax		/* arch_prctl(ARCH_SET_FS) */
	mov	$0x1002, %edi
	mov	$area + 256, %esi
	syscall
again:
	/* each register as base, as index, in 32 bits, and as what is loaded over itself */
	.irp	register, ax, bx, cx, dx, si, di, bp, 8, 9, 10, 11, 12, 13, 14, 15
	mov	$area + 64, %r\register
	mov	%r\register, (%r\register)
	incl	8(%r\register)
	addb	$3, 0x100(%r\register)
	mov	(%r\register), %r\register
	mov	$3, %r\register
	add	%r\register, area(,%r\register,8)
	mov	area-3(%r\register,%r\register), %r\register
	mov	$area, %r\register
	mov	16(%r\register), %r\register
	.endr
	.irp	register, eax, ebx, ecx, edx, esi, edi, ebp, r8d, r9d, r10d, r11d, r12d, r13d, r14d, r15d
	mov	$area + 32, %\register
	addw	$0x1234, 4(%\register)
	mov	$-5, %\register
	decb	area+16(%\register)
	negw	area+40(,%\register,2)
	.endr

	/* base, index, scale */
	mov	$area + 128, %ebx
	.irp	scale, 1, 2, 4, 8
	mov	$-7, %rcx
	add	%cx, (%rbx,%rcx,\scale)
	mov	$5, %ecx
	lea	-3(%rbx,%rcx,\scale), %rdx
	mov	%dl, (%rdx)
	mov	%rdx, %fs:(,%rcx,\scale)
	lea	(,%rcx,\scale), %r8
	lea	-96(%r8), %r9d
	lea	(%ebx,%ecx,\scale), %r10
	lea	(%rbx,%rcx,\scale), %r11w
	lea	(%ebx,%ecx,\scale), %r12d
	.endr

	/* fs: alone, absolute, with registers, 32 bits, through lea that ignores it */
	mov	%fs:0, %rax
	mov	%fs:8(%rcx), %rdx
	incl	%fs:-16
	mov	$-64, %rsi
	orw	$5, %fs:(%rsi)
	xchg	%rax, %fs:32(%rsi,%rcx,4)
	mov	$-64, %esi
	mov	%fs:64(%esi), %rdx
	mov	%fs:40, %r9
	.byte	0x64			/* without effect on lea */
	lea	8(%rcx), %r10
	movabs	%fs:16, %al
	mov	$8, %esi
	fs lodsb

	/* relative to rip, all sizes, with constants of each size behind */
	movb	$1, area(%rip)
	movw	$0x1234, area+2(%rip)
	movl	$0x12345678, area+4(%rip)
	movq	$-3, area+8(%rip)
	cmpb	$1, area(%rip)
	addw	$0x1234, area+2(%rip)
	addw	$1, area+2(%rip)
	addl	$0x345678, area+4(%rip)
	addl	$1, area+4(%rip)
	addq	$0x345678, area+8(%rip)
	imul	$3, area+8(%rip), %rax
	imul	$300, area+8(%rip), %eax
	imul	$300, area+8(%rip), %dx
	testb	$1, area+8(%rip)
	testl	$0x1234, area+8(%rip)
	shldl	$3, %eax, area+8(%rip)
	shrq	$5, area+8(%rip)
	btsl	$3, area+12(%rip)
	movups	area+16(%rip), %xmm1
	pshufd	$27, area+32(%rip), %xmm2
	pinsrw	$3, area+34(%rip), %xmm2
	palignr	$5, area+48(%rip), %xmm2
	cmpps	$1, area+48(%rip), %xmm1
	movbe	area+8(%rip), %rdx
	movzbl	area+9(%rip), %r8d
	movsbq	area+9(%rip), %r9
	lock addl $5, area+16(%rip)
	lock orb $5, area+16(%rip)
	mov	area+8(%eip), %r10
	setc	area+17(%rip)
	cmovc	area+24(%rip), %rax
	lea	area+8(%rip), %r11
	movabs	area+8, %rax
	movabs	%eax, area+16

	/* bit strings */
	mov	$area + 128, %esi
	.irp	bit, 3, 64, 1000, -1, -17, -500, 0x10000001f, -0x100000001
	mov	$\bit, %rdx
	.if	\bit < 2000 && \bit > -2000
	bt	%rdx, area+128(%rip)
	btc	%rdx, 2(%rsi)
	mov	$-64, %ecx
	movslq	%ecx, %rcx
	bts	%rdx, %fs:(%rcx)
	.endif
	btr	%edx, (%rsi)
	btc	%dx, (%rsi)
	lock bts %dx, 4(%rsi)
	bt	%edx, %eax
	adc	$1, %r12
	.endr

	/* xlat: only al is the index */
	mov	$area, %ebx
	mov	$-1, %rax
	mov	$0x44, %al
	xlat
	addr32 xlat
	mov	$0x144, %eax
	xor	%ebx, %ebx
	fs xlat

	/* one value, many names */
	mov	$area + 96, %ebx
	mov	%rbx, %rcx
	lea	8(%rcx), %rdx
	sub	$-16, %rdx
	push	%rdx
	inc	%rcx
	addl	$1, (%rbx)
	addl	$2, -8(%rdx)
	addl	$3, 7(%rcx)
	xchg	%rbx, %rdx
	pop	%rdi
	addl	$4, (%rdi)
	addl	$5, (%rbx)
	mov	%edx, %edx
	addl	$6, (%rdx)
	lea	(%rdx,%rdx), %r8
	sub	%rdx, %r8
	addl	$7, (%r8)
	mov	%rbx, shadow(%rip)
	add	shadow(%rip), %rbx
	sub	shadow(%rip), %rbx
	addl	$8, (%rbx)
	add	$8, %bl
	addl	$9, -8(%rbx)
	mov	$5, %r9d
	add	%r9, %rbx
	addl	$10, -5(%rbx)
	cmp	%r9, %rbx
	cmova	%rdx, %rbx
	addl	$11, (%rbx)
	mov	(%rbx), %eax
	and	$56, %eax
	add	%eax, area(%rax)
	mov	area(%rax), %al

	/* nothing is free: fifteen registers and the flags live */
	mov	$area, %eax
	.irp	register, bx, cx, dx, si, di, bp, 8, 9, 10, 11, 12, 13, 14, 15
	lea	8(%rax), %r\register
	mov	%r\register, %rax
	.endr
	mov	$area, %eax
	stc
	.irp	register, ax, bx, cx, dx, si, di, bp, 8, 9, 10, 11, 12, 13, 14, 15
	adcl	$1, (%r\register)
	mov	(%r\register), %r\register
	.endr
	adc	%rax, %rbx
	call	1f			/* and across a call, a return, a jump, a branch */
1:	pop	%rax
	jc	2f
	stc
2:	adc	%rcx, %rdx

	decl	turns(%rip)
	jnz	again
	finish	area, 768

	.data
	.balign	64
area:	.set	value, 0
	.rept	128
	.quad	value * 0x0101010101010101
	.set	value, value + 1
	.endr
turns:	.quad	0
shadow:	.quad	0
