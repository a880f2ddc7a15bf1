/* SPDX-License-Identifier: MIT */
#include "cli/export/thread_export.h"

#include <inttypes.h>

#include "cli/common/command.h"
#include "cli/common/memory_watch.h"
#include "cli/common/progress.h"

enum { WATCH_EVERY = 1 << 20 };

/* A visit of all instructions of a thread. */
struct visit {
	struct export_run *e;
	void (*each)(struct export_run *e, const struct linear_insn *insn);
	bool (*block)(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		      uint64_t ordinal);
	struct progress progress;
	uint64_t next_watch; /* instructions until then */
	bool refused;        /* an instruction, after a message */
};

/*
 * Counts the repetitions of a string instruction. Returns false, after a message, if there are
 * more than any program makes: a trace of a kilobyte must not fill a disk.
 */
static bool count_repetitions(struct export_run *e, const struct linear_insn *insn)
{
	static const uint64_t most = UINT64_C(1) << 32;
	struct linear_accesses it;

	if (!(insn->insn->flags & TF_INSN_REP) || !insn->values)
		return true;
	export_accesses(e, insn, &it);
	if (it.repetitions <= most && e->repetitions + it.repetitions <= most) {
		e->repetitions += it.repetitions;
		return true;
	}
	command_error("thread %" PRIu32
		      " repeats string instructions more than 2^32 times, at instruction "
		      "%" PRIu64 "; use --rep=once",
		      e->thread, insn->ordinal);
	return false;
}

static bool visit_insn(void *opaque, const struct linear_insn *insn)
{
	struct visit *v = opaque;

	v->refused = !count_repetitions(v->e, insn);
	if (v->refused)
		return false;
	v->each(v->e, insn);
	if (++v->e->instructions >= v->next_watch) {
		v->next_watch = v->e->instructions + WATCH_EVERY;
		progress_update(&v->progress, v->e->instructions);
		memory_watch();
		if (pack_has_failed(v->e->out)) /* as on a full disk; pack_end() says so */
			return false;
	}
	v->e->lost[LOSS_OPAQUE] += insn->insn->flags & TF_INSN_OPAQUE ? 1 : 0;
	return true;
}

static bool visit_block(void *opaque, const struct tf_block *block, const uint64_t *values,
			uint64_t ordinal)
{
	struct visit *v = opaque;

	if (!v->block(v->e, block, values, ordinal))
		return false;
	v->e->instructions += block->n_insns - 1u;
	return true;
}

static void visit_event(void *opaque, const struct tf_event *event)
{
	struct visit *v = opaque;

	v->e->format->event(v->e, event);
}

/* Passes all instructions to the format, to count or to write them. Returns as write_thread(). */
static int visit_all(struct export_run *e, const struct export_request *r, uint32_t region,
		     bool writing)
{
	const struct exporter *format = e->format;
	const struct linear_options options = { e->thread, r->first, r->count, region,
						e->addresses };
	struct visit visit = { .e = e,
			       .each = writing ? format->insn : format->count,
			       .block = writing ? format->block : format->count_block,
			       .next_watch = WATCH_EVERY };
	const struct linear_visitor visitor = {
		.insn = visit_insn,
		.block = visit.block ? visit_block : NULL,
		.event = writing && format->event ? visit_event : NULL,
		.opaque = &visit,
	};
	struct tf_totals totals;
	struct tf_error error;
	int status;

	if (tf_get_thread_totals(e->reader, e->thread, &totals, &error) < 0) {
		command_error("%s", error.text);
		return EXPORT_UNUSABLE;
	}
	e->instructions = e->repetitions = e->lost[LOSS_OPAQUE] = 0;
	progress_begin(&visit.progress, "exporting", totals.instructions, r->quiet);
	status = linear_run(e->reader, &options, &visitor, &error);
	progress_end(&visit.progress);
	if (visit.refused)
		return EXPORT_UNUSABLE;
	if (status >= 0)
		return status;
	command_error("%s", error.text);
	return EXPORT_UNUSABLE;
}

int write_thread(struct export_run *e, const struct export_request *r, uint32_t region)
{
	const struct exporter *format = e->format;
	int counted = format->count ? visit_all(e, r, region, false) : EXIT_DONE;
	int status;

	if (counted == EXPORT_UNUSABLE)
		return EXPORT_UNUSABLE;
	if (format->begin)
		format->begin(e);
	status = visit_all(e, r, region, true);
	if (status != EXPORT_UNUSABLE && format->end)
		format->end(e);
	return status;
}
