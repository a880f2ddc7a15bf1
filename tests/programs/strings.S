/* flags: -Wl,-z,noexecstack */
/*
 * String instructions. The comment beside each instruction is its record in a trace; the words are
 * explained in tests/e2e/expectations.py.
 */
	.globl	_start
	.text
_start:
	mov	$source, %esi
	mov	$target, %edi
	mov	$5, %ecx
	rep movsb			# [load 1 x5 @source] [store 1 x5 @target]
	movsl				# [load 4 @source+5] [store 4 @target+5]

	mov	$3, %ecx
	rep movsq			# [load 8 x3 @source+9] [store 8 x3 @target+9]

	/* nothing to do: executed, no access */
	rep stosw			# [store 2 x0 @target+33]

	std
	mov	$4, %ecx
	rep stosl			# [store 4 x4 down @target+33]
	lodsb				# [load 1 @source+33]
	cld

	/* stops at the byte found: 'd' is the fourth */
	mov	$letters, %edi
	mov	$'d', %eax
	mov	$100, %ecx
	repne scasb			# [load 1 x4 @letters]
	jne	wrong
	cmp	$96, %ecx
	jne	wrong

	/* not found */
	mov	$letters, %edi
	mov	$3, %ecx
	repne scasb			# [load 1 x3 @letters]
	je	wrong

	/* differ in the third */
	mov	$letters, %esi
	mov	$others, %edi
	mov	$8, %ecx
	repe cmpsb			# [load 1 x3 @letters] [load 1 x3 @others]
	je	wrong

	/* equal to the end */
	mov	$letters, %esi
	mov	$others, %edi
	mov	$2, %ecx
	repe cmpsb			# [load 1 x2 @letters] [load 1 x2 @others]
	jne	wrong

	mov	$source, %esi
	mov	$2, %ecx
	rep lodsw			# [load 2 x2 @source]

	/* esi, edi and ecx: what is above them does not count */
	movabs	$0x100000000 + source, %rsi
	movabs	$0x100000000 + target, %rdi
	movabs	$0x100000002, %rcx
	addr32 rep movsb		# [load 1 x2 @source] [store 1 x2 @target]

	/* a rep in a loop: each turn is an execution of its own */
	mov	$3, %ebx
again:
	mov	$target, %edi		# x3
	mov	%ebx, %ecx		# x3
	rep stosb			# [store 1 x3 @target] | [store 1 x2 @target] | [store 1 x1 @target]
	dec	%ebx			# x3
	jnz	again			# x3

	mov	$231, %eax
	xor	%edi, %edi
	syscall				# -- syscall number=231 name=exit_group
wrong:
	mov	$231, %eax		# never
	mov	$1, %edi		# never
	syscall				# never

	.data
	.balign	64
source:
	.fill	64, 1, 7
letters:
	.ascii	"abcdefgh"
others:
	.ascii	"abXdefgh"
	.bss
	.balign	64
target:
	.skip	256
