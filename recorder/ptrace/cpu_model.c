/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/cpu_model.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "recorder/core/opcode.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/schedule.h"

enum { NATIVE, V2 = 2, V3, V4 };

/* Features, as bits of cpuid's answers. */
enum {
	LEAF1_EDX = 1 << 0 | 1 << 4 | 1 << 8 | 1 << 15 | 1 << 19 | 1 << 23 | 1 << 24 | 1 << 25 |
		    1 << 26, /* fpu tsc cx8 cmov clfsh mmx fxsr sse sse2 */
	LEAF1_ECX_V2 = 1 << 0 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23,
	/* sse3 ssse3 cx16 sse4_1 sse4_2 popcnt */
	LEAF1_ECX_V3 = 1 << 12 | 1 << 22 | 1 << 26 | 1 << 27 | 1 << 28 | 1 << 29,
	/* fma movbe xsave osxsave avx f16c */
	LEAF7_EBX_V3 = 1 << 3 | 1 << 5 | 1 << 8,  /* bmi1 avx2 bmi2 */
	LEAF81_ECX_V2 = 1 << 0,                   /* lahf */
	LEAF81_ECX_V3 = 1 << 5,                   /* lzcnt */
	LEAF81_EDX = 1 << 11 | 1 << 20 | 1 << 29, /* syscall nx lm */
	XCR0_V3 = 7,
	XCR0_V4 = 0xe7, /* x87 sse avx, opmask zmm */
};
/* avx512f dq cd bw vl */
static const uint32_t leaf7_ebx_v4 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;

/* clang-format off */
static const struct { const char *name; int level; } levels[] = {
	{ "native", NATIVE }, { "x86-64-v2", V2 }, { "x86-64-v3", V3 }, { "x86-64-v4", V4 },
};
/* clang-format on */

int cpu_model_level(const char *name)
{
	for (unsigned i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (strcmp(levels[i].name, name) == 0)
			return levels[i].level;
	return -1;
}

static uint64_t xcr0(int level)
{
	return level >= V4 ? XCR0_V4 : level >= V3 ? XCR0_V3 : 0;
}

/* ---- cpuid ---- */

/*
 * Returns the sizes and places of the level's xsave components, which are the real processor's.
 * The total size is also the real one, as xsave may be given a mask with more components: the mask
 * of the C library is a constant.
 */
static struct cpu_leaf xsave_leaf(int level, uint32_t sub)
{
	enum { FIRST = 2 };
	struct cpu_leaf l = cpu_leaf_read(0xd, sub);

	if (!xcr0(level) || sub == 1 || sub >= 64 || (sub >= FIRST && !(xcr0(level) >> sub & 1)))
		return (struct cpu_leaf){ 0 };
	if (sub == 0) {
		l.eax = (uint32_t)xcr0(level);
		l.edx = 0;
	}
	return l;
}

static struct cpu_leaf text_leaf(int level, uint32_t part)
{
	char text[48] = "";
	struct cpu_leaf l;

	snprintf(text, sizeof(text), "tracelab x86-64-v%d", level);
	memcpy(&l, text + part * sizeof(l), sizeof(l));
	return l;
}

/* Returns a cache with 64-byte lines: type (1 data, 2 code, 3 both), level, ways and sets. */
static struct cpu_leaf cache_leaf(uint32_t sub)
{
	static const struct {
		uint8_t type, level, ways;
		uint16_t sets;
	} caches[] = {
		{ 1, 1, 8, 64 },
		{ 2, 1, 8, 64 },
		{ 3, 2, 16, 1024 },
		{ 3, 3, 16, 8192 },
	};
	enum { SELF_INITIALIZING = 1 << 8, LINE = 64 };

	if (sub >= sizeof(caches) / sizeof(*caches))
		return (struct cpu_leaf){ 0 };
	return (struct cpu_leaf){
		.eax = SELF_INITIALIZING | (uint32_t)caches[sub].level << 5 | caches[sub].type,
		.ebx = (caches[sub].ways - 1u) << 22 | (LINE - 1),
		.ecx = caches[sub].sets - 1u,
	};
}

/* Returns the model's answer to cpuid; a missing leaf is 0. */
static struct cpu_leaf answer(int level, uint32_t number, uint32_t sub)
{
	enum { SKYLAKE = 0x506e3, SKYLAKE_SERVER = 0x50654, CLFLUSH_64 = 8 << 8 };
	enum { SEE_LEAF_4 = 0xff01 };
	struct cpu_leaf l = { 0, 0, 0, 0 };

	switch (number) {
	case 0:
		l.eax = 0xd;
		memcpy(&l.ebx, "Genu", 4);
		memcpy(&l.edx, "ineI", 4);
		memcpy(&l.ecx, "ntel", 4);
		break;
	case 1:
		l = (struct cpu_leaf){ level >= V4 ? SKYLAKE_SERVER : SKYLAKE, CLFLUSH_64,
				       LEAF1_ECX_V2 | (level >= V3 ? LEAF1_ECX_V3 : 0), LEAF1_EDX };
		break;
	case 2: l.eax = SEE_LEAF_4; break;
	case 4: return cache_leaf(sub);
	case 7:
		if (sub == 0)
			l.ebx = (level >= V3 ? LEAF7_EBX_V3 : 0) | (level >= V4 ? leaf7_ebx_v4 : 0);
		break;
	case 0xd: return xsave_leaf(level, sub);
	case 0x80000000: l.eax = 0x80000008; break;
	case 0x80000001:
		l.ecx = LEAF81_ECX_V2 | (level >= V3 ? LEAF81_ECX_V3 : 0);
		l.edx = LEAF81_EDX;
		break;
	case 0x80000002 ... 0x80000004: return text_leaf(level, number - 0x80000002);
	case 0x80000008:
		l.eax = 48 << 8 | 48; /* bits of addresses */
		break;
	}
	return l;
}

static bool has(uint32_t real_bits, uint32_t needed)
{
	return (real_bits & needed) == needed;
}

int cpu_model_check(struct session *s)
{
	static const uint32_t feature_leaves[] = { 1, 7, 0x80000001 };
	struct cpu_leaf features = cpu_leaf_read(7, 0);
	int level = s->options->cpu;

	s->processor.transactions = transactions_are_reported(&features);
	if (level == NATIVE)
		return 0;
	for (unsigned i = 0; i < sizeof(feature_leaves) / sizeof(*feature_leaves); i++) {
		struct cpu_leaf is = cpu_leaf_read(feature_leaves[i], 0);
		struct cpu_leaf wanted = answer(level, feature_leaves[i], 0);

		if (feature_leaves[i] == 1)
			wanted.ebx = 0;
		if (!has(is.ebx, wanted.ebx) || !has(is.ecx, wanted.ecx) ||
		    !has(is.edx, wanted.edx))
			return session_fail(
				s, TF_E_ARGUMENT,
				"--cpu=x86-64-v%d: this machine's "
				"processor lacks features of this level; choose a lower one",
				level);
	}
	return 0;
}

/* ---- instructions ---- */

static bool is_cpuid(const uint8_t *code, unsigned length)
{
	unsigned at = opcode_prefixes(code, length);

	return length == at + 2 && code[at] == 0x0f && code[at + 1] == 0xa2;
}

static bool is_xgetbv(const uint8_t *code, unsigned length)
{
	return length >= 3 && memcmp(code + length - 3, "\x0f\x01\xd0", 3) == 0;
}

bool cpu_model_is_asked(const struct session *s, const struct code_block *b)
{
	bool all = s->options->cpu != NATIVE;

	if (!all && !s->processor.transactions)
		return false;
	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		const struct tf_insn *insn = &b->trace.insns[i];
		const uint8_t *code = b->trace.code + insn->offset;

		if (is_cpuid(code, insn->length) || (all && is_xgetbv(code, insn->length)))
			return true;
	}
	return false;
}

static void set_leaf(struct task *t, const struct cpu_leaf *l)
{
	t->regs.rax = l->eax;
	t->regs.rbx = l->ebx;
	t->regs.rcx = l->ecx;
	t->regs.rdx = l->edx;
}

bool cpu_model_executes(struct task *t, const uint8_t *code, unsigned length)
{
	struct cpu_leaf l;

	if (t->limits.no_cpuid || !is_cpuid(code, length))
		return false;
	schedule_confine(t);
	l = cpu_leaf_ask((uint32_t)t->regs.rax, (uint32_t)t->regs.rcx);
	set_leaf(t, &l);
	t->regs.rip += length;
	return task_write_regs(t);
}

bool cpu_model_aborts(struct task *t, const uint8_t *code, unsigned length, uint64_t fallback)
{
	if (!t->session->processor.transactions || !transactions_begin(code, length))
		return false;
	t->regs.rax = 0; /* abort status 0: a retry will not succeed */
	t->regs.rip = fallback;
	return task_write_regs(t);
}

static struct cpu_leaf leaf_of(const struct task *t)
{
	const struct user_regs_struct *r = &t->regs;

	return (struct cpu_leaf){ (uint32_t)r->rax, (uint32_t)r->rbx, (uint32_t)r->rcx,
				  (uint32_t)r->rdx };
}

void cpu_model_answer(struct task *t, const uint8_t *code, unsigned length, uint64_t rax,
		      uint64_t rcx)
{
	int level = t->session->options->cpu;
	struct cpu_leaf l;

	if (is_cpuid(code, length)) {
		l = level == NATIVE ? leaf_of(t) : answer(level, (uint32_t)rax, (uint32_t)rcx);
		transactions_hide((uint32_t)rax, (uint32_t)rcx, &l);
		set_leaf(t, &l);
	} else if (level != NATIVE && length == 3 && is_xgetbv(code, length)) {
		t->regs.rax &= xcr0(level);
		t->regs.rdx = 0;
	} else {
		return;
	}
	task_write_regs(t);
}

/* ---- the auxiliary vector ---- */

/* Reads the next word of the stack; 0 if it is unreadable. */
static uint64_t take(const struct task *t, uint64_t *at)
{
	uint64_t word = 0;

	task_read(t, *at, &word, sizeof(word));
	*at += sizeof(word);
	return word;
}

void cpu_model_begin(struct task *t)
{
	uint64_t at = t->regs.rsp, type;

	if (t->session->options->cpu == NATIVE)
		return;
	at += (take(t, &at) + 1) * sizeof(uint64_t); /* argc, argv and its NULL */
	while (take(t, &at))
		; /* the environment */
	while ((type = take(t, &at)) != AT_NULL) {
		uint64_t hwcap = LEAF1_EDX, hwcap2 = 0;

		if (type == AT_HWCAP)
			task_write(t, at, &hwcap, sizeof(hwcap));
		if (type == AT_HWCAP2)
			task_write(t, at, &hwcap2, sizeof(hwcap2));
		at += sizeof(uint64_t);
	}
}

/* ---- transactions ---- */

enum {
	FEATURES = 7, /* the leaf */
	EBX_HLE = 1 << 4,
	EBX_RTM = 1 << 11,
	EDX_RTM_ALWAYS_ABORT = 1 << 11,
	EDX_TSX_FORCE_ABORT = 1 << 13,
	EBX = EBX_HLE | EBX_RTM,
	EDX = EDX_RTM_ALWAYS_ABORT | EDX_TSX_FORCE_ABORT,
};

bool transactions_are_reported(const struct cpu_leaf *l)
{
	return l->ebx & EBX || l->edx & EDX;
}

void transactions_hide(uint32_t number, uint32_t sub, struct cpu_leaf *l)
{
	if (number != FEATURES || sub != 0)
		return;
	l->ebx &= ~(uint32_t)EBX;
	l->edx &= ~(uint32_t)EDX;
}

bool transactions_begin(const uint8_t *code, unsigned length)
{
	enum { GROUP_11 = 0xc7, XBEGIN = 0xf8 };
	unsigned at = opcode_prefixes(code, length);

	return at + 1 < length && code[at] == GROUP_11 && code[at + 1] == XBEGIN;
}
