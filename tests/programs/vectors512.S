/* flags: -Wl,-z,noexecstack */
/* AVX-512: mask registers, scatter, compress and expand. */
	.globl	_start
	.text
_start:
	mov	$table, %ebx
	mov	$0x8001, %eax
	kmovw	%eax, %k1
	vmovdqu32 (%rbx), %zmm0			# [load 64 @table]
	vmovdqu32 (%rbx), %zmm1{%k1}{z}		# [load 4 x2 @table,table+60]
	vmovdqu32 %zmm1, 64(%rbx){%k1}		# [store 4 x2 @table+64,table+124]
	kmovw	%k1, 128(%rbx)			# [store 2 @table+128]
	vpaddd	(%rbx){1to16}, %zmm0, %zmm0	# [load 4 @table]

	/* lanes 0 and 15 of the register are lanes 0 and 3 of memory */
	vbroadcasti32x4 (%rbx), %zmm3{%k1}	# [load 4 x2 @table,table+12]
	vpaddd	4(%rbx){1to16}, %zmm0, %zmm3{%k1}	# [load 4 x1 @table+4]

	/* 8-bit displacements count in vectors */
	vmovdqu64 %xmm0, 32(%rbx)		# [store 16 @table+32]

	/* lanes 0 and 2 of four */
	vmovdqu	indices, %ymm2			# [load 32 @indices]
	mov	$5, %eax
	kmovw	%eax, %k1
	vpscatterqd %xmm0, 8(%rbx,%ymm2,4){%k1}	# [store 4 x2 @table+12,table+16]
	kortestw %k1, %k1
	jnz	wrong
	kmovw	%eax, %k1
	vpgatherqq (%rbx,%ymm2,8), %ymm3{%k1}	# [load 8 x2 @table+8,table+16]

	/* as many elements as the mask has bits, one after the other */
	kmovw	%eax, %k1
	vpcompressd %zmm0, (%rbx){%k1}		# [store 8 @table]
	vpexpandd (%rbx), %zmm0{%k1}		# [load 8 @table]

	/* string functions of libc: compare to a mask */
	vpcmpeqb (%rbx), %ymm0, %k0		# [load 32 @table]
	kmovd	%k0, %eax

	mov	$231, %eax
	xor	%edi, %edi
	syscall					# -- syscall number=231
wrong:
	mov	$231, %eax			# never
	mov	$1, %edi			# never
	syscall					# never

	.data
	.balign	64
table:
	.fill	64, 4, 0
indices:
	.quad	1, 0, 2, -1
