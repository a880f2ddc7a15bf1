/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/event_fields.h"
#include "cli/common/trace_meta.h"
#include "tests/recorder/compare/compare.h"

enum { CONTEXT = 6 }; /* instructions printed before the first difference */

static void print_operand(const struct tf_operand *o, const struct tf_block *b,
			  const uint64_t *values)
{
	static const char *const kinds[] = { "?", "load", "store", "load-store", "prefetch" };
	enum { MOST = 16 };
	struct tf_accesses it;
	unsigned n = 0;

	printf(" [%s%s", kinds[o->access <= TF_PREFETCH ? o->access : 0],
	       o->flags & TF_IMPLICIT ? " implicit" : "");
	if (o->form == TF_REP)
		printf(" rep before %" PRIu64 " done %" PRIu64 " flags %" PRIu64, values[o->extra],
		       values[o->extra + 1], values[o->extra + 2]);
	else if (o->form != TF_PLAIN)
		printf(" form %u lanes %u extra %#" PRIx64, o->form, o->lanes, values[o->extra]);
	printf(" base %#" PRIx64 ":", values[o - b->operands]);
	for (tf_accesses_begin(&it, o, b, values); tf_accesses_next(&it) && n < MOST; n++)
		printf(" %u@%#" PRIx64, it.size, it.address);
	printf("%s]", n == MOST ? " ..." : "");
}

static void print_insn(struct tf_reader *reader, const struct tf_insn_exec *e, uint64_t ordinal)
{
	const struct tf_block *b = e->block;
	const struct tf_insn *insn = &b->insns[e->index];
	static const char *const outcomes[] = { "", " taken", " partial" };
	char text[128];

	isa_disassemble(b->code + insn->offset, insn->length, e->pc, recorded_vendor(reader),
			ISA_SYNTAX_ATT, text, sizeof(text));
	printf("%10" PRIu64 "  %" PRIx64 " ", ordinal, e->pc);
	for (unsigned i = 0; i < insn->length; i++)
		printf("%02x", b->code[insn->offset + i]);
	printf("  %s%s", text, outcomes[e->outcome]);
	for (unsigned k = 0; k < insn->n_operands; k++)
		print_operand(&b->operands[insn->first_operand + k], b, e->values);
	if (e->index + 1 == b->n_insns && b->end != TF_END_NONE)
		printf(" (end %u, target %#" PRIx64 ")", b->end, b->target);
	printf(" (block %u)\n", b->id);
}

static void print_event(const struct tf_reader *reader, const struct tf_event *event)
{
	struct event_field fields[EVENT_MAX_FIELDS];
	size_t n = event_fields(reader, event, fields);

	printf("%10" PRIu64 "  -- %s", event->ordinal, event_name(event->kind));
	for (size_t i = 0; i < n; i++) {
		const struct event_field *f = &fields[i];

		printf(" %s=", f->name);
		if (f->type == EVENT_STRING)
			fputs(f->string, stdout);
		else if (f->type == EVENT_HEX_LIST)
			for (size_t k = 0; k < f->count; k++)
				printf("%s%#" PRIx64, k ? "," : "", ((const uint64_t *)f->list)[k]);
		else if (f->type == EVENT_HEX)
			printf("%#" PRIx64, f->number);
		else if (f->type != EVENT_BYTES)
			printf("%" PRId64, f->signed_number);
	}
	putchar('\n');
}

void print_place(const struct side *s, bool at_end)
{
	printf("%s:\n", s->name);
	if (at_end)
		printf("%12s(no more)\n", "");
	else if (s->item.kind == TF_ITEM_EVENT)
		print_event(s->reader, s->item.event);
	else
		print_insn(s->reader, &s->item.insns[s->at], here(s));
}

void print_context(const struct side *s, uint32_t thread, uint64_t ordinal)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;

	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES;
	options.thread = thread;
	options.first = ordinal > CONTEXT ? ordinal - CONTEXT : 0;
	options.count = ordinal - options.first;
	must(tf_cursor_open(s->reader, &options, &cursor, &read_error));
	puts("both:");
	while (options.count && tf_next(cursor, &item, &read_error) > 0)
		for (size_t i = 0; i < item.count && item.kind == TF_ITEM_INSNS; i++)
			print_insn(s->reader, &item.insns[i], item.ordinal + i);
	tf_cursor_close(cursor);
}
