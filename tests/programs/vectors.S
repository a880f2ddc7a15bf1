/* flags: -Wl,-z,noexecstack */
/* AVX2: operands of which only some lanes touch memory. */
	.globl	_start
	.text
_start:
	mov	$table, %ebx
	vmovdqu	(%rbx), %ymm0			# [load 32 @table]
	vmovdqu	%xmm0, 48(%rbx)			# [store 16 @table+48]

	/* lanes 0, 2 and 3; the index of lane 3 is -1 */
	vmovdqu	indices, %xmm1			# [load 16 @indices]
	vmovdqu	lanes_023, %xmm2		# [load 16 @lanes_023]
	vpgatherdd %xmm2, 8(%rbx,%xmm1,4), %xmm3	# [load 4 x3 @table+12,table+16,table+4]

	/* the processor has cleared the mask: no lane is left */
	vpgatherdd %xmm2, 8(%rbx,%xmm1,4), %xmm3	# [load 4 x0 @]

	/* four 64-bit elements by 32-bit indices */
	vpcmpeqd %ymm2, %ymm2, %ymm2
	vpgatherdq %ymm2, (%rbx,%xmm1,8), %ymm3	# [load 8 x4 @table+8,table,table+16,table-8]

	/* each lane on an untouched page: still one execution */
	vmovdqu	pages_apart, %xmm1		# [load 16 @pages_apart]
	vpcmpeqd %xmm2, %xmm2, %xmm2
	mov	$untouched, %ecx
	vpgatherdd %xmm2, (%rcx,%xmm1,4), %xmm3	# [load 4 x4 @untouched,untouched+4096,untouched+8192,untouched+12288]

	/* masked moves */
	vmovdqu	lanes_023, %xmm2		# [load 16 @lanes_023]
	vpmaskmovd (%rbx), %xmm2, %xmm3		# [load 4 x3 @table,table+8,table+12]
	vmaskmovps %xmm3, %xmm2, 64(%rbx)	# [store 4 x3 @table+64,table+72,table+76]
	vpxor	%xmm2, %xmm2, %xmm2
	vmaskmovps %xmm3, %xmm2, 64(%rbx)	# [store 4 x0 @]
	vmovdqu	byte_5, %xmm2			# [load 16 @byte_5]
	mov	$table+80, %edi
	vmaskmovdqu %xmm2, %xmm3		# [store 1 x1 @table+85]
	movq	byte_5, %mm1			# [load 8 @byte_5]
	maskmovq %mm1, %mm0			# [store 1 x1 @table+85]
	emms
	/* with another top of the x87 stack, which numbers its state */
	fldz
	fldz
	maskmovq %mm1, %mm0			# [store 1 x1 @table+85]
	emms
	vpbroadcastb 3(%rbx), %ymm4		# [load 1 @table+3]

	/* only x87 and SSE state */
	mov	$3, %eax
	xor	%edx, %edx
	xsave	area				# [store 576 @area]
	xrstor	area				# [load 576 @area] -- control-word which=x87 -- control-word which=mxcsr

	mov	$231, %eax
	xor	%edi, %edi
	syscall					# -- syscall number=231

	.data
	.balign	64
	.quad	0
	.balign	64
table:
	.fill	64, 4, 0
indices:
	.long	1, 0, 2, -1
lanes_023:
	.long	-1, 0, -1, -1
pages_apart:
	.long	0, 1024, 2048, 3072
byte_5:
	.byte	0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.bss
	.balign	64
area:
	.skip	4096
	.balign	4096
untouched:
	.skip	16384
