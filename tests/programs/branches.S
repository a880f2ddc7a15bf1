/* flags: -Wl,-z,noexecstack */
/* Transfers of control: what is taken how often, and blocks that overlap. */
	.globl	_start
	.text
_start:
	lea	stack_top(%rip), %rsp
	mov	$10, %ecx
1:	dec	%ecx				# x10
	jnz	1b				# x10

	mov	$5, %ecx
2:	nop					# x5
	loop	2b				# x5
	jrcxz	3f
	ud2					# never

	/* a jump table: 0, 1, 2, 1, 0 */
3:	mov	$order, %esi
4:	movzbl	(%rsi), %eax			# [load 1 @order] | [load 1 @order+1] | [load 1 @order+2] | [load 1 @order+3] | [load 1 @order+4] | [load 1 @order+5]
	inc	%rsi				# x6
	cmp	$3, %al				# x6
	je	8f				# x6
	jmp	*cases(,%rax,8)			# [load 8 @cases] | [load 8 @cases+8] | [load 8 @cases+16] | [load 8 @cases+8] | [load 8 @cases]
5:	jmp	4b				# x2
6:	inc	%edx				# x2
	jmp	4b				# x2
7:	dec	%edx
	jmp	4b

	/* into the middle of a block, and into the middle of an instruction */
8:	xor	%ebx, %ebx
	jmp	middle
before:
	inc	%ebx
middle:
	inc	%ebx				# x2
	inc	%ebx				# x2
	cmp	$3, %ebx			# x2
	jb	before				# x2
	mov	$immediate + 1, %eax
	jmp	*%rax
immediate:
	/* entered behind its opcode, this is nop; jmp +0; nop */
	mov	$0x9000eb90, %eax		# x3

	/* recursion: 5 calls deep */
	mov	$5, %edi
	call	descend				# [store 8 @stack_top-8]
	jmp	9f
descend:
	dec	%edi				# x5
	jz	bottom				# x5
	call	descend				# [store 8 @stack_top-16] | [store 8 @stack_top-24] | [store 8 @stack_top-32] | [store 8 @stack_top-40]
bottom:
	ret					# [load 8 @stack_top-40] | [load 8 @stack_top-32] | [load 8 @stack_top-24] | [load 8 @stack_top-16] | [load 8 @stack_top-8]

	/* a straight run longer than a basic block may be */
9:	.rept	600
	nop					# x600
	.endr

	mov	$231, %eax
	mov	$7, %edi
	syscall					# -- syscall number=231

	.section .rodata
cases:
	.quad	5b, 6b, 7b
order:
	.byte	0, 1, 2, 1, 0, 3
	.bss
	.skip	4096
stack_top:
