/* SPDX-License-Identifier: MIT */
/*
 * compare - checks that two recordings of a program are the same to an analyzer.
 *
 * Instructions are compared thread by thread and one by one: their address, bytes, module and
 * symbol; the kind and static target of a control transfer, and whether it is taken; and the kind,
 * form, size, address, mask, repetitions and lanes of each memory operand. Events are compared one
 * by one; each must stand between the same two instructions. The comparison ignores where blocks
 * and paths begin and end, and everything that differs between any two runs: times, pids and tids
 * (also as arguments and results), and META.
 *
 * usage: compare [--from=ORDINAL] [--count=INSTRUCTIONS] TRACE TRACE
 * Exit status: 0 the same, 1 different (the first difference is printed), 2 not comparable.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tests/recorder/compare/compare.h"

enum { SAME = 0, DIFFERENT = 1, NOT_COMPARABLE = 2 };

struct totals {
	uint64_t instructions, accesses, events;
};

struct tf_error read_error;

void give_up(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("compare: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	exit(NOT_COMPARABLE);
}

void must(int status)
{
	if (status < 0)
		give_up("%s", read_error.text);
}

/* ---- static instructions ----------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

/* Hashes the instruction's static properties, which do not depend on the block that it is in. */
static uint64_t hash_insn(const struct tf_reader *reader, const struct tf_block *b, unsigned index)
{
	const struct tf_insn *insn = &b->insns[index];
	const struct tf_module *module = tf_module(reader, b->module);
	const struct tf_symbol *symbol = tf_symbol(reader, b->module,
						   b->module_offset + insn->offset);
	bool last = index + 1 == b->n_insns;
	uint64_t numbers[] = { b->pc + insn->offset,
			       module ? b->module_offset + insn->offset : 0,
			       insn->length,
			       insn->flags,
			       last ? b->end : TF_END_NONE,
			       last ? b->target : 0,
			       insn->n_operands };
	uint64_t hash = XXH3_64bits(numbers, sizeof(numbers));

	hash = XXH3_64bits_withSeed(b->code + insn->offset, insn->length, hash);
	hash = add_text(hash, module ? module->path : "");
	if (module)
		hash = XXH3_64bits_withSeed(module->build_id, module->build_id_size, hash);
	hash = add_text(hash, symbol ? symbol->name : "");
	for (unsigned k = 0; k < insn->n_operands; k++) {
		const struct tf_operand *o = &b->operands[insn->first_operand + k];
		uint32_t facts[] = { o->access, o->form,       o->flags, o->segment,
				     o->lanes,  o->index_size, o->scale, o->size };

		hash = XXH3_64bits_withSeed(facts, sizeof(facts), hash);
	}
	return hash;
}

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		give_up("out of memory");
	return p;
}

static void open_side(struct side *s, const char *name)
{
	uint32_t n_blocks, n_insns = 0;

	s->name = name;
	must(tf_open(name, &s->reader, &read_error));
	must(tf_load(s->reader, &read_error));
	must(tf_get_info(s->reader, &s->info, &read_error));
	n_blocks = tf_n_blocks(s->reader);
	s->first_insn = allocate(n_blocks, sizeof(*s->first_insn));
	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct tf_block *b = tf_block(s->reader, i);

		s->first_insn[i] = n_insns;
		n_insns += b ? b->n_insns : 0;
	}
	s->facts = allocate(n_insns, sizeof(*s->facts));
	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct tf_block *b = tf_block(s->reader, i);

		for (unsigned k = 0; b && k < b->n_insns; k++)
			s->facts[s->first_insn[i] + k] = hash_insn(s->reader, b, k);
	}
}

static void close_side(struct side *s)
{
	free(s->first_insn);
	free(s->facts);
	tf_close(s->reader);
}

/* ---- instructions ------------------------------------------------------------------------ */

static unsigned count_extras(const struct tf_operand *o)
{
	switch (o->form) {
	case TF_MASKED:
	case TF_SIZED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1 + (o->lanes * o->index_size + 7) / 8;
	}
	return 0;
}

/* Compares the accesses of alike operands. Returns their number, or -1 if the accesses differ. */
static int64_t compare_values(const struct tf_insn_exec *a, const struct tf_insn_exec *b)
{
	const struct tf_insn *insn = &a->block->insns[a->index];
	unsigned first_a = insn->first_operand, first_b = b->block->insns[b->index].first_operand;
	int64_t accesses = 0;

	for (unsigned k = 0; k < insn->n_operands; k++) {
		const struct tf_operand *oa = &a->block->operands[first_a + k];
		const struct tf_operand *ob = &b->block->operands[first_b + k];

		if (a->values[first_a + k] != b->values[first_b + k])
			return -1;
		if (oa->form != TF_PLAIN && memcmp(&a->values[oa->extra], &b->values[ob->extra],
						   count_extras(oa) * sizeof(*a->values)) != 0)
			return -1;
		accesses += oa->form == TF_PLAIN ? 1 : (int64_t)tf_access_count(oa, a->values);
	}
	return accesses;
}

/* TF_PARTIAL leaves a branch unknown; for other instructions it means the same as TF_NOT_TAKEN. */
static bool same_outcome(const struct tf_insn_exec *a, const struct tf_insn_exec *b)
{
	bool branch = a->index + 1 == a->block->n_insns && a->block->end != TF_END_NONE;

	if (a->outcome == b->outcome)
		return true;
	if (a->outcome == TF_PARTIAL || b->outcome == TF_PARTIAL)
		return branch || (a->outcome != TF_TAKEN && b->outcome != TF_TAKEN);
	return false;
}

/* Compares as many instructions as both items have left. Returns true if they are the same. */
static bool compare_insns(struct side *a, struct side *b, struct totals *totals)
{
	for (; a->at < a->item.count && b->at < b->item.count; a->at++, b->at++) {
		const struct tf_insn_exec *ea = &a->item.insns[a->at], *eb = &b->item.insns[b->at];

		if (a->facts[a->first_insn[ea->block->id] + ea->index] !=
			    b->facts[b->first_insn[eb->block->id] + eb->index] ||
		    !same_outcome(ea, eb))
			return false;
		if (ea->block->insns[ea->index].n_operands) {
			int64_t accesses = compare_values(ea, eb);

			if (accesses < 0)
				return false;
			totals->accesses += (uint64_t)accesses;
		}
		totals->instructions++;
	}
	return true;
}

/* ---- threads ----------------------------------------------------------------------------- */

uint64_t here(const struct side *s)
{
	return s->item.ordinal + (s->item.kind == TF_ITEM_INSNS ? s->at : 0);
}

/* Makes sure that there is something at `at`. Returns false at the end. */
static bool advance(struct side *s)
{
	while (s->at == s->item.count) {
		int status = tf_next(s->cursor, &s->item, &read_error);

		must(status);
		if (status == 0)
			return false;
		s->at = 0;
		if (s->item.kind == TF_ITEM_EVENT)
			s->item.count = s->item.event->kind != TF_EVENT_TIME;
	}
	return true;
}

static bool compare_thread(struct side sides[2], const struct tf_cursor_options *options,
			   struct totals *totals)
{
	struct side *a = &sides[0], *b = &sides[1];
	bool more[2], same = true;

	for (int i = 0; i < 2; i++) {
		must(tf_cursor_open(sides[i].reader, options, &sides[i].cursor, &read_error));
		sides[i].at = sides[i].item.count = 0;
	}
	for (;;) {
		more[0] = advance(a);
		more[1] = advance(b);
		if (!more[0] && !more[1])
			break;
		if (!more[0] || !more[1] || a->item.kind != b->item.kind || here(a) != here(b)) {
			same = false;
			break;
		}
		if (a->item.kind == TF_ITEM_INSNS) {
			same = compare_insns(a, b, totals);
		} else {
			same = same_event(a, b);
			totals->events += same;
			a->at += same;
			b->at += same;
		}
		if (!same)
			break;
	}
	if (!same) {
		uint64_t ordinal = here(more[0] ? a : b);

		printf("thread %u differs at instruction %" PRIu64 "\n", options->thread, ordinal);
		print_context(a, options->thread, ordinal);
		print_place(a, !more[0]);
		print_place(b, !more[1]);
	}
	tf_cursor_close(a->cursor);
	tf_cursor_close(b->cursor);
	return same;
}

/* ---- whole traces ------------------------------------------------------------------------ */

static bool same_fact(const char *name, int64_t a, int64_t b)
{
	if (a != b)
		printf("%s: %" PRId64 " and %" PRId64 "\n", name, a, b);
	return a == b;
}

static bool same_info(const struct tf_info *a, const struct tf_info *b)
{
	bool same = true;

	same &= same_fact("threads", a->n_threads, b->n_threads);
	same &= same_fact("processes", a->n_processes, b->n_processes);
	same &= same_fact("complete", a->complete, b->complete);
	same &= same_fact("has addresses", a->has_addresses, b->has_addresses);
	same &= same_fact("wait status", a->wait_status, b->wait_status);
	same &= same_fact("loads", (int64_t)a->totals.loads, (int64_t)b->totals.loads);
	same &= same_fact("stores", (int64_t)a->totals.stores, (int64_t)b->totals.stores);
	same &= same_fact("prefetches", (int64_t)a->totals.prefetches,
			  (int64_t)b->totals.prefetches);
	same &= same_fact("repetitions", (int64_t)a->totals.repetitions,
			  (int64_t)b->totals.repetitions);
	same &= same_fact("opaque", (int64_t)a->totals.opaque, (int64_t)b->totals.opaque);
	if (strcmp(a->stop_reason, b->stop_reason) != 0) {
		printf("reason of the stop: %s and %s\n", a->stop_reason, b->stop_reason);
		same = false;
	}
	return same;
}

static uint64_t parse_number(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 0);

	if (end == text || *end)
		give_up("%s is no number", text);
	return number;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "count", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct side sides[2] = { 0 };
	struct totals totals = { 0 };
	bool same = true;
	int option;

	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES | TF_EVENTS;
	while ((option = getopt_long(argc, argv, "f:c:", names, NULL)) != -1) {
		if (option == 'f')
			options.first = parse_number(optarg);
		else if (option == 'c')
			options.count = parse_number(optarg);
		else
			return NOT_COMPARABLE;
	}
	if (argc - optind != 2)
		give_up("two traces are expected");
	open_side(&sides[0], argv[optind]);
	open_side(&sides[1], argv[optind + 1]);
	for (uint32_t t = 0; same && t < sides[0].info.n_threads && t < sides[1].info.n_threads;
	     t++) {
		options.thread = t;
		same = compare_thread(sides, &options, &totals);
	}
	/* Totals are compared last, because an instruction that differs is more informative. */
	if (same && options.first == 0 && options.count == UINT64_MAX)
		same = same_info(&sides[0].info, &sides[1].info);
	if (same)
		printf("%" PRIu64 " instructions, %" PRIu64 " accesses, %" PRIu64
		       " events identical\n",
		       totals.instructions, totals.accesses, totals.events);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return same ? SAME : DIFFERENT;
}
