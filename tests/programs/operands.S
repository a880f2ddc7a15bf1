/* flags: -Wl,-z,noexecstack */
/* Memory operands of every kind that general instructions have. */
	.globl	_start
	.text
_start:
	lea	stack_top(%rip), %rsp
	mov	$table, %ebx
	mov	$2, %ecx

	/* forms of addresses */
	mov	table+8(%rip), %rax		# [load 8 @table+8]
	mov	table, %rax			# [load 8 @table]
	movabs	table+16, %rax			# [load 8 @table+16]
	mov	8(%rbx,%rcx,8), %eax		# [load 4 @table+24]
	mov	-1(%rbx,%rcx), %al		# [load 1 @table+1]
	mov	(%ebx), %eax			# [load 4 @table]
	lea	64(%rbx,%rcx,8), %rax
	nopw	64(%rbx,%rcx,8)
	movslq	4(%rbx), %rax			# [load 4 @table+4]
	movb	$1, 40(%rbx)			# [store 1 @table+40]

	/* address32 wraps at 4 GiB */
	mov	$-16, %edx
	mov	table+16(%edx), %al		# [load 1 @table]

	/* read-modify-write */
	addl	$1, (%rbx)			# [load-store 4 @table]
	lock incq 8(%rbx)			# [load-store 8 @table+8]
	xchg	%eax, 16(%rbx)			# [load-store 4 @table+16]
	lock xadd %eax, 20(%rbx)		# [load-store 4 @table+20]
	cmpl	$1, (%rbx)			# [load 4 @table]
	testb	$1, (%rbx)			# [load 1 @table]
	shll	$1, (%rbx)			# [load-store 4 @table]
	sete	41(%rbx)			# [store 1 @table+41]

	/* compare and exchange: the processor writes in both cases */
	mov	24(%rbx), %rax			# [load 8 @table+24]
	lock cmpxchg %rcx, 24(%rbx)		# [load-store 8 @table+24]
	lock cmpxchg %rdx, 24(%rbx)		# [load-store 8 @table+24]
	lock cmpxchg16b (%rbx)			# [load-store 16 @table]

	/* bit strings reach beyond their operand, in both directions */
	mov	$2, %ecx
	bt	%ecx, (%rbx)			# [load 4 @table]
	mov	$35, %ecx
	bts	%ecx, (%rbx)			# [load-store 4 @table+4]
	mov	$-1, %rcx
	btr	%rcx, 16(%rbx)			# [load-store 8 @table+8]
	mov	$17, %ecx
	btc	%cx, (%rbx)			# [load-store 2 @table+2]
	btl	$35, (%rbx)			# [load 4 @table]

	/* the stack */
	push	%rax				# [store 8 @stack_top-8]
	pushw	$1				# [store 2 @stack_top-10]
	popw	%dx				# [load 2 @stack_top-10]
	pushq	8(%rbx)				# [load 8 @table+8] [store 8 @stack_top-16]
	popq	16(%rbx)			# [load 8 @stack_top-16] [store 8 @table+16]
	push	%rsp				# [store 8 @stack_top-16]
	pop	%rsp				# [load 8 @stack_top-16]
	pushf					# [store 8 @stack_top-16]
	popf					# [load 8 @stack_top-16]
	pushq	$0				# [store 8 @stack_top-16]
	popq	(%rsp)				# [load 8 @stack_top-16] [store 8 @stack_top-8]
	pop	%rax				# [load 8 @stack_top-8]
	mov	$stack_top, %ebp
	enter	$16, $0				# [store 8 @stack_top-8]
	leave					# [load 8 @stack_top-8]

	/* the pushed flags are those without a recorder: no trap flag */
	pushf					# [store 8 @stack_top-8]
	testb	$1, 1(%rsp)			# [load 1 @stack_top-7]
	jnz	wrong
	popf					# [load 8 @stack_top-8]

	/* calls */
	call	leaf				# [store 8 @stack_top-8]
	movq	$leaf, callee			# [store 8 @callee]
	call	*callee				# [load 8 @callee] [store 8 @stack_top-8]
	movq	$1f, callee			# [store 8 @callee]
	jmp	*callee				# [load 8 @callee]
leaf:
	ret					# [load 8 @stack_top-8] | [load 8 @stack_top-8]
1:	push	$0				# [store 8 @stack_top-8]
	push	$2f				# [store 8 @stack_top-16]
	ret	$8				# [load 8 @stack_top-16]
wrong:
	mov	$231, %eax			# never
	mov	$1, %edi			# never
	syscall					# never
2:
	/* others */
	mov	$table, %ebx
	mov	$0x105, %eax
	xlatb					# [load 1 @table+5]
	prefetcht0 64(%rbx)			# [prefetch 1 @table+64]
	clflush	(%rbx)
	fnstcw	(%rbx)				# [store 2 @table]
	fldcw	(%rbx)				# [load 2 @table] -- control-word which=x87 value=0x37f
	stmxcsr	(%rbx)				# [store 4 @table]
	ldmxcsr	(%rbx)				# [load 4 @table] -- control-word which=mxcsr value=0x1f80
	fldt	64(%rbx)			# [load 10 @table+64]
	fstpt	80(%rbx)			# [store 10 @table+80]
	movups	(%rbx), %xmm0			# [load 16 @table]
	movlps	%xmm0, 8(%rbx)			# [store 8 @table+8]
	fxsave	area(%rip)			# [store 512 @area]
	fxrstor	area(%rip)			# [load 512 @area] -- control-word which=x87 -- control-word which=mxcsr

	/* arch_prctl(ARCH_SET_FS), then (ARCH_SET_GS) */
	mov	$158, %eax
	mov	$0x1002, %edi
	mov	$table, %esi
	syscall					# -- syscall number=158 -- syscall-result result=0 -- segment-base segment=fs base=@table
	mov	%fs:8, %rax			# [load 8 @table+8]
	mov	$8, %ecx
	mov	%fs:8(,%rcx,2), %rax		# [load 8 @table+24]
	mov	$158, %eax
	mov	$0x1001, %edi
	mov	$table+32, %esi
	syscall					# -- syscall number=158 -- syscall-result result=0 -- segment-base segment=gs base=@table+32
	movb	%al, %gs:1			# [store 1 @table+33]

	mov	$231, %eax
	xor	%edi, %edi
	syscall					# -- syscall number=231

	.data
	.balign	64
table:
	.fill	32, 4, 0
callee:
	.quad	0
	.bss
	.balign	64
area:
	.skip	512
stack:
	.skip	4096
stack_top:
