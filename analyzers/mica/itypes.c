/* SPDX-License-Identifier: MIT */
/*
 * Instruction mix by groups of types. An execution counts once in each group that one of the
 * group's identifiers matches, and in the last, "other", if none matches at all. Numbers:
 * executions by group, and others. The groups of an execution are a property of the static
 * instruction, so an execution costs one addition, and so does that of a route.
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
	uint64_t *route_executions; /* by route, in the interval */
	bool *known_routes;         /* by route: its instructions are known */
	const struct mica_route **seen_routes;
	size_t n_seen_routes;
	const char *others[ITYPES_MAX_CATEGORIES]; /* in the order of first execution */
	size_t n_others;
};

static void *start(const struct mica_setup *setup)
{
	struct itypes *t = mica_alloc(1, sizeof(*t));

	t->setup = setup;
	t->executions = mica_alloc(setup->numbers.insns, sizeof(*t->executions));
	t->known = mica_alloc(setup->numbers.insns, sizeof(*t->known));
	t->seen = mica_alloc(setup->numbers.insns, sizeof(*t->seen));
	t->route_executions = mica_alloc(setup->numbers.routes, sizeof(*t->route_executions));
	t->known_routes = mica_alloc(setup->numbers.routes, sizeof(*t->known_routes));
	t->seen_routes = mica_alloc(setup->numbers.routes, sizeof(*t->seen_routes));
	return t;
}

static void stop(void *self)
{
	struct itypes *t = self;

	free(t->executions);
	free(t->known);
	free(t->seen);
	free(t->route_executions);
	free(t->known_routes);
	free(t->seen_routes);
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

	for (size_t i = 0; i < groups->n_identifiers; i++) {
		const struct itypes_identifier *id = &groups->identifiers[i];
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
 * Records the instructions of a route at its first execution. Executions of the route are counted
 * later, but the order of first executions is known only now.
 */
static void learn_route(struct itypes *t, const struct mica_route *route)
{
	t->known_routes[route->number] = true;
	for (unsigned k = 0; k < route->n_legs; k++)
		for (unsigned j = 0; j < route->legs[k].count; j++)
			learn(t, &route->legs[k].insns[j]);
}

static void feed_stretch(void *self, const struct mica_stretch *stretch)
{
	const struct mica_route *route = stretch->route;
	struct itypes *t = self;

	if (!t->known_routes[route->number])
		learn_route(t, route);
	if (!t->route_executions[route->number]++)
		t->seen_routes[t->n_seen_routes++] = route;
}

static void unfold_routes(struct itypes *t)
{
	for (size_t i = 0; i < t->n_seen_routes; i++) {
		const struct mica_route *route = t->seen_routes[i];
		uint64_t *executions = &t->route_executions[route->number];

		for (unsigned k = 0; k < route->n_legs; k++)
			for (unsigned j = 0; j < route->legs[k].count; j++)
				execute(t, &route->legs[k].insns[j], *executions);
		*executions = 0;
	}
	t->n_seen_routes = 0;
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct itypes *t = self;
	uint32_t n_groups = t->setup->groups->count;

	(void)last;
	unfold_routes(t);
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
	.start = start, .feed = feed, .stretch = feed_stretch, .end = end, .stop = stop,
};
/* clang-format on */
