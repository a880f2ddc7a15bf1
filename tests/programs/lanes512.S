/* flags: -Wl,-z,noexecstack */
/*
 * AVX-512 (F, BW, DQ, VL): moves under k registers of every number of lanes, gathers and scatters,
 * compress and expand, broadcasts from memory, moves and arithmetic of k registers, extended
 * registers.
 */
#include "finish.h"
	.text
	start
	mov	$table, %ebx
	mov	$masks, %ebp
	mov	$(masks_end - masks) / 8, %r12d
again:
	kmovq	(%rbp), %k1
	kmovq	%k1, %k2
	.irp	vector, x, y, z
	.irp	size, 8, 16, 32, 64
	vmovdqu\size 3(%rbx), %\vector\()mm17{%k1}
	vmovdqu\size (%rbx), %\vector\()mm18{%k1}{z}
	vmovdqu\size %\vector\()mm17, 256(%rbx){%k1}
	.endr
	vmovaps	(%rbx), %\vector\()mm3{%k1}
	vmovupd	%\vector\()mm3, -8(%rbx,%r12,8){%k1}
	vpaddd	64(%rbx), %\vector\()mm3, %\vector\()mm4{%k1}
	vpaddq	64(%rbx){1to2}, %xmm3, %xmm4{%k1}
	vpaddb	(%rbx), %\vector\()mm3, %\vector\()mm4{%k1}{z}
	vpcmpeqb (%rbx), %\vector\()mm3, %k3{%k1}
	vpcmpeqd (%rbx), %\vector\()mm3, %k4{%k1}
	vptestmb (%rbx), %\vector\()mm3, %k5
	vpcompressd %\vector\()mm3, 320(%rbx){%k1}
	vpcompressq %\vector\()mm3, 324(%rbx){%k1}
	vpexpandd (%rbx), %\vector\()mm6{%k1}
	vpexpandq 1(%rbx), %\vector\()mm6{%k1}{z}
	vpmovqb	%\vector\()mm3, 400(%rbx){%k1}
	vpmovdw	%\vector\()mm3, 420(%rbx){%k1}
	vpmovzxbd (%rbx), %\vector\()mm20{%k1}

	/* gathers and scatters of each kind */
	vmovdqu32 indices32(%rip), %\vector\()mm1
	vpgatherdd 8(%rbx,%\vector\()mm1,4), %\vector\()mm19{%k1}
	kmovq	%k2, %k1
	vgatherdps table(,%\vector\()mm1,8), %\vector\()mm7{%k1}
	kmovq	%k2, %k1
	vpscatterdd %\vector\()mm19, 512(%rbx,%\vector\()mm1,2){%k1}
	kmovq	%k2, %k1
	vmovdqu64 indices64(%rip), %\vector\()mm31
	vgatherqpd 8(%ebx,%\vector\()mm31,1), %\vector\()mm8{%k1}
	kmovq	%k2, %k1
	vpscatterqq %\vector\()mm8, 520(%rbx,%\vector\()mm31,8){%k1}
	kmovq	%k2, %k1
	.endr
	vpgatherdq (%rbx,%ymm1,8), %zmm9{%k1}
	kmovq	%k2, %k1
	vpgatherdq (%rbx,%xmm1,8), %ymm9{%k1}
	kmovq	%k2, %k1
	vpgatherqd (%rbx,%zmm31,4), %ymm9{%k1}
	kmovq	%k2, %k1
	vpscatterqd %ymm9, 512(%rbx,%zmm31,4){%k1}
	kmovq	%k2, %k1
	vscatterdpd %zmm9, 520(%rbx,%ymm1,8){%k1}
	kmovq	%k2, %k1
	vmovsd	8(%rbx), %xmm10{%k1}
	vmovss	%xmm10, 12(%rbx){%k1}
	vaddss	8(%rbx), %xmm10, %xmm11{%k1}
	vbroadcasti32x4 (%rbx), %zmm12{%k1}
	vbroadcastf64x4 (%rbx), %zmm12{%k1}{z}
	vextracti32x4 $3, %zmm12, 440(%rbx){%k1}
	vextracti64x4 $1, %zmm12, 440(%rbx){%k1}
	vpaddd	(%rbx){1to16}, %zmm12, %zmm13{%k1}
	vaddpd	(%rbx){1to8}, %zmm12, %zmm14
	kxorq	%k6, %k6, %k6
	vpaddd	16{1to16}, %zmm12, %zmm13{%k6}	/* loads nothing */
	vbroadcasti64x2 16, %zmm13{%k6}
	vpternlogd $0x5a, 64(%rbx), %zmm12, %zmm13
	vpermt2d 64(%rbx), %zmm12, %zmm13
	vmovntdq %zmm13, 448(%rbx)
	vpbroadcastmb2q %k1, %zmm15
	kmovb	%k3, 9(%rbx)
	kmovw	%k4, 10(%rbx)
	kmovd	%k3, 12(%rbx)
	kmovq	%k5, 16(%rbx)
	kmovb	9(%rbx), %k3
	kmovw	10(%rbx), %k4
	kmovd	12(%rbx), %k6
	kunpckdq %k4, %k6, %k7
	kshiftrq $5, %k7, %k6
	kandnq	%k6, %k7, %k5
	kmovq	%k5, %rax
	add	%rax, %r13
	kortestq %k5, %k6
	adc	%rax, %r13
	ktestd	%k5, %k4
	jz	1f
	kmovd	%k6, %eax
	add	%rax, %r14
1:	vpxorq	%zmm31, %zmm12, %zmm0
	add	$8, %rbp
	dec	%r12d
	jnz	again
	finish	table, 1024

	.data
	.balign	64
	.fill	256, 1, 7
table:	.set	value, 1
	.rept	128
	.quad	value * 0x0103050701020305
	.set	value, value + 5
	.endr
indices32:
	.long	0, 7, -3, 2, 5, -1, 20, 3, 9, -8, 11, 12, 1, 14, 15, 16
indices64:
	.quad	4, -5, 0, 17, 2, 3, -9, 10
masks:	.quad	0, -1, 1, 0x8000000000000000, 0x5a5a, 0xa5a5a5a5a5a5a5a5, 0x80, 0xff00
masks_end:
