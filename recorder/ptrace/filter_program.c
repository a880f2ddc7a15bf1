/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/filter_program.h"

#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

/* The registers that a filter's instructions read and write: A, X, and the words of its memory. */
enum { REGISTER_A = 1, REGISTER_X = 2, WORD_0 = 4, FARTHEST = 255 };

/* A filter that is being shortened. Jumps lead only forward. */
struct shorter {
	struct sock_filter *insns;
	size_t n;
	bool *kept;
	uint32_t *live; /* registers that are read from the beginning of each instruction on */
};

static bool is_return(const struct sock_filter *i)
{
	return BPF_CLASS(i->code) == BPF_RET;
}

static bool is_jump(const struct sock_filter *i)
{
	return BPF_CLASS(i->code) == BPF_JMP;
}

static bool is_always(const struct sock_filter *i)
{
	return is_jump(i) && BPF_OP(i->code) == BPF_JA;
}

/* Return the targets of a jump, relative to the index behind it. */
static size_t if_true(const struct sock_filter *i)
{
	return is_always(i) ? i->k : i->jt;
}

static size_t if_false(const struct sock_filter *i)
{
	return is_always(i) ? i->k : i->jf;
}

static bool same_return(const struct sock_filter *a, const struct sock_filter *b)
{
	return is_return(a) && a->code == b->code && a->k == b->k;
}

/* ---- what an instruction does ---- */

static uint32_t word(const struct sock_filter *i)
{
	return i->k < BPF_MEMWORDS ? (uint32_t)WORD_0 << i->k : 0;
}

static uint32_t writes(const struct sock_filter *i)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
	case BPF_ALU: return REGISTER_A;
	case BPF_LDX: return REGISTER_X;
	case BPF_ST:
	case BPF_STX: return word(i);
	case BPF_MISC: return BPF_MISCOP(i->code) == BPF_TAX ? REGISTER_X : REGISTER_A;
	default: return 0;
	}
}

static uint32_t reads(const struct sock_filter *i)
{
	uint32_t operand = BPF_SRC(i->code) == BPF_X ? REGISTER_X : 0;

	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
	case BPF_LDX: return BPF_MODE(i->code) == BPF_MEM ? word(i) : 0;
	case BPF_ALU: return REGISTER_A | operand;
	case BPF_JMP: return is_always(i) ? 0 : REGISTER_A | operand;
	case BPF_ST: return REGISTER_A;
	case BPF_STX: return REGISTER_X;
	case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? REGISTER_A : 0;
	default: return BPF_MISCOP(i->code) == BPF_TAX ? REGISTER_A : REGISTER_X;
	}
}

/* Returns true if an instruction may end the filter: a division by an X that is 0 does. */
static bool may_end(const struct sock_filter *i)
{
	return BPF_CLASS(i->code) == BPF_ALU && BPF_SRC(i->code) == BPF_X &&
	       (BPF_OP(i->code) == BPF_DIV || BPF_OP(i->code) == BPF_MOD);
}

/* ---- shortening ---- */

/*
 * Returns true if all jumps lead inside the filter and it cannot run beyond its last instruction.
 */
static bool is_sound(const struct shorter *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct sock_filter *insn = &s->insns[i];

		if (is_jump(insn) &&
		    (if_true(insn) >= s->n - i - 1 || if_false(insn) >= s->n - i - 1))
			return false;
	}
	return is_return(&s->insns[s->n - 1]);
}

/*
 * Returns the offset of the last return equal to the one that a branch reaches, so that the others
 * may become unreachable.
 */
static uint8_t last_alike(const struct shorter *s, size_t next, uint8_t offset)
{
	const struct sock_filter *target = &s->insns[next + offset];
	uint8_t best = offset;

	for (size_t o = offset; is_return(target) && o <= FARTHEST && next + o < s->n; o++)
		if (same_return(target, &s->insns[next + o]))
			best = (uint8_t)o;
	return best;
}

static void merge_returns(struct shorter *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sock_filter *insn = &s->insns[i];

		if (!is_jump(insn) || is_always(insn))
			continue;
		insn->jt = last_alike(s, i + 1, insn->jt);
		insn->jf = last_alike(s, i + 1, insn->jf);
	}
}

static void keep_reachable(struct shorter *s)
{
	memset(s->kept, 0, s->n * sizeof(*s->kept));
	s->kept[0] = true;
	for (size_t i = 0; i < s->n; i++) {
		const struct sock_filter *insn = &s->insns[i];

		if (!s->kept[i] || is_return(insn))
			continue;
		if (is_jump(insn))
			s->kept[i + 1 + if_true(insn)] = s->kept[i + 1 + if_false(insn)] = true;
		else
			s->kept[i + 1] = true;
	}
}

static uint32_t live_behind(const struct shorter *s, size_t i)
{
	const struct sock_filter *insn = &s->insns[i];

	if (is_return(insn))
		return 0;
	if (is_jump(insn))
		return s->live[i + 1 + if_true(insn)] | s->live[i + 1 + if_false(insn)];
	return s->live[i + 1];
}

/*
 * Drops results that are not read, jumps to the next instruction, and a return before an equal
 * one.
 */
static void drop_useless(struct shorter *s)
{
	for (size_t i = s->n; i-- > 0;) {
		const struct sock_filter *insn = &s->insns[i];
		uint32_t behind = live_behind(s, i), written = writes(insn);
		bool to_next = is_jump(insn) && !if_true(insn) && !if_false(insn);
		bool unread = written && !(written & behind) && !may_end(insn);
		bool twice = i + 1 < s->n && s->kept[i + 1] && same_return(insn, &s->insns[i + 1]);

		if (to_next || unread || twice)
			s->kept[i] = false;
		s->live[i] = to_next || unread ? behind : (behind & ~written) | reads(insn);
	}
}

/* Returns how many instructions of [from, to) are kept. */
static size_t count_kept(const struct shorter *s, size_t from, size_t to)
{
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		count += s->kept[i];
	return count;
}

static void shorten_jump(const struct shorter *s, size_t i)
{
	struct sock_filter *insn = &s->insns[i];

	if (is_always(insn)) {
		insn->k = (uint32_t)count_kept(s, i + 1, i + 1 + insn->k);
		return;
	}
	insn->jt = (uint8_t)count_kept(s, i + 1, i + 1 + insn->jt);
	insn->jf = (uint8_t)count_kept(s, i + 1, i + 1 + insn->jf);
}

static void close_up(struct shorter *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->kept[i] && is_jump(&s->insns[i]))
			shorten_jump(s, i);
	for (size_t i = 0; i < s->n; i++)
		if (s->kept[i])
			s->insns[n++] = s->insns[i];
	s->n = n;
}

static void shorten(struct shorter *s, size_t wanted)
{
	size_t before;

	do {
		before = s->n;
		merge_returns(s);
		keep_reachable(s);
		drop_useless(s);
		close_up(s);
	} while (s->n > wanted && s->n < before);
}

/* ---- the whole ---- */

static void write_prologue(struct sock_filter *out)
{
	enum { UPPER = offsetof(struct seccomp_data, instruction_pointer) + 4 };
	const struct sock_filter prologue[FILTER_PROLOGUE] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, UPPER),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(FILTER_PROGRAM_PC >> 32), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_IMM, 0), /* the value of A at the beginning of a filter */
	};

	memcpy(out, prologue, sizeof(prologue));
}

size_t filter_program_open(const struct sock_filter *filter, size_t n, struct sock_filter *out)
{
	enum { ROOM = BPF_MAXINSNS - FILTER_PROLOGUE };
	struct shorter s = { .insns = malloc(n * sizeof(*filter)),
			     .n = n,
			     .kept = calloc(n, sizeof(bool)),
			     .live = calloc(n, sizeof(uint32_t)) };
	bool fits = false;

	if (s.insns && s.kept && s.live) {
		memcpy(s.insns, filter, n * sizeof(*filter));
		if (n > ROOM && is_sound(&s))
			shorten(&s, ROOM);
		fits = s.n <= ROOM;
	}
	write_prologue(out);
	if (fits)
		memcpy(out + FILTER_PROLOGUE, s.insns, s.n * sizeof(*filter));
	free(s.insns);
	free(s.kept);
	free(s.live);
	return fits ? s.n + FILTER_PROLOGUE : 0;
}
