/* SPDX-License-Identifier: MIT */
/*
 * Instructions that end a basic block of exp-bbv only because of Valgrind: fused multiply-add and
 * vpmulhrsw of 256 bits (AVX2 and FMA needed), instructions that load control words, with and without
 * a warning, and rep instructions with prefixes that exp-bbv does not know. No libc.
 */
	.globl	_start
	.type	_start, @function
_start:
	cld
	mov	$20, %r12d
round:
	call	verbose
	call	words
	call	prefixes
	dec	%r12d
	jnz	round
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	_start, . - _start

/* At the beginning of 60 instructions, in the middle, where 31 are behind it, and two in a row. */
	.type	verbose, @function
verbose:
	.irp	before, 0, 1, 20, 29, 30, 31, 40, 58, 59
	.fill	\before, 1, 0x90
	vfmadd213ps %ymm0, %ymm1, %ymm2
	.fill	70 - \before, 1, 0x90
	jmp	1f
1:
	.endr
	vfnmsub231sd %xmm0, %xmm1, %xmm2
	.skip	10, 0x90
	vfmaddsub132pd %xmm0, %xmm1, %xmm2
	.skip	50, 0x90
	vpmulhrsw %ymm0, %ymm1, %ymm2
	.skip	50, 0x90
	jmp	1f
1:	vpmulhrsw %xmm0, %xmm1, %xmm2
	.skip	70, 0x90
	vzeroupper
	ret
	.size	verbose, . - verbose

	.type	words, @function
words:
	fninit
	nop
	fldcw	single
	nop
	fldcw	usual
	nop
	fldcw	unmasked
	loop	1f
1:	nop
	.byte	0x41, 0xd9, 0x2c, 0x25	/* fldcw with a prefix */
	.long	single
	nop
	fldenv	environment
	nop
	frstor	state
	nop
	ldmxcsr	flushing
	nop
	vldmxcsr denormals
	nop
	vldmxcsr excepting
	nop
	fxrstor	extended
	nop
	fxrstor64 extended
	nop
	mov	$3, %eax
	xor	%edx, %edx
	xrstor	extended
	nop
	ldmxcsr	plain
	fninit
	nop
	ret
	.size	words, . - words

	.macro	counted count, bytes:vararg
	mov	$area, %edi
	mov	$area + 256, %esi
	mov	$\count, %ecx
	.byte	\bytes
	.endm

	.type	prefixes, @function
prefixes:
	mov	$7, %eax
	.irp	count, 0, 1, 2, 9
	counted	\count, 0xf3, 0x4c, 0xab	/* rep stos, with REX.WR */
	counted	\count, 0xf3, 0x40, 0xaa
	nop
	counted	\count, 0xf3, 0x44, 0xa4
	counted	\count, 0x66, 0xf3, 0xab
	counted	\count, 0xf3, 0x66, 0xa5
	counted	\count, 0xf3, 0x41, 0xa6	/* repe cmps */
	counted	\count, 0xf2, 0x42, 0xae	/* repne scas */
	nop
	.endr
	mov	$area, %edi
	mov	$5, %ecx
	rep stosb
	.byte	0xf3, 0x40, 0xaa
	mov	$5, %ecx
	.byte	0xf3, 0x40, 0xaa
	mov	$5, %ecx
	rep stosb
	ret
	.size	prefixes, . - prefixes

	.data
usual:	.long	0x37f
single:	.long	0x07f
unmasked: .long	0x37b
plain:	.long	0x1f80
flushing: .long	0x9f80
denormals: .long 0x1fc0
excepting: .long 0x1f00
environment:
	.short	0xc3f, 0, 0, 0, 0xffff, 0, 0, 0, 0, 0, 0, 0, 0, 0
state:	.short	0x27f, 0, 0, 0, 0xffff, 0
	.fill	96, 1, 0
	.balign	64
extended:
	.short	0x27f
	.fill	22, 1, 0
	.long	0x9f80, 0xffff
	.fill	480, 1, 0
	.quad	3, 0, 0, 0, 0, 0, 0, 0
	.fill	512, 1, 0
	.balign	64
area:	.fill	1024, 1, 7
