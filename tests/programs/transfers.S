/* flags: -Wl,-z,noexecstack */
/*
 * Conditional branches of every condition under flags of every kind, each to a place beyond and to
 * the very next instruction; loop, loope, loopne, jrcxz and jecxz, with 64 and 32 bits of count;
 * setcc and cmovcc with the same flags, which live across jumps, calls and returns.
 */
	.globl	_start
	.text

	/* Adds the outcome of each condition to a checksum, without a change of flags. */
	.macro	condition	name
	j\name	1f
	lea	1(%r12,%r12,2), %r12
1:	j\name	2f			/* to the next instruction */
2:	j\name	3f
	jmp	4f
3:	lea	1(%r12,%r12,4), %r12
4:	set\name	%al
	movzbl	%al, %eax
	lea	(%rax,%r12,2), %r12
	cmov\name	%r12, %r13
	set\name	bytes(%rip)
	cmov\name	words(%rip), %rdx
	.endm
_start:
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	mov	$(flags_end - flags) / 8, %r14d
	mov	$flags, %ebx
next:	push	(%rbx)
	call	all			/* flags live through call and return */
	add	$8, %rbx
	dec	%r14
	jnz	next
	jmp	counts

	/* pops the flags that its caller has pushed */
all:	pop	%rbp
	popf
	push	%rbp
	call	first
	call	*second_at(%rip)
	ret
first:	condition	o
	condition	no
	condition	b
	condition	ae
	condition	e
	condition	ne
	condition	be
	condition	a
	ret
second:	condition	s
	condition	ns
	condition	p
	condition	np
	condition	l
	condition	ge
	condition	le
	condition	g
	ret

counts:	mov	$3, %ebp		/* flags: by bit 0, zero or not */
again:	.irp	count, 0, 1, 2, 5, 0x100000001, 0x100000000
	.irp	branch, loop, loope, loopne, jrcxz
	movabs	$\count, %rcx
	cmp	$2, %ebp
	\branch	5f
5:	movabs	$\count, %rcx
	cmp	$2, %ebp
	\branch	6f
	lea	1(%r12,%rcx), %r12
6:	lea	1(%r12,%rcx), %r12
	movabs	$\count, %rcx
	cmp	$2, %ebp
	addr32 \branch	7f
7:	addr32 \branch	8f
	lea	1(%r12,%rcx), %r12
8:	lea	1(%r12,%rcx), %r12
	.endr
	.endr
	dec	%ebp
	jnz	again
	mov	$4, %ecx
9:	lea	1(%r12,%r12,2), %r12
	addr32 loop 9b
	mov	$5, %ecx
10:	cmp	$2, %ecx
	loopne	10b
	lea	(%r12,%rcx), %r12

	mov	%r12, %rdi
	add	%r13, %rdi
	add	%rdx, %rdi
	mov	%rdi, %rax
	shr	$32, %rax
	xor	%rax, %rdi
	mov	$231, %eax
	syscall

	.data
	/* combinations of CF 1, PF 4, AF 16, ZF 64, SF 128, OF 2048 */
flags:	.quad	0x202, 0x203, 0x206, 0x212, 0x242, 0x282, 0xa02, 0xa82, 0x243, 0x2c7, 0xac2, 0xad7
flags_end:
second_at:
	.quad	second
words:	.quad	0x123456789
bytes:	.byte	0
