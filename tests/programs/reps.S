/* flags: -Wl,-z,noexecstack */
/*
 * String instructions: each kind, size, direction and prefix, counts of 0, 1 and more, of 64 and 32
 * bits, comparisons that end early, at the end and not at all, through fs, back to back, in a loop, and with
 * the flags that they leave or keep used afterwards.
 */
#include "finish.h"
	.text
	/* \prefix \insn with count, in both directions and with 32-bit registers */
	.macro	string	prefix, insn, count
	.irp	direction, cld, std
	mov	$area + 512, %esi
	mov	$area + 1024, %edi
	mov	$\count, %ecx
	mov	%rdi, %rax
	cmp	%ecx, %esi
	\direction
	\prefix \insn
	adc	%rcx, %r12
	movabs	$0x500000000 + area + 640, %rsi
	movabs	$0x600000000 + area + 1152, %rdi
	movabs	$0x700000000 + \count, %rcx
	addr32 \prefix \insn
	lahf
	cld
	add	%rsi, %r13
	add	%rdi, %r14
	add	%rcx, %r12
	add	%rax, %r15
	.endr
	.endm

	/* \cmp finds equal bytes up to `equal` elements */
	.macro	search	insn, size, equal
	.irp	prefix, repe, repne
	.irp	direction, 1, -1
	mov	$pattern + 256, %esi
	mov	$pattern + 512, %edi
	.if	\direction < 0
	std
	.endif
	mov	$20, %ecx
	xor	%eax, %eax
	movb	$\equal, 256 + pattern + \direction * \size * \equal
	\prefix \insn
	sete	%al
	adc	%rcx, %r12
	lea	(%rax,%r13,2), %r13
	mov	$3, %ecx
	\prefix \insn
	jb	1f
	add	%rsi, %r14
1:	ja	2f
	add	%rdi, %r14
2:	mov	$0, %ecx
	cmp	%rsp, %rsp		/* a count of 0 keeps the flags */
	\prefix \insn
	jne	wrong
	cld
	movb	$0, 256 + pattern + \direction * \size * \equal
	.endr
	.endr
	.endm

	start
	mov	$158, %eax		/* arch_prctl(ARCH_SET_FS) */
	mov	$0x1002, %edi
	mov	$area, %esi
	syscall

	.irp	insn, movsb, movsw, movsl, movsq, stosb, stosw, stosl, stosq, lodsb, lodsw, lodsl, lodsq
	string	rep, \insn, 0
	string	rep, \insn, 1
	string	rep, \insn, 5
	string	repne, \insn, 2	/* the same as rep */
	string	"", \insn, 3
	.endr
	string	rep, movsb, 100
	string	rep, stosb, 400
	.irp	insn, cmpsb, cmpsw, cmpsl, cmpsq, scasb, scasw, scasl, scasq
	string	repe, \insn, 0
	string	repe, \insn, 1
	string	repne, \insn, 7
	string	"", \insn, 3
	.endr
	.irp	equal, 0, 1, 7, 19
	search	cmpsb, 1, \equal
	search	cmpsw, 2, \equal
	search	cmpsl, 4, \equal
	search	cmpsq, 8, \equal
	.endr

	/* overlapping, byte by byte */
	mov	$area + 100, %esi
	mov	$area + 101, %edi
	mov	$50, %ecx
	rep movsb
	mov	$area + 200, %esi
	mov	$area + 199, %edi
	mov	$50, %ecx
	std
	rep movsb
	cld

	/* through fs */
	mov	$16, %esi
	mov	$area + 300, %edi
	mov	$3, %ecx
	fs rep movsw
	mov	$2, %ecx
	fs rep lodsl
	fs lodsq
	mov	$2, %ecx
	mov	$area + 300, %edi
	fs repe cmpsb
	fs movsb
	fs cmpsw

	/* in a loop, back to back, entered by a jump */
	mov	$4, %ebx
	mov	$area + 400, %edi
3:	mov	%ebx, %ecx
	rep stosb
	mov	%ebx, %ecx
	rep stosw
	rep stosw
	mov	$area + 16, %esi
	lea	-1(%rbx), %ecx
	jmp	4f
	nop
4:	rep movsb
	dec	%ebx
	jnz	3b
	finish	area, 2048
wrong:	ud2

	.data
	.balign	64
area:	.set	value, 1
	.rept	256
	.quad	value * 0x0301020103010201
	.set	value, value + 3
	.endr
pattern:
	.skip	1024, 0
