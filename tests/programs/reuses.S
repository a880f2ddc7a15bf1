/* SPDX-License-Identifier: MIT */
/* Two loops over the same 1024 blocks of 64 bytes. The code after the second loop lies before both and
 * ends in a call that never returns; the first loop begins at its return address. Each touch of the
 * first loop is of the last 8 bytes of a block and the first 8 of the next. */
	.bss
	.balign 64
data:	.skip 64 * 1025

	.text
	.globl _start
	.type _start, @function
_start:
	jmp first
last:	call leave
first:	xor %ecx, %ecx
1:	movups data+56(%rcx), %xmm0
	add $64, %ecx
	cmp $64 * 1024, %ecx
	jne 1b
	xor %ecx, %ecx
2:	mov data+64(%rcx), %rax
	add $64, %ecx
	cmp $64 * 1024, %ecx
	jne 2b
	jmp last
	.size _start, . - _start

	.type leave, @function
leave:	mov $60, %eax
	xor %edi, %edi
	syscall
	.size leave, . - leave
	.section .note.GNU-stack, "", @progbits
