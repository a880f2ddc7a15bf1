/* SPDX-License-Identifier: MIT */
/*
 * Instruction mix by groups of types. An execution counts once in each group that one of the
 * group's identifiers matches, and in the last, "other", if none matches at all. Numbers:
 * executions by group, and others. The groups of an execution are a property of the static
 * instruction, so an execution costs one addition, and so does that of a superblock.
 */
#include "analyzers/mica/itypes.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

struct itypes {
	const struct mica_setup *setup;
	uint64_t *executions; /* by static instruction, in the interval */
	struct known {
		const struct mica_insn *insn; /* NULL: has not executed */
		uint64_t groups;              /* bits */
		bool is_other;
	} * known;
	uint32_t *seen; /* static instructions of the interval */
	size_t n_seen;
	uint64_t *superblock_executions; /* by superblock, in the interval */
	bool *known_superblocks;         /* by superblock: its instructions are known */
	const struct mica_superblock **seen_superblocks;
	size_t n_seen_superblocks;
	const char *others[ITYPES_MAX_CATEGORIES]; /* in the order of first execution */
	size_t n_others;
};

static void *start(const struct mica_setup *setup)
{
	struct itypes *t = checked_array(1, sizeof(*t));

	t->setup = setup;
	t->executions = checked_array(setup->numbers.insns, sizeof(*t->executions));
	t->known = checked_array(setup->numbers.insns, sizeof(*t->known));
	t->seen = checked_array(setup->numbers.insns, sizeof(*t->seen));
	t->superblock_executions = checked_array(setup->numbers.superblocks,
						 sizeof(*t->superblock_executions));
	t->known_superblocks = checked_array(setup->numbers.superblocks,
					     sizeof(*t->known_superblocks));
	t->seen_superblocks = checked_array(setup->numbers.superblocks,
					    sizeof(*t->seen_superblocks));
	return t;
}

static void stop(void *self)
{
	struct itypes *t = self;

	free(t->executions);
	free(t->known);
	free(t->seen);
	free(t->superblock_executions);
	free(t->known_superblocks);
	free(t->seen_superblocks);
	free(t);
}

static bool is_transfer(const struct itypes_identifier *id)
{
	return id->kind == ITYPES_SPECIAL && !strcmp(id->name, "reg_transfer");
}

static bool matches(const struct itypes_identifier *id, const struct mica_insn *insn)
{
	switch (id->kind) {
	case ITYPES_CATEGORY: return !strcmp(id->name, insn->facts.category);
	case ITYPES_OPCODE: return !strcmp(id->name, insn->facts.iclass);
	case ITYPES_SPECIAL:
		return (insn->has_read && !strcmp(id->name, "mem_read")) ||
		       (insn->has_write && !strcmp(id->name, "mem_write"));
	}
	return false;
}

/*
 * Classifies an instruction. A register transfer counts in its group, and may be among the others
 * as well.
 */
static struct known classify(const struct mica_setup *setup, const struct mica_insn *insn)
{
	const struct itypes_groups *groups = setup->groups;
	bool transfers = setup->register_transfers && insn->facts.register_transfer;
	struct known known = { .insn = insn, .is_other = true };

	for (size_t i = 0; i < groups->identifiers.count; i++) {
		const struct itypes_identifier *id = &groups->identifiers.at[i];
		uint64_t bit = 1ull << id->group;

		if (matches(id, insn)) {
			known.groups |= bit;
			known.is_other = false;
		} else if (transfers && is_transfer(id)) {
			known.groups |= bit;
		}
	}
	return known;
}

static void add_other(struct itypes *t, const char *category)
{
	size_t i = 0;

	while (i < t->n_others && strcmp(t->others[i], category))
		i++;
	if (i == t->n_others && i < ITYPES_MAX_CATEGORIES)
		t->others[t->n_others++] = category;
}

/* Records the groups of an instruction at its first execution. */
static void learn(struct itypes *t, const struct mica_insn *insn)
{
	struct known *known = &t->known[insn->index];

	if (known->insn)
		return;
	*known = classify(t->setup, insn);
	if (known->is_other)
		add_other(t, insn->facts.category);
}

static void meet(struct itypes *t, const struct mica_insn *insn)
{
	learn(t, insn);
	t->seen[t->n_seen++] = insn->index;
}

static inline void execute(struct itypes *t, const struct mica_insn *insn, uint64_t times)
{
	if (!t->executions[insn->index])
		meet(t, insn);
	t->executions[insn->index] += times;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct itypes *t = self;

	for (size_t i = 0; i < count; i++)
		execute(t, events[i].insn, 1);
}

/*
 * Records the instructions of a superblock at its first execution. Executions of the superblock are
 * counted later, but the order of first executions is known only now.
 */
static void learn_superblock(struct itypes *t, const struct mica_superblock *superblock)
{
	t->known_superblocks[superblock->number] = true;
	for (unsigned k = 0; k < superblock->n_segments; k++)
		for (unsigned j = 0; j < superblock->segments[k].count; j++)
			learn(t, &superblock->segments[k].insns[j]);
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_superblock *superblock = exec->superblock;
	struct itypes *t = self;

	if (!t->known_superblocks[superblock->number])
		learn_superblock(t, superblock);
	if (!t->superblock_executions[superblock->number]++)
		t->seen_superblocks[t->n_seen_superblocks++] = superblock;
}

static void unfold_superblocks(struct itypes *t)
{
	for (size_t i = 0; i < t->n_seen_superblocks; i++) {
		const struct mica_superblock *superblock = t->seen_superblocks[i];
		uint64_t *executions = &t->superblock_executions[superblock->number];

		for (unsigned k = 0; k < superblock->n_segments; k++)
			for (unsigned j = 0; j < superblock->segments[k].count; j++)
				execute(t, &superblock->segments[k].insns[j], *executions);
		*executions = 0;
	}
	t->n_seen_superblocks = 0;
}

static void merge_superblock(struct itypes *t, const struct mica_superblock *superblock,
			     uint64_t executions)
{
	if (!t->superblock_executions[superblock->number])
		t->seen_superblocks[t->n_seen_superblocks++] = superblock;
	t->superblock_executions[superblock->number] += executions;
	t->known_superblocks[superblock->number] = true;
}

/*
 * Later has categories of other instructions in the order of first execution, so they go behind
 * those of t.
 */
static int merge(void *self, const void *other)
{
	const struct itypes *later = other;
	struct itypes *t = self;

	for (size_t i = 0; i < later->n_others; i++)
		add_other(t, later->others[i]);
	for (uint32_t i = 0; i < t->setup->numbers.insns; i++)
		if (!t->known[i].insn)
			t->known[i] = later->known[i];
	for (size_t i = 0; i < later->n_seen; i++)
		execute(t, later->known[later->seen[i]].insn, later->executions[later->seen[i]]);
	for (size_t i = 0; i < later->n_seen_superblocks; i++) {
		const struct mica_superblock *superblock = later->seen_superblocks[i];

		merge_superblock(t, superblock, later->superblock_executions[superblock->number]);
	}
	return 0;
}

static void save(void *self, struct state_writer *writer)
{
	struct itypes *t = self;

	unfold_superblocks(t);
	analyzer_put_all(writer, t->executions, t->setup->numbers.insns);
}

static void load(void *self, struct state_reader *reader)
{
	struct itypes *t = self;

	for (uint32_t i = 0; i < t->setup->numbers.insns; i++) {
		uint64_t executions = analyzer_take(reader);

		if (executions)
			execute(t, &t->setup->insns[i], executions);
	}
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct itypes *t = self;
	uint32_t n_groups = t->setup->groups->count;

	(void)last;
	unfold_superblocks(t);
	memset(numbers, 0, (n_groups + 1) * sizeof(*numbers));
	for (size_t i = 0; i < t->n_seen; i++) {
		uint32_t index = t->seen[i];
		uint64_t groups = t->known[index].groups, executions = t->executions[index];

		if (t->known[index].is_other)
			numbers[n_groups] += executions;
		for (; groups; groups &= groups - 1)
			numbers[__builtin_ctzll(groups)] += executions;
		t->executions[index] = 0;
	}
	t->n_seen = 0;
	return n_groups + 1;
}

void itypes_others(const void *itypes, void (*found)(void *opaque, const char *category),
		   void *opaque)
{
	const struct itypes *t = itypes;

	for (size_t i = 0; i < t->n_others; i++)
		found(opaque, t->others[i]);
}

/* clang-format off */
const struct mica_analysis mica_itypes = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
	.merge = merge, .save = save, .load = load, .forgets_all = true,
};
/* clang-format on */
