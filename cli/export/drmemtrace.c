/* SPDX-License-Identifier: MIT */
/*
 * drmemtrace, the offline traces of DynamoRIO, as its tools read them: a folder with a file for
 * each thread. An instruction is a record of its code bytes, unless the chunk has them, then for an
 * indirect branch its target, the record of the instruction, and one for each access: loads, then
 * stores.
 *
 * DynamoRIO's invariant checker decodes each instruction and counts its accesses. It takes a masked
 * operand of AVX-512 for one access, whatever the mask.
 */
#include <string.h>

#include "cli/common/checked.h"
#include "cli/export/drmemtrace_file.h"
#include "cli/export/formats.h"

enum { EVEX = 0x62 };

static void fill_entry(void *to, const struct insn_facts *f, const void *opaque)
{
	static const struct {
		const char *iclass;
		uint8_t type;
	} prefetches[] = {
		{ "PREFETCHNTA", DRMEMTRACE_PREFETCHNTA },
		{ "PREFETCHT0", DRMEMTRACE_PREFETCHT0 },
		{ "PREFETCHT1", DRMEMTRACE_PREFETCHT1 },
		{ "PREFETCHT2", DRMEMTRACE_PREFETCHT2 },
	};
	const struct export_options *options = opaque;
	struct drmemtrace_entry *entry = to;

	entry->prefetch = DRMEMTRACE_PREFETCH;
	if (options->regdeps)
		entry->regdeps = regdeps_make(f);
	if (!f->known)
		return;
	for (size_t i = 0; i < sizeof(prefetches) / sizeof(*prefetches); i++)
		if (!strcmp(f->facts.iclass, prefetches[i].iclass))
			entry->prefetch = prefetches[i].type;
	entry->flushes = !strncmp(f->facts.iclass, "CLFLUSH", strlen("CLFLUSH")) ||
			 !strcmp(f->facts.iclass, "CLWB") || !strcmp(f->facts.iclass, "CLDEMOTE");
	entry->evex = f->code && f->code[f->effects.opcode] == EVEX;
	entry->sysenter = !strcmp(f->facts.iclass, "SYSENTER");
	if (f->insn.n_operands && f->insn.operands[0].address.size_source == ISA_SIZE_LANES)
		entry->whole_size = (uint8_t)(f->insn.operands[0].address.mask_lanes *
					      f->insn.operands[0].address.mask_element);
}

/* ---- the instruction --------------------------------------------------------------------- */

static unsigned type_of(const struct drmemtrace_entry *entry, const struct linear_insn *insn)
{
	switch (insn->end) {
	case TF_END_CONDITIONAL:
		if (!linear_is_branch(insn))
			return DRMEMTRACE_INSTR;
		return insn->taken ? DRMEMTRACE_INSTR_TAKEN_JUMP : DRMEMTRACE_INSTR_UNTAKEN_JUMP;
	case TF_END_JUMP: return DRMEMTRACE_INSTR_DIRECT_JUMP;
	case TF_END_INDIRECT_JUMP: return DRMEMTRACE_INSTR_INDIRECT_JUMP;
	case TF_END_CALL: return DRMEMTRACE_INSTR_DIRECT_CALL;
	case TF_END_INDIRECT_CALL: return DRMEMTRACE_INSTR_INDIRECT_CALL;
	case TF_END_RETURN: return DRMEMTRACE_INSTR_RETURN;
	default: return entry->sysenter ? DRMEMTRACE_INSTR_SYSENTER : DRMEMTRACE_INSTR;
	}
}

static bool is_indirect(unsigned type)
{
	return type == DRMEMTRACE_INSTR_INDIRECT_JUMP || type == DRMEMTRACE_INSTR_INDIRECT_CALL ||
	       type == DRMEMTRACE_INSTR_RETURN;
}

static struct drmemtrace_place *place_of(struct drmemtrace_state *s, struct drmemtrace_entry *entry,
					 uint64_t pc)
{
	if (!entry->place_number) {
		struct drmemtrace_place *place = checked(TABLE_PUT(s->places, pc));

		entry->place_number = (uint32_t)(place - s->places.at) + 1;
	}
	return &s->places.at[entry->place_number - 1];
}

static void put_encoding(struct export_run *e, const uint8_t *code, uint8_t length)
{
	for (uint8_t at = 0; at < length; at += DRMEMTRACE_ENCODING_BYTES) {
		uint8_t rest = length - at;
		uint8_t size = rest < DRMEMTRACE_ENCODING_BYTES ? rest : DRMEMTRACE_ENCODING_BYTES;
		uint64_t bytes = 0;

		memcpy(&bytes, code + at, size);
		drmemtrace_put(e, DRMEMTRACE_ENCODING, size, bytes, false);
	}
}

/* Returns true if the last bytes that this chunk has for the address are those. */
static bool has_code(struct drmemtrace_state *s, const struct drmemtrace_place *place,
		     const uint8_t *code, uint8_t length)
{
	bool same;

	if (!place->code)
		return false;
	same = place->length == length && !memcmp(place->code, code, length);
	s->code_changes = s->code_changes || !same;
	return same && place->chunk == s->chunk;
}

/* Writes the code bytes, unless this chunk has them. */
static void put_code(struct export_run *e, struct drmemtrace_entry *entry,
		     const struct linear_insn *insn)
{
	struct drmemtrace_state *s = e->state;
	bool regdeps = e->options->regdeps;
	const uint8_t *code = regdeps ? entry->regdeps.bytes : insn->code;
	uint8_t length = regdeps ? entry->regdeps.size : insn->insn->length;
	struct drmemtrace_place *place;

	if (entry->written_chunk == s->chunk + 1 && !s->code_changes)
		return;
	place = place_of(s, entry, insn->pc);
	entry->written_chunk = s->chunk + 1;
	if (has_code(s, place, code, length))
		return;
	place->code = code;
	place->length = length;
	place->chunk = s->chunk;
	put_encoding(e, code, length);
}

static void put_head(struct export_run *e, struct drmemtrace_entry *entry,
		     const struct linear_insn *insn, unsigned type)
{
	drmemtrace_before_insn(e, insn->ordinal, insn->pc);
	put_code(e, entry, insn);
	if (is_indirect(type))
		drmemtrace_put(e, DRMEMTRACE_MARKER, DRMEMTRACE_BRANCH_TARGET, insn->next, false);
	drmemtrace_put(e, type, insn->insn->length, insn->pc, true);
	if (e->options->v2p_seed != DRMEMTRACE_NO_SEED)
		drmemtrace_use_pages(e->shared, insn->pc, insn->insn->length);
	drmemtrace_enter(e->state, insn);
	e->lost[LOSS_FLUSHES] += entry->flushes;
	e->lost[LOSS_REGISTERS] += entry->regdeps.lost;
}

static uint64_t expected_next(const struct linear_insn *insn, unsigned type)
{
	switch (type) {
	case DRMEMTRACE_INSTR_TAKEN_JUMP:
	case DRMEMTRACE_INSTR_DIRECT_JUMP:
	case DRMEMTRACE_INSTR_DIRECT_CALL: return insn->block->target;
	case DRMEMTRACE_INSTR_INDIRECT_JUMP:
	case DRMEMTRACE_INSTR_INDIRECT_CALL:
	case DRMEMTRACE_INSTR_RETURN: return insn->next;
	default: return insn->pc + insn->insn->length;
	}
}

static void set_last(struct export_run *e, const struct linear_insn *insn, unsigned type)
{
	struct drmemtrace_state *s = e->state;

	s->last = (struct drmemtrace_last){
		.pc = insn->pc,
		.expected = expected_next(insn, type),
		.length = insn->insn->length,
		.exists = true,
		.branch = type != DRMEMTRACE_INSTR && type != DRMEMTRACE_INSTR_SYSENTER,
		.repeats = insn->insn->flags & TF_INSN_REP,
		.syscall = insn->end == TF_END_SYSCALL,
	};
	s->gap = !insn->next;
	if (e->options->functions)
		drmemtrace_follow_calls(s, type, insn->pc + insn->insn->length);
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void put_data(struct export_run *e, unsigned type, uint64_t address, uint64_t size)
{
	if (e->options->v2p_seed != DRMEMTRACE_NO_SEED)
		drmemtrace_use_pages(e->shared, address, size);
	do {
		uint64_t part = size < DRMEMTRACE_MAX_SIZE ? size : DRMEMTRACE_MAX_SIZE;

		drmemtrace_put(e, type, (unsigned)part, address, true);
		address += part;
		size -= part;
	} while (size);
}

static void put_group(struct export_run *e, const struct drmemtrace_entry *entry)
{
	const struct drmemtrace_state *s = e->state;
	unsigned all = 0;

	for (size_t i = 0; i < s->group.count; i++) {
		const struct linear_access *a = &s->group.at[i];

		if (a->access & TF_PREFETCH)
			put_data(e, entry->prefetch, a->address, 1);
		if (a->access & TF_LOAD)
			put_data(e, DRMEMTRACE_READ, a->address, a->size);
		all |= a->access;
	}
	for (size_t i = 0; i < s->group.count && (all & TF_STORE); i++)
		if (s->group.at[i].access & TF_STORE)
			put_data(e, DRMEMTRACE_WRITE, s->group.at[i].address, s->group.at[i].size);
}

static void add_access(struct drmemtrace_state *s, const struct linear_access *a)
{
	CHECKED_RESERVE(s->group, s->group.count + 1);
	s->group.at[s->group.count++] = *a;
}

/* Writes the accesses of each repetition, and a record of the instruction before all but one. */
static void put_repetitions(struct export_run *e, const struct drmemtrace_entry *entry,
			    const struct linear_insn *insn, bool continued)
{
	struct drmemtrace_state *s = e->state;
	uint64_t repetition = continued ? UINT64_MAX : 0;
	struct linear_accesses it;

	s->group.count = 0;
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		if (it.now.repetition != repetition) {
			put_group(e, entry);
			s->group.count = 0;
			drmemtrace_put(e, DRMEMTRACE_INSTR_NO_FETCH, insn->insn->length, insn->pc,
				       true);
			repetition = it.now.repetition;
		}
		add_access(s, &it.now);
	}
	put_group(e, entry);
}

/* Makes one access of a masked operand of AVX-512, whatever its mask, or of all its lanes. */
static void add_whole(struct drmemtrace_state *s, const struct drmemtrace_entry *entry,
		      const struct linear_insn *insn, unsigned n)
{
	const struct tf_operand *o = &insn->block->operands[insn->insn->first_operand + n];
	struct linear_access a = {
		.address = insn->values[insn->insn->first_operand + n],
		.access = o->access,
		.size = entry->whole_size ? entry->whole_size : o->size * o->lanes,
	};

	add_access(s, &a);
}

/* Returns true if the operand is written as one access. */
static bool is_whole(const struct export_run *e, const struct drmemtrace_entry *entry,
		     const struct tf_operand *o)
{
	return !e->options->lanes && entry->evex &&
	       (o->form == TF_MASKED || (o->form == TF_SIZED && entry->whole_size));
}

/* Writes the access of an operand that is the only one. */
static void put_lone(struct export_run *e, const struct drmemtrace_entry *entry,
		     const struct tf_operand *o, uint64_t address)
{
	if (o->access & TF_PREFETCH)
		put_data(e, entry->prefetch, address, 1);
	if (o->access & TF_LOAD)
		put_data(e, DRMEMTRACE_READ, address, o->size);
	if (o->access & TF_STORE)
		put_data(e, DRMEMTRACE_WRITE, address, o->size);
}

static void put_accesses(struct export_run *e, const struct drmemtrace_entry *entry,
			 const struct linear_insn *insn)
{
	const struct tf_operand *first = &insn->block->operands[insn->insn->first_operand];
	struct drmemtrace_state *s = e->state;

	if (insn->insn->n_operands == 1 && first->form == TF_PLAIN) {
		put_lone(e, entry, first, insn->values[insn->insn->first_operand]);
		return;
	}
	s->group.count = 0;
	for (unsigned n = 0; n < insn->insn->n_operands; n++) {
		const struct tf_operand *o = &insn->block->operands[insn->insn->first_operand + n];
		struct tf_accesses it;

		if (is_whole(e, entry, o)) {
			add_whole(s, entry, insn, n);
			continue;
		}
		tf_accesses_begin(&it, o, insn->block, insn->values);
		while (tf_accesses_next(&it))
			add_access(s, &(struct linear_access){ .address = it.address,
							       .size = it.size,
							       .access = o->access });
	}
	put_group(e, entry);
}

static void put_data_of(struct export_run *e, const struct drmemtrace_entry *entry,
			const struct linear_insn *insn, bool continued)
{
	if (!insn->values || !insn->insn->n_operands)
		return;
	if (insn->insn->flags & TF_INSN_REP)
		put_repetitions(e, entry, insn, continued);
	else
		put_accesses(e, entry, insn);
}

/* ---- the format -------------------------------------------------------------------------- */

/* Returns true if a rep instruction goes on that was left without a signal to the program. */
static bool is_continued(const struct drmemtrace_state *s, const struct linear_insn *insn)
{
	return (insn->insn->flags & TF_INSN_REP) && s->last.repeats && s->last.pc == insn->pc &&
	       !s->kernel && !s->gap;
}

static void put_insn(struct export_run *e, const struct linear_insn *insn)
{
	struct drmemtrace_state *s = e->state;
	struct drmemtrace_entry *entry = insn_cache_get(s->insns, insn);
	unsigned type = type_of(entry, insn);
	bool continued = is_continued(s, insn);

	if (!insn->next && (is_indirect(type) || type == DRMEMTRACE_INSTR_TAKEN_JUMP ||
			    type == DRMEMTRACE_INSTR_UNTAKEN_JUMP)) {
		e->lost[LOSS_BRANCHES]++;
		return;
	}
	e->lost[LOSS_RESTARTS] += continued;
	if (!continued)
		put_head(e, entry, insn, type);
	put_data_of(e, entry, insn, continued);
	set_last(e, insn, type);
}

static void begin(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	s->insns = insn_cache_new(e->reader, sizeof(struct drmemtrace_entry), fill_entry,
				  e->options);
	s->blocks = block_templates_new(e->reader);
	drmemtrace_put_header(e);
}

static void free_state(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	insn_cache_free(s->insns);
	block_templates_free(&s->blocks);
	TABLE_FREE(s->places);
	TABLE_FREE(s->codes);
	free(s->group.at);
	free(s->returns.at);
}

const struct exporter drmemtrace = {
	.name = "drmemtrace",
	.summary = "DynamoRIO's drmemtrace tools; OUT is a folder",
	.state_size = sizeof(struct drmemtrace_state),
	.optional_addresses = true,
	.code = true,
	.file_name = drmemtrace_file_name,
	.is_file_name = drmemtrace_is_file_name,
	.prepare = drmemtrace_share,
	.release = drmemtrace_release,
	.finish = drmemtrace_write_shared,
	.begin = begin,
	.insn = put_insn,
	.block = drmemtrace_put_block,
	.event = drmemtrace_put_event,
	.end = drmemtrace_put_end,
	.free = free_state,
};
