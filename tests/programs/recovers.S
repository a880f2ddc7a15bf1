/* flags: -Wl,-z,noexecstack */
/*
 * Traps and faults that handlers put right: int3, int1, ud2, a division by zero, a load, a store, a
 * push, a call and a jump to nowhere. The handlers go on at the place in r15, or where they were, and
 * add up what they see of the registers.
 */
#include "finish.h"
	.set	SIGILL, 4
	.set	SIGTRAP, 5
	.set	SIGFPE, 8
	.set	SIGSEGV, 11
	.set	SA_SIGINFO_NODEFER_RESTORER_ONSTACK, 0x4c000004
	.set	CONTEXT_R8, 40		/* r8 .. r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
	.set	CONTEXT_R15, 96
	.set	CONTEXT_RSP, 160
	.set	CONTEXT_RIP, 168
	.text
	/* goes on behind \insn */
	.macro	faults	insn:vararg
	lea	991f(%rip), %r15
	lea	3(%rax,%rbx,2), %rbx
	cmp	%rax, %rbx
	\insn
991:	adc	%rbx, %r14
	.endm

	start
	mov	$131, %eax		/* sigaltstack: some faults have no stack */
	mov	$alternate, %edi
	xor	%esi, %esi
	syscall
	.irp	number, SIGILL, SIGTRAP, SIGFPE, SIGSEGV
	mov	$13, %eax		/* rt_sigaction */
	mov	$\number, %edi
	mov	$action, %esi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	.endr
	mov	$3, %r13d
round:	faults	int3
	faults	int1
	faults	ud2
	xor	%ecx, %ecx
	mov	$5, %eax
	xor	%edx, %edx
	faults	div	%ecx
	faults	mov	(%rcx), %rbx
	faults	mov	%rbx, 8(%rcx)
	faults	add	%rbx, 16(,%rcx,8)
	mov	%rsp, %r12
	xor	%esp, %esp
	lea	1f(%rip), %r15
	push	%rax
1:	mov	%r12, %rsp
	faults	push	24(%rcx)
	mov	$32, %esi
	faults	jmp	*%rsi
	faults	jmp	*(%rsi)
	faults	call	*%rsi
	add	$8, %rsp		/* it had pushed its return address */
	faults	rep movsb		/* rcx is 0: no fault */
	mov	$3, %ecx
	faults	rep movsb
	faults	movaps	area+1, %xmm0
	mov	$1 << 63, %rsi
	faults	mov	(%rsi), %rax
	mov	$40, %esi
	push	%rsi
	faults	ret			/* the return succeeds, the fetch does not */
	faults	hlt
	xor	%ecx, %ecx
	dec	%r13d
	jnz	round
	finish	area, 64

handler:
	mov	area(%rip), %rax
	crc32l	%edi, %eax		/* number */
	crc32l	8(%rsi), %eax		/* si_code */
	mov	$17, %ecx
	lea	CONTEXT_R8(%rdx), %rdi
1:	crc32q	(%rdi), %rax
	add	$8, %rdi
	loop	1b
	mov	%rax, area(%rip)
	mov	CONTEXT_R15(%rdx), %rax
	mov	%rax, CONTEXT_RIP(%rdx)
	ret
restorer:
	mov	$15, %eax
	syscall

	.data
	.balign	64
area:	.fill	8, 8, 1
action:	.quad	handler, SA_SIGINFO_NODEFER_RESTORER_ONSTACK, restorer, 0
alternate:
	.quad	signal_stack, 0, 65536
	.bss
	.balign	64
signal_stack:
	.skip	65536
