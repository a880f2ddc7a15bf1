/* flags: -Wl,-z,noexecstack */
/*
 * Flags that live on: through jumps, calls, returns and loops of every kind, in chains of carries, by
 * lahf and sahf, and where all registers live as well.
 */
#include "finish.h"
	.text
	start
	mov	$10, %r15d
round:
	/* carries across blocks that end in every way */
	lea	(%r15,%r15), %r14
	add	%r14, %rax
	jmp	1f
	nop
1:	adc	%rax, %rbx
	lea	2f(%rip), %rcx
	jmp	*%rcx
2:	adc	%rbx, %rdx
	mov	$3f, %ebp
	push	%rbp
	ret
3:	adc	%rdx, %rsi
	call	keeps
	adc	%rsi, %rdi
	call	*keeps_at(%rip)
	sbb	%rdi, %r8
	jnc	4f
4:	adc	%r8, %r9
	jrcxz	5f
5:	sbb	%r9, %r10
	call	sets_carry
	jc	6f
	ud2
6:	call	clears_zero
	jz	wrong
	jns	7f
	lea	1(%r10), %r10
7:	call	compares
	jl	8f
	lea	3(%r11), %r11
8:	setg	%al
	cmovg	%r11, %r12
	rcl	$3, %r12
	rcr	$1, %r13

	/* a number of eight words, word by word */
	mov	$8, %ecx
	mov	$number, %esi
	clc
9:	mov	(%rsi), %rax
	adc	%rax, 64(%rsi)
	lea	8(%rsi), %rsi
	dec	%rcx
	jnz	9b
	mov	$8, %ecx
	mov	$number, %esi
	stc
10:	mov	64(%rsi), %rdx
	sbb	%rdx, (%rsi)
	lea	8(%rsi), %rsi
	loop	10b
	adcx	%rdx, %rbx
	adox	%rdx, %rbp

	/* in ah, in memory, in a mask */
	cmp	%r9, %r10
	lahf
	mov	%ah, %dl
	call	keeps
	seto	%al
	add	$0x7f, %al
	sahf
	cmovbe	%r9, %r11
	pushf
	popq	%rdi
	and	$0xcd5, %edi
	cmp	%rdi, %r10
	pushf
	cmp	%rdi, %rdi
	popf
	jb	11f
	inc	%r8
11:	sbb	%eax, %eax
	std
	call	*keeps_at
	lodsb
	cld
	bt	$3, %r15
	mov	$2, %ecx
	mov	$number, %edi
	rep stosb			/* changes no flag */
	adc	$0, %r13
	test	%r15d, %r15d
	mov	$1000, %eax		/* an unknown system call keeps the flags, and stores them in r11 */
	syscall
12:	jz	wrong
	and	$0xcd5, %r11d
	cmp	$12b, %rcx		/* rcx has the place behind it */
	jne	wrong
	dec	%r15
	jnz	round
	finish	number, 128
wrong:	ud2

keeps:	lea	1(%r12,%r12,2), %r12
	jmp	14f
14:	ret
sets_carry:
	stc
	ret
clears_zero:
	or	$1, %bl
	ret
compares:
	cmp	%r9, %r8
	repz ret

	.data
	.balign	64
number:	.set	value, 1
	.rept	16
	.quad	value * 0x8103050701820305
	.set	value, value + 2
	.endr
keeps_at:
	.quad	keeps
