/* SPDX-License-Identifier: MIT */
/*
 * For assembly programs: `recover_from signals` has a handler, on a stack of its own, for each; it
 * goes on at the place in r15. `recovery sum, instruction` is that handler: it adds up what it sees
 * of the registers, in rax, and what the instruction adds to that, and keeps it in sum.
 */
	.set	SIGILL, 4
	.set	SIGTRAP, 5
	.set	SIGFPE, 8
	.set	SIGSEGV, 11
	.set	SA_SIGINFO_NODEFER_RESTORER_ONSTACK, 0x4c000004
	.set	CONTEXT_R8, 40		/* r8 .. r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
	.set	CONTEXT_R15, 96
	.set	CONTEXT_RIP, 168

	.macro	recover_from	signals:vararg
	mov	$131, %eax		/* sigaltstack: some faults have no stack */
	mov	$alternate, %edi
	xor	%esi, %esi
	syscall
	.irp	number, \signals
	mov	$13, %eax		/* rt_sigaction */
	mov	$\number, %edi
	mov	$action, %esi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	.endr
	.endm

	.macro	recovery	sum, instruction:vararg
handler:
	mov	\sum(%rip), %rax
	crc32l	%edi, %eax		/* number */
	crc32l	8(%rsi), %eax		/* si_code */
	\instruction
	mov	$17, %ecx
	lea	CONTEXT_R8(%rdx), %rdi
991:	crc32q	(%rdi), %rax
	add	$8, %rdi
	loop	991b
	mov	%rax, \sum(%rip)
	mov	CONTEXT_R15(%rdx), %rax
	mov	%rax, CONTEXT_RIP(%rdx)
	ret
restorer:
	mov	$15, %eax
	syscall

	.data
	.balign	64
action:	.quad	handler, SA_SIGINFO_NODEFER_RESTORER_ONSTACK, restorer, 0
alternate:
	.quad	signal_stack, 0, 65536
	.bss
	.balign	64
signal_stack:
	.skip	65536
	.text
	.endm
