/* flags: -Wl,-z,noexecstack */
/* SPDX-License-Identifier: MIT */
/* Spends its time, about a second, in rep instructions of 64 MB each; then says so. Status 7. */
	.set	BYTES, 64 << 20
	.globl	_start
	.text
_start:
	mov	$60, %ebx
1:	mov	$BYTES, %ecx
	lea	buffer(%rip), %rdi
	mov	%ebx, %eax
	rep	stosb
	dec	%ebx
	jnz	1b
	mov	$1, %eax		/* write */
	mov	$1, %edi
	lea	text(%rip), %rsi
	mov	$7, %edx
	syscall
	mov	$60, %eax		/* exit */
	mov	$7, %edi
	syscall
text:	.ascii	"filled\n"
	.bss
buffer:	.skip	BYTES
