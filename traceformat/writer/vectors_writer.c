/* SPDX-License-Identifier: MIT */
/* Adds basic block vectors (FORMAT.md 4.5). */
#include "traceformat/common/error.h"
#include "traceformat/file/format.h"
#include "traceformat/tracesamples.h"
#include "traceformat/writer/writer.h"

static const struct exit_entry *exit_at(const struct tf_writer *w, uint32_t exit)
{
	return &((const struct writer_exit *)fixed_vector_at(&w->exits, exit))->entry;
}

/* Returns true if a path can be left by the exit after so many instructions. */
static bool is_valid(const struct tf_writer *w, const struct tf_vector_count *c)
{
	const struct exit_entry *e;

	if (c->exit >= w->exits.count || !c->times || !c->executed)
		return false;
	e = exit_at(w, c->exit);
	return e->outcome == TF_PARTIAL ? c->executed <= e->path->path.n_insns
					: c->executed == e->n_insns;
}

static bool are_valid(const struct tf_writer *w, const struct tf_vector *v)
{
	for (size_t i = 0; i < v->n_counts; i++) {
		const struct tf_vector_count *c = &v->counts[i], *last = c - 1;

		if (!is_valid(w, c) ||
		    (i && (c->exit < last->exit ||
			   (c->exit == last->exit && c->executed <= last->executed))))
			return false;
	}
	return true;
}

static void put_counts(struct tf_writer *w, const struct tf_vector *v)
{
	uint32_t last = 0;

	put_varint(&w->record, v->n_counts);
	for (size_t i = 0; i < v->n_counts; i++) {
		const struct tf_vector_count *c = &v->counts[i];

		put_varint(&w->record, c->exit - last);
		put_varint(&w->record, c->times);
		if (exit_at(w, c->exit)->outcome == TF_PARTIAL)
			put_varint(&w->record, c->executed);
		last = c->exit;
	}
}

int tf_writer_add_vector(struct tf_writer *w, const struct tf_vector *v, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_VECTORS];

	if (v->thread >= w->threads.count)
		return fail(error, TF_E_ARGUMENT, "no thread %u", v->thread);
	if (!are_valid(w, v))
		return fail(error, TF_E_ARGUMENT,
			    "a vector's counts are not in order, or an exit does not fit");
	pthread_mutex_lock(&w->lock);
	w->record.size = 0;
	put_varint(&w->record, v->interval);
	put_varint(&w->record, v->thread);
	put_varint(&w->record, v->instructions);
	put_counts(w, v);
	put_varint(&p->bytes, w->record.size);
	put_bytes(&p->bytes, w->record.data, w->record.size);
	p->bytes.failed |= w->record.failed;
	return writer_added(w, p, &(uint32_t){ 0 }, NULL, error);
}
