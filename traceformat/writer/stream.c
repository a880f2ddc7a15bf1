/* SPDX-License-Identifier: MIT */
/*
 * Writes one thread's stream. Executions and events are encoded into columns as they come; a full
 * chunk is compressed and written (FORMAT.md 5). Only the writing takes the writer's lock, so
 * streams may be filled in parallel.
 */
#include "traceformat/writer/stream.h"

#include "traceformat/codings/events.h"
#include "traceformat/common/error.h"
#include "traceformat/writer/compression_pipeline.h"

/* A chunk also ends when its columns have grown to this, before compression. */
enum { MAX_CHUNK_BYTES = 64 << 20 };

static const struct compiled_path *path_of(const void *opaque, uint32_t id)
{
	const struct tf_writer *w = opaque;

	return *(struct compiled_path **)fixed_vector_at(&w->paths, id);
}

/*
 * Chooses the sources of the chunk: those that would have been best for the chunk before it, if
 * that was studied.
 */
static void choose_sources(struct tf_stream *s)
{
	if (!s->study)
		return;
	if (slot_study_slots(s->study)) {
		s->sources = slot_study_end(s->study);
		slot_sources_spare_reps(&s->sources, path_of, s->writer, s->writer->paths.count);
		slot_study_begin(s->study);
	}
	slot_sources_apply(&s->sources, &s->slots.states);
}

static void need_path(struct tf_stream *s, const struct compiled_path *p)
{
	uint32_t exits = p->path.first_exit + p->path.n_exits + 1;

	if (exits > s->exits_needed)
		s->exits_needed = exits;
}

/* Writes the column of sources. The chunk then needs all paths that it names. */
static void put_sources(struct tf_stream *s)
{
	const struct tf_writer *w = s->writer;
	uint32_t n_paths = w->paths.count;

	for (uint32_t i = 0; i < s->sources.count && s->slots.n_slots; i++) {
		const struct slot_source *source = &s->sources.at[i];

		need_path(s, slot_place(path_of, w, n_paths, source->slot).path);
		need_path(s, slot_place(path_of, w, n_paths, source->source).path);
	}
	if (s->slots.n_slots)
		slot_sources_write(&s->sources, path_of, w, n_paths, &s->slot_sources);
}

static bool begin_chunk(struct tf_stream *s)
{
	s->chunk_first = s->last_event = s->ordinal;
	s->chunk_registers = s->registers;
	s->restated = false;
	s->totals = (struct tf_totals){ 0 };
	s->exits_needed = 0;
	if (s->n_chunks) /* before the first chunk it is untouched memory */
		flow_reset(&s->flow.predictor);
	s->flow.runs.size = s->flow.residuals.size = 0;
	s->slots.hits.size = s->slots.n_slots = 0;
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		s->slots.residuals[i].size = 0;
	s->partials.size = s->events.size = s->head.size = s->slot_sources.size = 0;
	if (!stream_forget_exits(s))
		return false;
	choose_sources(s);
	return true;
}

/* Frees all but the states of slots and the tallies. */
static void free_columns(struct tf_stream *s)
{
	struct slot_states states = s->slots.states;

	buffer_free(&s->flow.runs);
	buffer_free(&s->flow.residuals);
	s->slots.states = (struct slot_states){ 0 };
	slot_encoder_free(&s->slots);
	s->slots.states = states;
	slot_study_free(s->study);
	buffer_free(&s->slot_sources);
	buffer_free(&s->partials);
	buffer_free(&s->events);
	buffer_free(&s->head);
}

void writer_stream_free(struct tf_stream *s)
{
	if (!s)
		return;
	free_columns(s);
	slot_states_free(&s->slots.states);
	stream_free_tallies(s);
	free(s);
}

/*
 * Makes a closed stream like a new one, except that its states of slots have to be reset. Tallies
 * that it has made are right for every thread.
 */
static void renew(struct tf_stream *s)
{
	const struct slot_states states = s->slots.states;
	struct tally *tallies = s->tallies;
	uint32_t *listed = s->listed, n = s->n_tallies;

	free_columns(s);
	for (uint32_t i = 0; i < s->n_listed; i++) {
		tallies[listed[i]].listed = false;
		tallies[listed[i]].executions = 0;
	}
	memset(s, 0, sizeof(*s));
	s->slots.states = states;
	s->tallies = tallies;
	s->listed = listed;
	s->n_tallies = n;
}

/*
 * Keeps a closed stream for the next thread, or frees it. Mapping the memory of a new one takes
 * longer than to clear it, unless a program is large.
 */
static void spare_stream(struct tf_stream *s)
{
	enum { MOST_SLOTS = 1 << 15, MOST_TALLIES = 1 << 15 };
	struct tf_writer *w = s->writer;
	struct tf_stream *former = s;

	if (s->slots.states.count <= MOST_SLOTS && s->n_tallies <= MOST_TALLIES) {
		renew(s);
		pthread_mutex_lock(&w->lock);
		former = w->spare;
		w->spare = s;
		pthread_mutex_unlock(&w->lock);
	}
	writer_stream_free(former);
}

int tf_stream_open(struct tf_writer *w, uint32_t thread, struct tf_stream **stream,
		   struct tf_error *error)
{
	struct writer_thread *t;
	struct tf_stream *s;
	bool taken;

	if (thread >= w->threads.count)
		return fail(error, TF_E_ARGUMENT, "no thread %u", thread);
	pthread_mutex_lock(&w->lock);
	t = fixed_vector_at(&w->threads, thread);
	taken = t->has_stream;
	t->has_stream = true;
	s = taken ? NULL : w->spare;
	if (s)
		w->spare = NULL;
	pthread_mutex_unlock(&w->lock);
	if (taken)
		return fail(error, TF_E_ARGUMENT, "thread %u has a stream already", thread);
	if (!s)
		s = calloc(1, sizeof(*s));
	if (!s)
		return fail_memory(error);
	s->writer = w;
	s->thread = thread;
	if (!begin_chunk(s)) {
		writer_stream_free(s);
		return fail_memory(error);
	}
	*stream = s;
	return 0;
}

/* Returns true if the last execution was partial, so that rsp after it can still be restated. */
static bool ends_partially(const struct tf_stream *s)
{
	return s->rsp_known && s->partial_end == s->ordinal;
}

static void put_partial_rsp(struct tf_stream *s, uint64_t rsp)
{
	s->partials.size = s->partial_rsp;
	put_varint(&s->partials, rsp);
	s->registers.rsp = rsp;
}

void tf_stream_registers(struct tf_stream *s, uint64_t rsp, uint64_t fs_base, uint64_t gs_base)
{
	const struct recipe_registers stated = { rsp, { 0, fs_base, gs_base } };
	bool same_bases = !memcmp(stated.segment, s->registers.segment, sizeof(stated.segment));

	if (s->ordinal > s->chunk_first && ends_partially(s) && same_bases)
		put_partial_rsp(s, rsp);
	else if (s->ordinal > s->chunk_first)
		s->restated |= !s->rsp_known || rsp != s->registers.rsp || !same_bases;
	else if (s->totals.events) /* some of which may have changed the bases */
		s->restated |= !same_bases;
	else
		s->chunk_registers = stated;
	if (s->ordinal == s->chunk_first)
		s->chunk_registers.rsp = rsp;
	s->registers = stated;
	memcpy(s->next_base, stated.segment, sizeof(s->next_base));
	s->rsp_known = true;
}

bool tf_stream_misses_rsp(const struct tf_stream *s, uint64_t rsp)
{
	return s->ordinal > s->chunk_first && !s->restated && s->rsp_known &&
	       rsp != s->registers.rsp && !ends_partially(s);
}

uint64_t tf_stream_ordinal(const struct tf_stream *s)
{
	return s->ordinal;
}

bool stream_chunk_full(const struct tf_stream *s)
{
	return s->ordinal - s->chunk_first >= s->writer->chunk_instructions ||
	       s->totals.repetitions >= ENOUGH_REPETITIONS ||
	       slots_encoded(&s->slots) + s->flow.residuals.size + s->flow.runs.size +
			       s->partials.size + s->events.size >
		       MAX_CHUNK_BYTES;
}

int stream_restate(struct tf_stream *s, struct tf_error *error)
{
	return s->restated ? tf_stream_flush(s, error) : 0;
}

static bool buffers_failed(const struct tf_stream *s)
{
	return s->flow.runs.failed || s->flow.residuals.failed || s->partials.failed ||
	       s->events.failed;
}

/* Returns false if memory is out. */
static bool list_exit(struct tf_stream *s, uint32_t exit)
{
	if (exit >= s->n_tallies && !stream_extend_tallies(s))
		return false;
	if (!s->tallies[exit].made)
		stream_make_tally(s, exit);
	stream_list_exit(s, exit);
	return true;
}

static int append(struct tf_stream *s, uint32_t exit, const struct writer_exit *e,
		  uint32_t executed, const uint64_t *slots, uint32_t n_slots,
		  struct tf_error *error)
{
	const struct compiled_path *path = e->entry.path;
	struct slot_record record;
	int status = stream_restate(s, error);

	if (status < 0)
		return status;
	if (path->uses_rsp && !s->rsp_known)
		return fail(error, TF_E_ARGUMENT, "path %u needs rsp, which is not known: state it",
			    path->path.id);
	record = (struct slot_record){ path->slot_base, (uint16_t)n_slots, path->path.n_slots,
				       slots };
	if (!slot_states_extend(&s->slots.states, path->slot_base + path->path.n_slots) ||
	    !list_exit(s, exit) || !slots_encode(&s->slots, &record, 1))
		return fail_memory(error);
	flow_encode(&s->flow, exit);
	exit_count(&e->entry, &e->counts, executed, slots, &s->registers, &s->totals);
	if (exit >= s->exits_needed)
		s->exits_needed = exit + 1;
	s->ordinal += executed;
	memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
	return 0;
}

static int end_if_full(struct tf_stream *s, struct tf_error *error)
{
	if (buffers_failed(s))
		return fail_memory(error);
	return stream_chunk_full(s) && s->last_event <= s->ordinal ? tf_stream_flush(s, error) : 0;
}

int tf_stream_exec(struct tf_stream *s, uint32_t exit, const uint64_t *slots,
		   struct tf_error *error)
{
	const struct exit_entry *entry;
	const struct writer_exit *e;
	int status;

	if (exit >= s->writer->exits.count)
		return fail(error, TF_E_ARGUMENT, "no exit %u", exit);
	e = fixed_vector_at(&s->writer->exits, exit);
	entry = &e->entry;
	if (entry->outcome == TF_PARTIAL)
		return fail(error, TF_E_ARGUMENT, "exit %u is a partial exit", exit);
	status = append(s, exit, e, entry->n_insns, slots, entry->n_slots, error);
	if (status < 0)
		return status;
	s->registers.rsp = exit_rsp(entry, slots, s->registers.rsp);
	s->rsp_known &= entry->rsp_rule != TF_RSP_UNTRACKED;
	return end_if_full(s, error);
}

int tf_stream_partial(struct tf_stream *s, uint32_t path, uint32_t executed, const uint64_t *slots,
		      uint32_t n_slots, uint64_t rsp, struct tf_error *error)
{
	const struct compiled_path *p;
	uint32_t exit;
	int status;

	if (path >= s->writer->paths.count)
		return fail(error, TF_E_ARGUMENT, "no path %u", path);
	p = *(struct compiled_path **)fixed_vector_at(&s->writer->paths, path);
	if (executed < 1 || executed > p->path.n_insns || n_slots > p->path.n_slots ||
	    n_slots < path_slots_needed(p, executed))
		return fail(error, TF_E_ARGUMENT,
			    "path %u: %u instructions with %u slots cannot be", path, executed,
			    n_slots);
	exit = p->path.first_exit + p->path.n_exits;
	status = append(s, exit, fixed_vector_at(&s->writer->exits, exit), executed, slots, n_slots,
			error);
	if (status < 0)
		return status;
	put_varint(&s->partials, executed);
	put_varint(&s->partials, n_slots);
	s->partial_end = s->ordinal;
	s->partial_rsp = s->partials.size;
	put_partial_rsp(s, rsp);
	return end_if_full(s, error);
}

int tf_stream_event_ahead(struct tf_stream *s, const struct tf_event *event, uint32_t ahead,
			  struct tf_error *error)
{
	uint64_t ordinal = s->ordinal + ahead;
	const char *why = ordinal < s->last_event ? "an event stands before the one appended last"
						  : event_check(event);
	int status = why ? fail(error, TF_E_ARGUMENT, "%s", why) : stream_restate(s, error);

	if (status < 0)
		return status;
	event_encode(&s->events, ordinal - s->last_event, event);
	s->last_event = ordinal;
	s->totals.events++;
	if (event->kind == TF_EVENT_SEGMENT_BASE)
		s->next_base[event->segment_base.segment] = event->segment_base.base;
	if (ahead == 0)
		memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
	return buffers_failed(s) ? fail_memory(error) : 0;
}

int tf_stream_event(struct tf_stream *s, const struct tf_event *event, struct tf_error *error)
{
	int status = tf_stream_event_ahead(s, event, 0, error);

	return status < 0 ? status : end_if_full(s, error);
}

static void put_head(struct tf_stream *s)
{
	struct buffer *b = &s->head;

	put_varint(b, s->chunk_registers.rsp);
	put_varint(b, s->chunk_registers.segment[TF_SEGMENT_FS]);
	put_varint(b, s->chunk_registers.segment[TF_SEGMENT_GS]);
	put_varint(b, s->totals.paths);
	put_varint(b, s->totals.blocks);
	put_varint(b, s->slots.n_slots);
	put_varint(b, s->totals.loads);
	put_varint(b, s->totals.stores);
	put_varint(b, s->totals.prefetches);
	put_varint(b, s->totals.repetitions);
	put_varint(b, s->totals.opaque);
	put_varint(b, s->totals.events);
}

static void swap(struct buffer *a, struct buffer *b)
{
	struct buffer c = *a;

	*a = *b;
	*b = c;
}

static void move_columns(struct tf_stream *s, struct compression_job *job)
{
	swap(&s->head, &job->columns[CHUNK_HEAD]);
	swap(&s->flow.runs, &job->columns[CHUNK_RUNS]);
	swap(&s->flow.residuals, &job->columns[CHUNK_RESIDUALS]);
	swap(&s->partials, &job->columns[CHUNK_PARTIALS]);
	swap(&s->slots.hits, &job->columns[CHUNK_HITS]);
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		swap(&s->slots.residuals[i], &job->columns[CHUNK_SLOT_RESIDUALS + i]);
	swap(&s->slot_sources, &job->columns[CHUNK_SLOT_SOURCES]);
	swap(&s->events, &job->columns[CHUNK_EVENT_COLUMN]);
}

static int put_chunk(struct tf_stream *s, const struct section *section, struct tf_error *error)
{
	struct tf_writer *w = s->writer;
	struct compression_job *job;
	int status;

	pthread_mutex_lock(&w->lock);
	job = compression_new_job(w);
	if (job) {
		job->has_chunk = true;
		job->section = *section;
		job->totals = s->totals;
		move_columns(s, job);
		status = compression_put(w, job, error);
	} else {
		status = fail_memory(error);
	}
	pthread_mutex_unlock(&w->lock);
	return status;
}

/* Ends the present chunk, if anything is in it. */
static int end_chunk(struct tf_stream *s, struct tf_error *error)
{
	struct section section = {
		.kind = SECTION_CHUNK,
		.flags = SECTION_CRITICAL,
		.thread = s->thread,
		.codec = CODEC_COLUMNS,
		.first = s->chunk_first,
		.count = s->ordinal - s->chunk_first,
	};

	if (section.count == 0 && s->totals.events == 0)
		return 0;
	if (s->last_event > s->ordinal)
		return fail(error, TF_E_ARGUMENT,
			    "an event stands inside an execution that has not been appended");
	if (s->totals.repetitions > MAX_CHUNK_REPETITIONS)
		return fail(error, TF_E_ARGUMENT,
			    "an execution of thread %u behind instruction %llu repeats rep "
			    "instructions more than 2^39 times, which a trace cannot hold",
			    s->thread, (unsigned long long)s->chunk_first);
	flow_encode_end(&s->flow);
	slots_encode_end(&s->slots);
	put_sources(s);
	stream_count_tallies(s);
	put_head(s);
	section.extra = s->exits_needed;
	s->totals.instructions = section.count;
	s->n_chunks++;
	return put_chunk(s, &section, error);
}

int tf_stream_flush(struct tf_stream *s, struct tf_error *error)
{
	uint64_t ended = s->n_chunks;
	int status = end_chunk(s, error);

	if (s->n_chunks != ended && !begin_chunk(s) && status == 0)
		status = fail_memory(error);
	return status;
}

int tf_stream_close(struct tf_stream *s, struct tf_error *error)
{
	int status = end_chunk(s, error);

	spare_stream(s);
	return status;
}
