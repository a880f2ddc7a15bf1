/* flags: -Wl,-z,noexecstack */
/* SPDX-License-Identifier: MIT */
/*
 * Signals and basic blocks: a faulting instruction in the middle of a block, one that is its
 * first, a rep that faults in the middle and one that faults at once, a signal to oneself. The
 * handler of SIGSEGV moves the interrupted rip on by r15. Like blocks.S it runs alike under
 * Valgrind; nothing depends on what rcx is after a fault, where Valgrind differs.
 */
	.set	SIGINFO_NODEFER_RESTORER, 0x44000004
	.set	CONTEXT_RIP, 168
	.globl	_start
	.text
_start:
	mov	$13, %eax		/* rt_sigaction(SIGSEGV) */
	mov	$11, %edi
	mov	$action, %esi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	mov	$13, %eax		/* rt_sigaction(SIGUSR1) */
	mov	$10, %edi
	syscall
	mov	$11, %eax		/* munmap: the page at hole is gone */
	mov	$hole, %edi
	mov	$4096, %esi
	syscall

	mov	$20, %ebp
round:
	mov	$7, %r15d		/* the length of incl 8 */
	nop
	incl	8
	nop
	jmp	1f
1:	incl	8
	nop
	mov	$2, %r15d
	mov	$hole - 4, %edi		/* 4 of 100 bytes fit */
	mov	$100, %ecx
	rep	stosb
	mov	$100, %ecx
	mov	$hole, %edi
	nop
	rep	stosb
	mov	$39, %eax		/* getpid */
	syscall
	mov	%eax, %edi
	mov	$10, %esi
	mov	$62, %eax		/* kill */
	syscall
	dec	%ebp
	jnz	round
	mov	$231, %eax
	xor	%edi, %edi
	syscall

handler:
	cmp	$11, %edi
	jne	1f
	add	%r15, CONTEXT_RIP(%rdx)
1:	ret
restorer:
	mov	$15, %eax
	syscall

	.data
action:
	.quad	handler, SIGINFO_NODEFER_RESTORER, restorer, 0
	.bss
	.balign	4096
	.skip	4096
hole:
	.skip	4096
