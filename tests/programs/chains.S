/* flags: -Wl,-z,noexecstack */
/*
 * Two chains of dependences that never join, of equal rate: that of rax is ahead of that of rcx, as
 * far as a window of instructions allows.
 */
	.globl	_start
	.text
_start:
	mov	$100000, %ecx
	.rept	50
	inc	%rax
	.endr
1:	inc	%rax
	dec	%rcx
	jnz	1b

	mov	$60, %eax
	xor	%edi, %edi
	syscall
