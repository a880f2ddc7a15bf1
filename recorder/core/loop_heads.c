/* SPDX-License-Identifier: MIT */
#include "recorder/core/loop_heads.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/core/vector_summary.h"
#include "traceformat/common/hash_table.h"

enum { RARE = 100, OFTEN = 10000 };

enum tier {
	TIER_RARE = 1,
	TIER_SELDOM,
	TIER_ANY,
	TIER_FUNCTION,
	TIER_OTHER_SELDOM,
	TIER_OTHER_ANY,
	TIER_NONE = LOOP_TIERS + 1,
};

enum module_kind { MODULE_WITHOUT_MARKERS, MODULE_OWN, MODULE_OTHER };

struct place {
	uint64_t key; /* pc */
	bool loop, function;
	bool other;                  /* it is in a module of kind MODULE_OTHER */
	bool known;                  /* it has been a rare head */
	uint8_t armed;               /* its tier, or 0 */
	uint64_t executions, recent; /* so far, and those of this interval */
};

struct block {
	uint64_t pc;
	enum module_kind kind; /* not MODULE_WITHOUT_MARKERS: an interval may end at its begin */
};

struct loop_heads {
	ARRAY(enum module_kind) modules; /* by index */
	ARRAY(struct block) blocks;
	HASH_TABLE(struct place) places;
	unsigned n_armed;
};

int loop_heads_begin(struct session *s)
{
	if (!s->intervals || s->points || s->options->boundary != BOUNDARY_LOOP)
		return 0;
	s->loop_heads = calloc(1, sizeof(*s->loop_heads));
	return s->loop_heads ? 0 : session_fail(s, TF_E_MEMORY, "out of memory");
}

void loop_heads_free(struct loop_heads *h)
{
	if (!h)
		return;
	free(h->modules.at);
	free(h->blocks.at);
	TABLE_FREE(h->places);
	free(h);
}

/* ---- what the trace has ---- */

static bool is_program(const struct session *s, const char *path)
{
	char link[64], name[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)s->main.pid);
	n = readlink(link, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = 0;
	return strcmp(name, path) == 0;
}

/* Returns true if the list, with commas between its names, has the module. */
static bool lists(const char *list, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *copy = strdup(list), *next = copy, *pattern;
	bool found = false;

	while (copy && !found && (pattern = strsep(&next, ",")))
		found = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, path, 0) == 0;
	free(copy);
	return found;
}

static enum module_kind kind_of(const struct session *s, const struct tf_module *m)
{
	static const char c_library[] = "libc.so*,libc-*,libc.musl*,libpthread*,ld-*";
	const char *images = s->options->marker_images;
	bool own;

	if (m->kind != TF_MODULE_FILE)
		return MODULE_WITHOUT_MARKERS;
	if (!images && !is_program(s, m->path))
		return lists(c_library, m->path) ? MODULE_WITHOUT_MARKERS : MODULE_OTHER;
	own = !images || strcmp(images, "all") == 0 || lists(images, m->path) ||
	      (strcmp(images, "main") == 0 && is_program(s, m->path));
	return own ? MODULE_OWN : MODULE_WITHOUT_MARKERS;
}

bool loop_heads_add_module(struct session *s, const struct tf_module *m)
{
	struct loop_heads *h = s->loop_heads;

	if (!h)
		return true;
	if (!RESERVE(h->modules, h->modules.count + 1))
		return false;
	h->modules.at[h->modules.count++] = kind_of(s, m);
	return true;
}

/* Notes the place that the block jumps back to, or calls. */
static bool note_target(struct loop_heads *h, const struct tf_block *b)
{
	const struct tf_insn *last = &b->insns[b->n_insns - 1];
	bool jumps = b->end == TF_END_CONDITIONAL || b->end == TF_END_JUMP;
	bool back = jumps && b->target <= b->pc + last->offset;
	struct place *p;

	if (!back && b->end != TF_END_CALL)
		return true;
	p = TABLE_PUT(h->places, b->target);
	if (!p)
		return false;
	p->loop |= back;
	p->function |= !back;
	return true;
}

bool loop_heads_add_block(struct session *s, const struct tf_block *b, uint32_t id)
{
	struct loop_heads *h = s->loop_heads;
	enum module_kind kind = MODULE_WITHOUT_MARKERS;

	if (!h)
		return true;
	if (b->module < h->modules.count && !(b->insns[0].flags & (TF_INSN_REP | TF_INSN_OPAQUE)))
		kind = h->modules.at[b->module];
	if (!RESERVE(h->blocks, id + 1u))
		return false;
	if (h->blocks.count <= id)
		h->blocks.count = id + 1u;
	h->blocks.at[id] = (struct block){ .pc = b->pc, .kind = kind };
	return note_target(h, b);
}

void loop_heads_forget(struct session *s)
{
	struct loop_heads *h = s->loop_heads;

	if (!h)
		return;
	TABLE_CLEAR(h->places);
	for (size_t i = 0; i < h->blocks.count; i++)
		h->blocks.at[i].kind = MODULE_WITHOUT_MARKERS;
	h->n_armed = 0;
}

/* ---- arming ---- */

static void count_executions(struct session *s)
{
	struct loop_heads *h = s->loop_heads;

	for (size_t i = 0; i < h->places.count; i++)
		h->places.at[i].executions = h->places.at[i].recent = 0;
	for (size_t i = 0; i < h->blocks.count; i++) {
		const struct block *b = &h->blocks.at[i];
		struct place *p = b->kind ? TABLE_FIND(h->places, b->pc) : NULL;

		if (!p)
			continue;
		p->other = b->kind == MODULE_OTHER;
		p->executions += vector_summary_executions(s->vector_summary, (uint32_t)i);
		p->recent += vector_summary_previewed(s->vector_summary, (uint32_t)i);
	}
}

static enum tier tier_of(const struct place *p, uint64_t filtered, uint64_t interval)
{
	__uint128_t times = p->executions, rare = times * (interval / RARE);
	bool seldom = times * OFTEN <= filtered;

	if (!p->executions || (p->other && !p->loop))
		return TIER_NONE;
	if (p->other)
		return seldom ? TIER_OTHER_SELDOM : TIER_OTHER_ANY;
	if (!p->loop)
		return TIER_FUNCTION;
	if (rare <= filtered && times * interval >= filtered)
		return TIER_RARE;
	return seldom ? TIER_SELDOM : TIER_ANY;
}

/* Returns true for a head that is to begin a superblock, which stops at each of its iterations. */
static bool is_rare(enum tier tier)
{
	return tier <= TIER_SELDOM || tier == TIER_OTHER_SELDOM;
}

struct loop_heads_armed loop_heads_arm(struct session *s, unsigned tier, uint64_t filtered)
{
	struct loop_heads_armed armed = { 0 };
	struct loop_heads *h = s->loop_heads;

	count_executions(s);
	for (size_t i = 0; i < h->places.count; i++) {
		struct place *p = &h->places.at[i];
		enum tier own = tier_of(p, filtered, s->options->interval);

		p->armed = own <= tier ? (uint8_t)own : 0;
		if (!p->armed)
			continue;
		armed.heads++;
		armed.met |= own == tier && p->recent;
		if (is_rare(own) && !p->known)
			p->known = armed.fresh = true;
	}
	h->n_armed = armed.heads;
	return armed;
}

void loop_heads_disarm(struct session *s)
{
	struct loop_heads *h = s->loop_heads;

	for (size_t i = 0; h && i < h->places.count; i++)
		h->places.at[i].armed = 0;
	if (h)
		h->n_armed = 0;
}

unsigned loop_heads_tier(const struct session *s, uint64_t pc)
{
	const struct place *p = loop_heads_are_armed(s) ? TABLE_FIND(s->loop_heads->places, pc)
							: NULL;

	return p ? p->armed : 0;
}

uint64_t loop_heads_next(const struct session *s, size_t *i)
{
	const struct loop_heads *h = s->loop_heads;

	while (*i < h->places.count) {
		const struct place *p = &h->places.at[(*i)++];

		if (p->armed)
			return p->key;
	}
	return 0;
}

bool loop_heads_are_armed(const struct session *s)
{
	return s->loop_heads && s->loop_heads->n_armed;
}

bool loop_heads_is_rare(const struct session *s, uint64_t pc)
{
	const struct place *p = s->loop_heads ? TABLE_FIND(s->loop_heads->places, pc) : NULL;

	return p && p->known;
}
