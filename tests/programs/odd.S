/* flags: -Wl,-z,noexecstack */
/*
 * Instructions that few programs use: far returns and jumps, iret, segment bases set by the program
 * and used in loops, system calls of 32-bit programs, branches with prefixes that mean nothing, code
 * across pages, maskmovq, gathers of which a lane faults.
 */
#include "finish.h"
	.set	SIGSEGV, 11
	.set	SA_SIGINFO_NODEFER_RESTORER, 0x44000004
	.set	CONTEXT_R15, 96
	.set	CONTEXT_RIP, 168
	.set	USER_CS, 0x33
	.set	USER_SS, 0x2b
	.set	FSGSBASE, 2		/* of AT_HWCAP2 */
	.set	AT_HWCAP2, 26
	.text
	.globl	_start
_start:
	/* behind argc, argv and the environment: does the kernel allow wrfsbase? */
	mov	(%rsp), %rdi
	lea	16(%rsp,%rdi,8), %rsi
1:	add	$8, %rsi
	cmpq	$0, -8(%rsi)
	jne	1b
	xor	%r13d, %r13d
2:	mov	(%rsi), %rax
	cmp	$AT_HWCAP2, %eax
	cmove	8(%rsi), %r13
	add	$16, %rsi
	test	%eax, %eax
	jnz	2b
	and	$FSGSBASE, %r13d
	mov	$0x1122334455667788, %rax
	.irp	register, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r14
	lea	0x1357(%rax,%rax,2), %\register
	rol	$9, %rax
	.endr
	lea	stack_top(%rip), %rsp
	mov	$13, %eax		/* rt_sigaction */
	mov	$SIGSEGV, %edi
	mov	$action, %esi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall

	mov	$40, %r12d
again:	/* far transfers that stay in 64-bit code */
	push	$USER_CS
	push	$1f
	lretq
1:	pushq	$0
	push	$USER_CS
	push	$2f
	lretq	$8
2:	ljmp	*far_place(%rip)
3:	mov	%rsp, %rax
	push	$USER_SS
	push	%rax
	pushf
	push	$USER_CS
	push	$4f
	iretq
4:	mov	$199, %eax		/* getuid32 */
	lea	5f(%rip), %r15
	int	$0x80			/* faults if the kernel has no 32-bit system calls */

5:	/* prefixes of branches that mean nothing */
	.byte	0x66, 0x66, 0x48, 0xe8	/* as in calls of __tls_get_addr */
	.long	leaf - . - 4
	.byte	0x66, 0x48, 0xff, 0x15
	.long	place - . - 4
	notrack call *place(%rip)
	bnd call leaf
	.byte	0x2e
	jnz	5f
	.byte	0x3e
	jz	5f
	nop
5:
	/* segment bases */
	test	%r13d, %r13d
	jz	6f
	lea	table(%rip), %rax
	wrfsbase %rax
	mov	%fs:8, %rcx
	add	%rcx, %fs:16(,%r12,8)
	lea	8(%rax,%r12), %rdx
	wrfsbase %edx
	movzbl	%fs:(%r12), %ecx
	rdfsbase %rdx
	add	%rcx, %rbx
	wrgsbase %rax
	mov	%gs:24, %rcx
	add	%rcx, %gs:(%r12)
	rdgsbase %rdx
	xor	%edx, %edx
	wrgsbase %rdx
	wrfsbase %rdx
6:
	/* code across pages, and into an instruction */
	call	straddling
	call	straddling + 1

	movq	table(%rip), %mm0
	movq	table + 40(%rip), %mm1
	lea	table + 128(%rip), %rdi
	maskmovq %mm1, %mm0
	emms
	dec	%r12d
	jnz	again

	/* the last lanes of gathers and scatters are behind the last page of the table */
	mov	$1, %eax
	cpuid
	bt	$27, %ecx		/* osxsave */
	jnc	9f
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	bt	$5, %ebx		/* avx2 */
	jnc	9f
	mov	$5, %r12d
7:	vmovdqu	indices(%rip), %ymm1
	vpcmpeqd %ymm2, %ymm2, %ymm2
	vpxor	%ymm3, %ymm3, %ymm3
	lea	8f(%rip), %r15
	mov	$last_page, %ebp
	vpgatherdd %ymm2, (%rbp,%ymm1,8), %ymm3
	ud2
8:	vmovdqu	%ymm2, table + 256(%rip)
	vmovdqu	%ymm3, table + 288(%rip)
	mov	table + 256(%rip), %rax
	add	%rax, %rbx
	mov	table + 288(%rip), %rax
	add	%rax, %rbx
	vmovdqu	indices(%rip), %ymm1
	vpcmpeqd %ymm2, %ymm2, %ymm2
	lea	10f(%rip), %r15
	vpmaskmovd %ymm1, %ymm2, 4080(%rbp)
	ud2
10:	dec	%r12d
	jnz	7b
9:	xor	%eax, %eax
	xor	%ebx, %ebx
	xor	%ecx, %ecx
	xor	%edx, %edx
	xor	%r8d, %r8d
	xor	%r13d, %r13d
	finish	table, 256

handler:
	mov	CONTEXT_R15(%rdx), %rax
	mov	%rax, CONTEXT_RIP(%rdx)
	ret
restorer:
	mov	$15, %eax
	syscall
leaf:
	lea	5(%rbx,%rbx), %rbx
	repz ret

	.balign	4096
	.skip	4096 - 3
straddling:
	add	$0x1234567, %rbx	/* without its REX prefix, ebx */
	lea	7(%rbx,%rbx,2), %rbx
	ret

	.data
	.balign	64
table:	.set	value, 1
	.rept	128
	.quad	value * 0x0103850701020385
	.set	value, value + 5
	.endr
indices:
	.long	0, 7, 500, 2, 511, 400, 512, 513
place:	.quad	leaf
far_place:
	.long	3b
	.word	USER_CS
	.balign	8
action:	.quad	handler, SA_SIGINFO_NODEFER_RESTORER, restorer, 0
	.bss
	.balign	4096
last_page:
	.skip	4096
