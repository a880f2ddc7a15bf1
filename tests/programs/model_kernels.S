/* SPDX-License-Identifier: MIT */
/*
 * Kernels for the model of a processor, each of which depends on one part of a machine. There is no C library, all
 * addresses are fixed, and nothing is read from the environment: every run executes the same instructions with
 * the same data. Each kernel ends at a symbol, such as walks_end for walks.
 */
	.set	STREAM, 64 << 10
	.set	COLD, 256 << 10
	.set	AREA, 2 << 20
	.set	AREAS, 40

	.macro	kernel name
	.balign	64
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	ends name
	.globl	\name\()_end
\name\()_end:
	ret
	.size	\name, . - \name
	.endm

	.globl	_start
	.type	_start, @function
_start:
	lea	stack_end(%rip), %rsp
	call	streams
	call	patterns
	call	misses
	call	jumps
	call	surprises
	call	walks
	call	pages
	call	mixture
	mov	$60, %eax		/* exit */
	xor	%edi, %edi
	syscall
	.size	_start, . - _start

/* Each load needs the one before, a line further: 64 KiB, which are in L2 but not in L1, over and over. */
kernel streams
	lea	stream(%rip), %rdi
	xor	%eax, %eax
	mov	$STREAM, %ecx
	rep stosb
	mov	$8, %edx
1:	lea	stream(%rip), %rsi
	mov	$STREAM / 64, %ecx
2:	add	(%rsi), %rsi
	add	$64, %rsi
	dec	%ecx
	jnz	2b
	dec	%edx
	jnz	1b
ends streams

/* A branch that follows the bits of a word, half of which are ones, in turn. */
kernel patterns
	mov	$0xb2d47a19, %edx
	mov	$4000, %ecx
1:	bt	%ecx, %edx
	jc	2f
	inc	%eax
2:	dec	%ecx
	jnz	1b
ends patterns

/* Loads that do not need each other, each from a line that is in no cache. */
kernel misses
	lea	cold(%rip), %rsi
	mov	$COLD / 256, %ecx
1:	mov	(%rsi), %eax
	mov	64(%rsi), %eax
	mov	128(%rsi), %eax
	mov	192(%rsi), %eax
	add	$256, %rsi
	dec	%ecx
	jnz	1b
ends misses

/* 256 taken jumps in 2 KiB of code. */
kernel jumps
	mov	$40, %ecx
1:	.rept	256
	jmp	2f
	.balign	8
2:
	.endr
	dec	%ecx
	jnz	1b
ends jumps

/* 60 lines of code, each with a branch that follows the next bit of a shift register, whose period is 2^32 - 1. */
kernel surprises
	mov	$1, %eax
	mov	$200, %ecx
1:	.rept	60
	.balign	64
	shr	$1, %eax
	jnc	2f
	xor	$0x80200003, %eax
2:	jmp	3f
	.balign	64
3:
	.endr
	dec	%ecx
	jnz	1b
ends surprises

/*
 * Each load needs the one before, in the next of 40 areas of 2 MiB, each of which has a directory of page tables of
 * its own. Their 80 pages do not fit into the first level TLB, and are in one set of the second level. Their 80 lines are
 * in different sets of the caches.
 */
kernel walks
	mov	$60, %edx
1:	lea	areas(%rip), %rsi
	mov	$AREAS, %ecx
2:	add	(%rsi), %rsi
	add	$AREA + 64, %rsi
	dec	%ecx
	jnz	2b
	lea	areas + AREA / 2 + 64 * AREAS(%rip), %rsi
	mov	$AREAS, %ecx
3:	add	(%rsi), %rsi
	add	$AREA + 64, %rsi
	dec	%ecx
	jnz	3b
	dec	%edx
	jnz	1b
ends walks

/* Code in 80 pages, which do not fit into the first level TLB. */
kernel pages
	mov	$6, %ecx
1:	.rept	80
	jmp	2f
	.skip	4096
2:
	.endr
	dec	%ecx
	jnz	1b
ends pages

	.type	mixture, @function
mixture:
	mov	$400, %ebx
1:	mov	%ebx, %eax
	and	$7, %eax
	call	*targets(,%rax,8)
	dec	%ebx
	jnz	1b
	ret
	.size	mixture, . - mixture

	.type	divides, @function
divides:
	mov	$3, %ecx
1:	lea	1000(%rbx,%rcx), %eax
	xor	%edx, %edx
	div	%ebx
	imul	%edx, %r8d
	dec	%ecx
	jnz	1b
	ret
	.size	divides, . - divides

	.type	copies, @function
copies:
	lea	stream(%rip), %rsi
	lea	cold(%rip), %rdi
	mov	$300, %ecx
	rep movsb
	movups	(%rsi), %xmm0
	addps	%xmm0, %xmm1
	movups	%xmm1, (%rdi)
	ret
	.size	copies, . - copies

/* Loads that are in a store in flight, and one that is not all in it. */
	.type	forwards, @function
forwards:
	push	%rbx
	mov	%ebx, counter(%rip)
	add	counter(%rip), %r9d
	lock incl counter(%rip)
	mov	counter(%rip), %r10
	pop	%rbx
	ret
	.size	forwards, . - forwards

	.type	recurses, @function
recurses:
	mov	$6, %eax
1:	dec	%eax
	jz	2f
	call	1b
2:	ret
	.size	recurses, . - recurses

	.section .rodata
	.balign	8
targets:
	.quad	divides, copies, forwards, recurses, copies, divides, forwards, divides
	.size	targets, . - targets

	.macro	object name, size
	.type	\name, @object
\name:	.skip	\size
	.size	\name, \size
	.endm
	.bss
	.balign	4096
	object	stream, STREAM
	object	cold, COLD
	object	counter, 64
	object	stack, 4096
stack_end:
	.balign	AREA
	object	areas, (AREA * AREAS)
