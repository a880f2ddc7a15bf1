/* flags: -Wl,-z,noexecstack */
/*
 * AVX2: gathers of each index and element size and length, with masks full, empty and in between,
 * negative indices, every scale; masked moves; broadcasts, extracts and inserts.
 */
#include "finish.h"
	.text
	start
	mov	$table, %ebx
	mov	$masks, %ebp
	mov	$(masks_end - masks) / 32, %r12d
again:
	.irp	vector, x, y
	.irp	scale, 1, 2, 4, 8
	.irp	kind, dd, dps
	.ifc	\kind, dd
	.set	is_int, 1
	.else
	.set	is_int, 0
	.endif
	vmovdqu	indices32(%rip), %\vector\()mm1
	vmovdqu	(%rbp), %\vector\()mm2
	.if	is_int
	vpgatherdd %\vector\()mm2, 8(%rbx,%\vector\()mm1,\scale), %\vector\()mm3
	.else
	vgatherdps %\vector\()mm2, table(,%\vector\()mm1,\scale), %\vector\()mm3
	.endif
	vpaddd	%\vector\()mm3, %\vector\()mm4, %\vector\()mm4
	vpaddd	%\vector\()mm2, %\vector\()mm4, %\vector\()mm4
	.endr
	vmovdqu	indices32(%rip), %xmm1
	vmovdqu	(%rbp), %\vector\()mm2
	vpgatherdq %\vector\()mm2, -4(%rbx,%xmm1,\scale), %\vector\()mm3
	vpaddd	%\vector\()mm3, %\vector\()mm5, %\vector\()mm5
	vmovdqu	indices64(%rip), %\vector\()mm1
	vmovdqu	(%rbp), %xmm2
	vpgatherqd %xmm2, (%ebx,%\vector\()mm1,\scale), %xmm3
	vpaddd	%xmm3, %xmm6, %xmm6
	vmovdqu	(%rbp), %\vector\()mm2
	vgatherqpd %\vector\()mm2, (%rbx,%\vector\()mm1,\scale), %\vector\()mm3
	vpaddd	%\vector\()mm3, %\vector\()mm7, %\vector\()mm7
	.endr
	.endr

	.irp	vector, x, y
	vmovdqu	(%rbp), %\vector\()mm2
	vpmaskmovd 3(%rbx), %\vector\()mm2, %\vector\()mm8
	vpmaskmovq 24(%rbx), %\vector\()mm2, %\vector\()mm9
	vmaskmovps (%rbx,%r12,8), %\vector\()mm2, %\vector\()mm10
	vmaskmovpd table(%rip), %\vector\()mm2, %\vector\()mm11
	vpmaskmovd %\vector\()mm8, %\vector\()mm2, 128(%rbx)
	vpmaskmovq %\vector\()mm9, %\vector\()mm2, 160(%rbx)
	vmaskmovps %\vector\()mm10, %\vector\()mm2, 192(%rbx)
	vmaskmovpd %\vector\()mm11, %\vector\()mm2, -64(%rbx,%r12,8)
	vpbroadcastd 4(%rbx), %\vector\()mm12
	vpbroadcastq (%rbx,%r12), %\vector\()mm13
	vmovdqu	%\vector\()mm12, 40(%rbx)
	vpsllvd	64(%rbx), %\vector\()mm2, %\vector\()mm14
	.endr
	mov	$table + 240, %edi
	movdqu	16(%rbp), %xmm2
	maskmovdqu %xmm2, %xmm8
	inc	%rdi
	vmaskmovdqu %xmm2, %xmm8
	addr32 maskmovdqu %xmm2, %xmm9
	vinserti128 $1, (%rbx), %ymm2, %ymm15
	vextracti128 $1, %ymm15, 16(%rbx)
	vbroadcasti128 (%rbx), %ymm15
	vpextrb	$3, %xmm2, 5(%rbx)
	vpextrw	$3, %xmm2, 6(%rbx)
	vpextrd	$3, %xmm2, 8(%rbx)
	vpextrq	$1, %xmm2, 16(%rbx)
	vpinsrb	$1, 16(%rbx), %xmm2, %xmm15
	vmovss	16(%rbx), %xmm0
	vmovss	%xmm0, 20(%rbx)
	vmovsd	16(%rbx), %xmm0
	vmovhps	%xmm0, 24(%rbx)
	vmovlps	32(%rbx), %xmm0, %xmm0
	vmovntdq %ymm2, 512(%rbx)
	vmovntdqa 512(%rbx), %ymm1
	vlddqu	3(%rbx), %ymm1
	vcvtps2ph $0, %ymm1, 48(%rbx)
	vcvtph2ps 48(%rbx), %ymm1
	vpmovzxbd 3(%rbx), %ymm1
	vpmovsxbq 3(%rbx), %ymm1
	vmovddup 3(%rbx), %xmm1
	vtestps	(%rbx), %ymm2
	setz	60(%rbx)
	vptest	(%rbx), %ymm2
	adc	%rax, %rax
	vucomiss 8(%rbx), %xmm2
	vzeroupper
	add	$32, %rbp
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
	.long	0, 7, -3, 2, 5, -1, 20, 3
indices64:
	.quad	4, -5, 0, 17
masks:	.quad	0, 0, 0, 0
	.quad	-1, -1, -1, -1
	.quad	0x8000000080000000, 0, 0x7fffffff7fffffff, 0x80000000
	.quad	0x7fffffff80000000, 0x8000000000000000, 0x80ff7f0080ff7f01, 0xff00ff00ff00ff
masks_end:
