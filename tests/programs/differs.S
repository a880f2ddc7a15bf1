/* flags: -Wl,-z,noexecstack */
/*
 * differs DIGIT: one thing is different for each digit from 1 to 9: an address, repetitions, their
 * direction, a mask, whether a branch to the next instruction is taken, an argument, a control word,
 * an instruction that is jumped into, the exit status. For comparisons that must notice it.
 */
	.globl	_start
	.text

	/* \register becomes 1 if the digit is the one given, else 0 */
	.macro	chosen	digit, register
	xor	%eax, %eax
	cmp	$'0' + \digit, %bl
	sete	%al
	mov	%eax, \register
	.endm
_start:
	mov	16(%rsp), %rsi
	mov	(%rsi), %bl

	chosen	1, %edx
	mov	table(,%rdx,8), %rax

	chosen	2, %ecx
	add	$3, %ecx
	mov	$table + 32, %edi
	rep stosb

	chosen	3, %ecx
	shl	$10, %ecx
	push	%rcx
	popf
	mov	$1, %ecx
	rep lodsb
	cld

	chosen	4, %ecx
	shl	$7, %ecx
	movd	%ecx, %xmm0
	mov	$table, %edi
	maskmovdqu %xmm0, %xmm1

	chosen	5, %ecx
	jrcxz	1f
1:
	chosen	6, %edi
	add	$1000, %edi
	mov	$3, %eax		/* close */
	syscall

	chosen	7, %ecx
	shl	$10, %ecx
	or	$0x37f, %ecx
	mov	%ecx, table
	fldcw	table

	chosen	8, %ecx
	lea	2f(%rcx), %rax
	jmp	*%rax
2:	.byte	0x66, 0x90		/* two nops of different lengths */

	chosen	9, %edi
	mov	$231, %eax
	syscall

	.data
	.balign	64
table:
	.fill	64, 1, 0
