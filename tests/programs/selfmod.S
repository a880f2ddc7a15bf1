/* flags: -Wl,-z,noexecstack,-N,--no-warn-rwx-segments */
/*
 * Code that changes: a constant in an instruction that runs before and after, and the instruction
 * right behind the one that writes it. The text is writable (-N).
 */
	.globl	_start
	.text
_start:
	mov	$3, %ebx
	mov	$1, %ebp
again:
patched:
	mov	$1, %eax		# bytes=b801000000 | bytes=b802000000 | bytes=b803000000
	cmp	%ebp, %eax		# x3
	jne	wrong			# x3
	incl	patched + 1		# [load-store 4 @patched+1] x3
	inc	%ebp			# x3
	dec	%ebx			# x3
	jnz	again			# x3

	movw	$0x9090, next		# [store 2 @next]
next:
	ud2				# bytes=90 | bytes=90
	nop
	mov	$231, %eax
	xor	%edi, %edi
	syscall				# -- syscall number=231
wrong:
	mov	$231, %eax		# never
	mov	$1, %edi		# never
	syscall				# never
