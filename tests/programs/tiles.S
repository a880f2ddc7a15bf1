/* flags: -Wl,-z,noexecstack */
/*
 * AMX: 512 times, two tiles of 16 rows of 64 bytes are loaded and one of 5 rows of 48 is stored.
 * loads: 1 of the configuration, 512 * (2 * 16); stores: 512 * (5 * 2) and 1 of the configuration.
 * Ends with status 1 where the kernel gives no tiles.
 */
	.text
	.globl	_start
_start:
	mov	$158, %eax		/* arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA) */
	mov	$0x1023, %edi
	mov	$18, %esi
	syscall
	test	%eax, %eax
	jnz	refused
	ldtilecfg configuration(%rip)
	mov	$matrix, %eax
	mov	$64, %ebx
	mov	$512, %ecx
again:
	tileloadd (%rax,%rbx,1), %tmm1
	tileloaddt1 (%rax,%rbx,1), %tmm2
	tdpbssd	%tmm2, %tmm1, %tmm0
	tilestored %tmm3, 8(%rax,%rbx,1)
	add	$64, %rax
	dec	%ecx
	jnz	again
	sttilecfg matrix(%rip)
	tilerelease
	xor	%edi, %edi
	mov	$231, %eax		/* exit_group */
	syscall
refused:
	mov	$1, %edi
	mov	$231, %eax
	syscall

	.section .rodata
	.balign	64
configuration:
	.byte	1, 0
	.skip	14
	.short	64, 64, 64, 48
	.skip	24
	.byte	16, 16, 16, 5
	.skip	12

	.bss
	.balign	64
matrix:
	.skip	64 * (512 + 16) + 8
