/* flags: -Wl,-z,noexecstack */
/*
 * Calls, returns and jumps in every form: through registers (rax, rcx and rsp's neighbors among
 * them), memory by every base, tail calls, ret with a count, returns that no call made, retpolines,
 * call to the next instruction, jumps into the middle of instructions, code across pages.
 */
#include "finish.h"
	.text
	start
	mov	$3, %r15d
round:
	/* direct and indirect calls */
	call	leaf
	.irp	register, rax, rcx, rdx, rbx, rsi, rdi, rbp, r8, r9, r11, r12, r13, r14
	lea	leaf(%rip), %\register
	call	*%\register
	.endr
	call	*pointer(%rip)
	call	*pointer
	mov	$table, %eax
	call	*8(%rax)
	mov	$1, %ecx
	call	*(%rax,%rcx,8)
	call	*table(,%rcx,8)
	lea	-8(%rax), %rcx
	call	*16(%rcx)
	addr32 call *8(%eax)
	push	$leaf
	call	*(%rsp)
	mov	%rsp, %rbp
	call	*(%rbp)
	mov	$0, %ecx
	call	*(%rsp,%rcx,8)
	pop	%rdx
	push	$leaf
	push	%rdx
	call	*8(%rsp)
	add	$16, %rsp
	notrack call *%rdx

	/* jumps */
	.irp	register, rax, rcx, rdx, rbx, rsi, rdi, rbp, r8, r9, r11, r12, r13, r14
	lea	1f(%rip), %\register
	jmp	*%\register
	ud2
1:
	.endr
	mov	$2, %ecx
	jmp	*table(,%rcx,8)
	ud2
jumped:	push	$2f
	jmp	*(%rsp)
	ud2
2:	pop	%rcx
	push	$3f
	push	%rcx
	jmp	*8(%rsp)
	ud2
3:	add	$16, %rsp
	movq	$4f, where(%rip)
	jmp	*where(%rip)
	ud2
4:	jmp	.+2
	jmp	5f
	.skip	200, 0xcc
5:

	/* returns */
	push	$6f
	ret
	ud2
6:	push	$0
	push	$1
	push	$7f
	ret	$16
	ud2
7:	push	$8f
	repz ret
	ud2
8:	call	counted			/* removes its two arguments from the stack */
	call	change_return
	ud2
9:	call	remove_return
after_remove:
	call	pop_and_jump
	call	skip_a_byte
	.byte	0xcc
	push	$returns_to
	push	$leaf			/* returns into a function */
	ret
returns_to:

	/* where am I? */
	call	10f
10:	pop	%rbx
	add	$11f - 10b, %rbx
	jmp	*%rbx
	ud2
11:	call	get_pc
	lea	12f - 11b - 5(%rsi), %rsi
	jmp	*%rsi
	ud2
12:
	/* tail calls and retpolines */
	call	tail
	call	tail_indirect
	lea	leaf(%rip), %r11
	call	retpoline
	mov	$leaf, %eax
	jmp	13f
14:	call	15f
16:	pause
	lfence
	jmp	16b
15:	mov	%rax, (%rsp)
	ret
13:	call	14b

	/* entered in their middle */
	mov	$-1, %ecx
17:	.byte	0xb8			/* mov $0x02eb..., %eax: from its second byte on, jmp */
18:	jmp	19f			/* (two bytes) */
	.byte	0x90, 0x90
	inc	%ecx
	jnz	20f
	jmp	18b
19:	nop
20:	lea	21f+2(%rip), %rax
	jmp	*%rax
21:	.byte	0x48, 0xb9		/* movabs $..., %rcx */
	inc	%r12d
	inc	%r13d
	.byte	0x90, 0x90
	mov	$recursion, %eax
	mov	$6, %edi
	call	*%rax
	call	straddles
	call	straddles_jump

	/* a program that reads itself and its return addresses */
	mov	$_start, %esi
	mov	$(code_end - _start), %ecx
22:	movzbl	(%rsi), %eax
	crc32b	%al, %r14d
	inc	%rsi
	sub	$97, %ecx
	lea	96(%rsi), %rsi
	ja	22b
	call	23f
23:	pop	%rax
	add	%eax, %r14d
	call	reads_return
	dec	%r15d
	jnz	round
	finish	area, 64

leaf:	addl	$7, area(%rip)
	ret
counted_body:
	mov	8(%rsp), %rax
	add	%rax, area+8(%rip)
	ret	$16
counted:
	pop	%rdx
	push	$5
	push	$6
	push	%rdx
	jmp	counted_body
change_return:
	movq	$9b, (%rsp)
	ret
remove_return:
	add	$8, %rsp
	jmp	after_remove
pop_and_jump:
	pop	%rcx
	jmp	*%rcx
skip_a_byte:
	incq	(%rsp)
	ret
get_pc:	mov	(%rsp), %rsi
	ret
tail:	incl	area+16(%rip)
	jmp	leaf
tail_indirect:
	lea	leaf(%rip), %rax
	jmp	*%rax
retpoline:
	call	24f
25:	pause
	lfence
	jmp	25b
24:	mov	%r11, (%rsp)
	ret
recursion:
	dec	%edi
	js	26f
	push	%rdi
	call	recursion
	pop	%rdi
	call	leaf
26:	ret
reads_return:
	mov	(%rsp), %rax
	crc32q	%rax, %r14
	crc32l	(%rax), %r14d		/* the bytes at the return address */
	ret

	/* an instruction across two pages, then a block that goes on in the next */
	.balign	4096
	.skip	4096 - 14, 0x90
straddles:
	mov	$5, %eax
	add	%eax, area+24(%rip)	/* begins 9 bytes before the page's end */
	add	$0x12345678, %eax	/* 3 bytes before it */
	mov	%eax, area+28(%rip)
	ret
	.balign	4096
	.skip	4096 - 3, 0x90
straddles_jump:
	inc	%eax
	jmp	27f			/* one byte on each page */
	ud2
27:	cmp	%eax, %ecx
	ret
code_end:

	.data
	.balign	64
area:	.fill	8, 8, 3
pointer:
	.quad	leaf
table:	.quad	round, leaf, jumped
where:	.quad	0
