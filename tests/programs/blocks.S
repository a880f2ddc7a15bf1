/* SPDX-License-Identifier: MIT */
/*
 * Everything that matters to where a basic block of exp-bbv begins and ends, and to how it counts:
 * loops entered by fall-through, loop and jrcxz taken and not, rep instructions of each kind,
 * alone and in a row, with counts of 0 and more, pause, clflush, fldcw that unmasks, long straight
 * code, jumps into the middle of it. No libc, so that it runs alike under Valgrind and without.
 */
	.globl	_start
	.type	_start, @function
_start:
	cld
	mov	$30, %r12d
round:
	call	alu
	call	strings
	call	loops
	call	fpu
	call	straight
	call	entries
	dec	%r12d
	jnz	round
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	_start, . - _start

	.type	alu, @function
alu:
	mov	$120, %ecx
	xor	%eax, %eax
1:	lea	7(%rax,%rcx,2), %eax
	test	$8, %al
	jz	2f
	rol	$3, %eax
2:	dec	%ecx
	jnz	1b
	ret
	.size	alu, . - alu

	.type	strings, @function
strings:
	mov	$20, %ebx
1:	mov	$buffer, %rdi
	mov	%ebx, %ecx
	rep	stosb
	mov	$buffer, %rsi
	mov	$copy, %rdi
	mov	$3, %ecx
	rep	movsq
	mov	$2, %ecx
	rep	stosl
	mov	$buffer, %rsi
	mov	$copy, %rdi
	mov	$4, %ecx
	repe	cmpsb
	repne	scasb
	mov	$copy, %rdi
	mov	$16, %ecx
	mov	%ebx, %eax
	repne	scasb
	xor	%ecx, %ecx
	rep	stosq
	movsb
	lodsl
	dec	%ebx
	jnz	1b
	ret
	.size	strings, . - strings

	.type	loops, @function
loops:
	mov	$10, %ecx
1:	nop
	loop	1b
	mov	$10, %edx
2:	mov	%edx, %ecx
	and	$3, %ecx
	jrcxz	3f
	nop
	dec	%ecx
	jrcxz	3f
	pause
3:	clflush	buffer
	lock	incl buffer
	dec	%edx
	jnz	2b
	ret
	.size	loops, . - loops

	.type	fpu, @function
fpu:
	mov	$12, %ecx
1:	fldl	three
	fnstcw	word
	movzwl	word, %eax
	mov	$12, %ah
	mov	%ax, other
	fldcw	other
	fistpl	result
	fldcw	word
	dec	%ecx
	jnz	1b
	movl	$0x9fc0, mxcsr
	ldmxcsr	mxcsr
	nop
	movl	$0x1f80, mxcsr
	ldmxcsr	mxcsr
	nop
	ret
	.size	fpu, . - fpu

	.type	straight, @function
straight:
	.rept	200
	add	$1, %rax
	.endr
	xor	%ecx, %ecx
	jrcxz	1f
	nop
1:	.rept	70
	add	$1, %rax
	.endr
	ret
	.size	straight, . - straight

	.type	entries, @function
entries:
	mov	$4, %edx
	jmp	2f
1:	nop
2:	nop
	nop
3:	nop
	dec	%edx
	jz	4f
	test	$1, %edx
	jz	3b
	jmp	1b
4:	call	*target
	ret
	.size	entries, . - entries

	.type	leaf, @function
leaf:
	nop
	ret
	.size	leaf, . - leaf

	.data
target:
	.quad	leaf
three:	.double	3.0
word:	.long	0
other:	.long	0
mxcsr:	.long	0
result:	.long	0
	.bss
	.lcomm	buffer, 4096
	.lcomm	copy, 4096
