/* SPDX-License-Identifier: MIT */
/* Words the advice about reuses that come too late, by what separates them. */
#include <string.h>

#include "analyzers/slo/advice.h"
#include "cli/common/checked.h"

const char *slo_kind_name(enum reuse_kind kind)
{
	static const char *const names[REUSE_KINDS] = { [REUSE_LOOP] = "loop",
							[REUSE_FUSE] = "fuse",
							[REUSE_FUNC] = "func",
							[REUSE_MOVE] = "move",
							[REUSE_SEQ] = "seq" };

	return names[kind];
}

static bool most(uint64_t part, const struct slo_counts *counts)
{
	return 2 * part > counts->reuses;
}

static char *loop_text(const struct slo_refactoring *r, const char *child)
{
	const struct slo_counts *c = &r->counts;

	if (most(c->far, c))
		return text_format("reorder the iterations of %s, so that those that touch the "
				   "same data follow each other",
				   r->where);
	if (most(c->spatial, c) && most(c->inner, c))
		return text_format("make %s the innermost one (interchange), or change the layout "
				   "of the data: its iterations touch neighbours",
				   r->where);
	if (most(c->same, c))
		return text_format("tile %s, and move the loop over tiles outside of %s",
				   child ? child : "the loop in it", r->where);
	if (most(c->calls, c))
		return text_format("let each call in %s do several of its iterations at once "
				   "(batch)",
				   r->where);
	if (most(c->inner, c))
		return text_format("in %s, fuse what touches the same data, then tile it",
				   r->where);
	return text_format("touch fewer other data in an iteration of %s, or split it (fission)",
			   r->where);
}

static char *fuse_text(const struct slo_refactoring *r)
{
	if (!strcmp(r->first, r->second))
		return text_format("let %s go over the data once instead of several times",
				   r->first);
	return text_format("fuse %s with %s", r->first, r->second);
}

static char *func_text(const struct slo_refactoring *r)
{
	if (r->change.overview.what == CONTEXT_ROOT)
		return text_format("bring %s and %s closer together, or let them touch less",
				   r->first ? r->first : "what the thread does",
				   r->second ? r->second : "what the thread does");
	if (r->recursive)
		return text_format(
			"let the recursion in %s be done with one part of the data before "
			"it goes on to others",
			r->where);
	if (!r->first || !r->second)
		return text_format("do what touches the data beside %s in it, or inline it",
				   r->first ? r->first : r->second);
	if (!strcmp(r->first, r->second))
		return text_format("let %s do its work once instead of several times", r->first);
	return text_format("merge %s with %s: inline both and fuse their loops, or do both in one "
			   "function",
			   r->first, r->second);
}

char *slo_advice_text(const struct slo_refactoring *r, const char *child)
{
	switch ((enum reuse_kind)r->change.kind) {
	case REUSE_LOOP: return loop_text(r, child);
	case REUSE_FUSE: return fuse_text(r);
	case REUSE_FUNC: return func_text(r);
	case REUSE_MOVE:
		return text_format("move what touches the data beside %s into it",
				   r->first ? r->first : r->second);
	default:
		return text_format("move what runs between the two touches in %s elsewhere",
				   r->where);
	}
}
