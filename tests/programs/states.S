/* flags: -Wl,-z,noexecstack */
/*
 * x87, MMX and SSE state in memory, control words, wide compare and exchange, and instructions that
 * report on the machine: what they report must not decide anything here.
 */
#include "finish.h"
	.text
	start
	mov	$2, %r12d
	mov	$area, %ebx
again:
	fninit
	fildl	(%rbx)
	filds	2(%rbx)
	fildll	8(%rbx)
	fistps	16(%rbx)
	fistl	18(%rbx)
	fistpll	24(%rbx)
	flds	32(%rbx)
	fldl	40(%rbx)
	fstps	36(%rbx)
	fstl	48(%rbx)
	fstpl	56(%rbx)
	fbld	80(%rbx)
	fbstp	80(%rbx)
	fldt	96(%rbx)
	fstpt	96(%rbx)
	fisttps	112(%rbx)
	fld1
	fadds	32(%rbx)
	fsubl	40(%rbx)
	fimuls	2(%rbx)
	fidivl	4(%rbx)
	fcoms	32(%rbx)
	fnstsw	114(%rbx)
	fnstsw	%ax
	fcompl	40(%rbx)
	fldcw	words+2(%rip)
	fnstcw	116(%rbx)
	fldcw	words
	fld1
	fldpi
	fnstenv	128(%rbx)
	fldenv	128(%rbx)
	fnsave	256(%rbx)
	frstor	256(%rbx)
	fcomip	%st(1), %st
	jp	1f
	fcmovb	%st(1), %st
1:	fxsave	512(%rbx)
	fxrstor	512(%rbx)
	fxsave64 512(%rbx)
	fxrstor64 512(%rbx)
	stmxcsr	120(%rbx)
	ldmxcsr	words+4(%rip)
	ldmxcsr	words+8(%rip)
	emms
	movq	8(%rbx), %mm0
	paddb	16(%rbx), %mm0
	movq	%mm0, 24(%rbx)
	movntq	%mm0, 32(%rbx)
	cvtps2pi 32(%rbx), %mm1
	movd	%mm1, 40(%rbx)
	emms

	/* every choice of components */
	xor	%ecx, %ecx
	.irp	components, 0, 1, 3, 7, 0xe7, -1
	mov	$\components, %eax
	xor	%edx, %edx
	mov	$space, %edi
	xsave	(%rdi)
	xsavec	4096(%rdi)
	xsaveopt (%rdi)
	xrstor	(%rdi)
	mov	$\components, %eax
	xrstor	4096(%rdi)
	xsave64 (%rdi)
	.endr

	mov	$5, %eax
	mov	$6, %ecx
	cmpxchg	%ecx, 8(%rbx)
	lock cmpxchg %cl, 8(%rbx)
	mov	8(%rbx), %ax
	cmpxchg	%cx, 8(%rbx)
	cmpxchg8b 8(%rbx)
	cmpxchg8b 8(%rbx)
	lock cmpxchg16b 16(%rbx)
	cmpxchg16b 16(%rbx)
	setz	%r13b
	xadd	%ecx, (%rbx)
	lock xadd %cl, 3(%rbx)
	xchg	%cx, 5(%rbx)
	lock btcl $5, (%rbx)
	movnti	%rcx, 64(%rbx)
	movbe	%ecx, 72(%rbx)
	crc32w	72(%rbx), %ecx
	popcnt	72(%rbx), %rax
	lzcnt	72(%rbx), %rdx
	tzcnt	72(%rbx), %si
	bsf	72(%rbx), %rdi
	adcx	(%rbx), %rax
	adox	8(%rbx), %rax
	mulx	(%rbx), %r8, %r9
	pdep	(%rbx), %r8, %r10
	pext	(%rbx), %r8, %r11
	bextr	%r8, (%rbx), %rsi
	shlx	%r8, (%rbx), %rsi
	rorx	$3, (%rbx), %rdi
	andn	(%rbx), %rdi, %rbp
	prefetchw (%rbx)
	prefetchnta 64(%rbx,%r12,8)
	clflush	(%rbx)
	sfence
	lfence
	mfence

	/* the results of these are dropped */
	mov	%rbx, %r14
	rdtsc
	lfence
	rdtscp
	xor	%eax, %eax
	cpuid
	mov	$1, %eax
	cpuid
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	mov	$0xd, %eax
	xor	%ecx, %ecx
	cpuid
	mov	$0x80000000, %eax
	cpuid
	rdrand	%rax
	rdseed	%edx
	mov	%r14, %rbx
	mov	%ds, %eax
	mov	%eax, %ecx
	mov	%cs, %edx
	mov	%ss, 76(%rbx)
	lar	%edx, %eax
	verr	%dx
	xor	%eax, %eax
	xor	%ecx, %ecx
	xor	%edx, %edx
	cmc
	lahf
	sahf
	salb	$3, (%rbx)
	rcrl	$2, 4(%rbx)
	rclb	(%rbx)
	mulb	(%rbx)
	imulw	2(%rbx)
	mov	$1, %edx
	divl	words+12(%rip)
	xor	%edx, %edx
	idivq	words+12(%rip)
	notl	(%rbx)
	negb	(%rbx)
	dec	%r12d
	jnz	again
	fninit
	finish	area, 120

	.data
	.balign	64
area:	.quad	0x0000000500030007, 0x11, 0x22, 0x33, 0x3f8000003f800000, 0x4008000000000000
	.quad	6, 7, 8, 9, 0x123456, 0, 0x8000000000000000, 0x4000, 0, 0
	.skip	1024
words:	.word	0x37f, 0x77f
	.long	0x9fc0, 0x1f80
	.quad	0x7654321
	.quad	0
	.bss
	.balign	64
space:	.skip	16384
