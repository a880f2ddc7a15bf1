/* flags: -Wl,-z,noexecstack */
/*
 * Signals, exactly where they happen. The handler of SIGSEGV moves the interrupted rip on by r15;
 * the second fault comes in the middle of a rep.
 */
	.set	SA_SIGINFO_NODEFER_RESTORER, 0x44000004
	.set	CONTEXT_RIP, 168
	.globl	_start
	.text
_start:
	lea	stack_top(%rip), %rsp
	mov	$13, %eax		/* rt_sigaction(SIGSEGV) */
	mov	$11, %edi
	mov	$action, %esi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall				# -- syscall number=13 -- syscall-result result=0
	mov	$13, %eax		/* rt_sigaction(SIGUSR1) */
	mov	$10, %edi
	syscall				# -- syscall number=13 -- syscall-result result=0

	mov	$8, %r15d		# -- signal number=11 address=0x8 pc=@bad handler=@handler
bad:
	mov	8, %rcx			# never
after:
	mov	$11, %eax		/* munmap: the page at hole is gone */
	mov	$hole, %edi
	mov	$4096, %esi
	syscall				# -- syscall number=11 -- syscall-result result=0

	/* 4 of 100 bytes fit; the rest is not done */
	mov	$2, %r15d
	mov	$hole - 4, %edi
	mov	$100, %ecx
rep:
	rep stosb			# [store 1 x4 interrupted @hole-4] -- signal number=11 address=@hole pc=@rep handler=@handler
	cmp	$96, %ecx
	jne	wrong

	/* no byte fits: not executed at all */
	mov	$100, %ecx		# -- signal number=11 address=@hole pc=@none handler=@handler
none:
	rep stosb			# never

	/* a signal to oneself is delivered as the system call returns */
	mov	$39, %eax		/* getpid */
	syscall				# -- syscall number=39 -- syscall-result number=39
	mov	%eax, %edi
	mov	$10, %esi
	mov	$62, %eax		/* kill */
	syscall				# -- syscall number=62 -- syscall-result result=0 -- signal number=10 address=0x0 pc=@killed handler=@handler
killed:
	mov	$231, %eax
	xor	%edi, %edi
	syscall				# -- syscall number=231
wrong:
	mov	$231, %eax		# never
	mov	$1, %edi		# never
	syscall				# never

handler:
	cmp	$11, %edi		# x4
	jne	1f			# x4
	add	%r15, CONTEXT_RIP(%rdx)	# [load-store 8 @?] x3
1:	ret				# [load 8 @?] x4
restorer:
	mov	$15, %eax		# x4
	syscall				# -- syscall number=15 -- sigreturn pc=@after | -- syscall number=15 -- sigreturn pc=@rep+2 | -- syscall number=15 -- sigreturn pc=@none+2 | -- syscall number=15 -- sigreturn pc=@killed

	.data
action:
	.quad	handler, SA_SIGINFO_NODEFER_RESTORER, restorer, 0
	.bss
	.balign	4096
	.skip	4096
hole:
	.skip	4096
	.skip	8192
stack_top:
