/* flags: -Wl,-z,noexecstack */
/*
 * Traps and faults that handlers put right: int3, int1, ud2, a division by zero, a load, a store, a
 * push, a call and a jump with invalid addresses. The handlers go on at the place in r15, or where
 * they were, and add up what they see of the registers.
 */
#include "finish.h"
#include "recover.h"
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
	recover_from	SIGILL, SIGTRAP, SIGFPE, SIGSEGV
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
	add	$8, %rsp		/* the call had pushed its return address */
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

	recovery	area

	.data
	.balign	64
area:	.fill	8, 8, 1
