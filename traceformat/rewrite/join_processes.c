/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads of a joined trace. A process without threads is only named as a parent, so
 * that it is the process with its pid in any other part. Slices of one trace have the same
 * processes and threads. Where a part does not say who started a process, the system calls of the
 * other parts do: fork, vfork, clone and clone3 return the pid.
 */
#include <stdlib.h>
#include <sys/syscall.h>

#include "traceformat/codings/events.h"
#include "traceformat/common/error.h"
#include "traceformat/reader/chunk.h"
#include "traceformat/rewrite/join.h"

/* A process of the new trace. */
struct joined {
	uint32_t pid, parent; /* parent: in the list of these, or TF_NONE */
	size_t group;
	uint32_t part, old; /* where its record is from */
	bool has_threads;
	uint32_t index; /* in the new trace, or TF_NONE: not added yet */
	bool visited;
};

/* The process `parent`, in the list, has started a process. */
struct fork {
	uint32_t parent, pid;
};

struct process_list {
	struct join *j;
	ARRAY(struct joined) all;
	struct hash_index by_pid;
	struct hash_index threads; /* of the new trace, by process and tid */
	ARRAY(struct fork) forks;
	uint32_t **places; /* by part and old index: in the list */
	uint32_t *chain;   /* scratch: processes to add */
};

/* Returns by process whether it has threads; NULL if memory is out. */
static bool *find_threads(const struct tf_reader *r)
{
	bool *has = calloc(r->processes.count + 1, sizeof(*has));

	for (size_t t = 0; has && t < r->threads.count; t++)
		if (r->threads.at[t] && r->threads.at[t]->process < r->processes.count)
			has[r->threads.at[t]->process] = true;
	return has;
}

/*
 * Finds the process in the list that a part's process is, or TF_NONE. Errors: ARGUMENT (another
 * part has a process with its pid).
 */
static int find(const struct process_list *l, const struct join_part *part,
		const struct joined *process, uint32_t *found, struct tf_error *error)
{
	uint64_t hash = hash_pair(process->pid, 0), at = hash;
	uint32_t i;

	*found = TF_NONE;
	while ((i = hash_index_next(&l->by_pid, hash, &at)) != HASH_NONE) {
		const struct joined *other = &l->all.at[i];

		if (other->pid != process->pid || other->part == process->part)
			continue;
		if (other->group == process->group || process->pid == 0 || !other->has_threads ||
		    !process->has_threads) {
			*found = i;
			return 0;
		}
		if (!l->j->options->unrelated)
			return fail(error, TF_E_ARGUMENT,
				    "%s: has process %u, as %s has; a process can be in one "
				    "trace only, unless both are slices of one trace; --unrelated "
				    "makes two processes of them",
				    part->r->name, process->pid, l->j->parts[other->part].r->name);
	}
	return 0;
}

static int list_process(struct process_list *l, uint32_t part, uint32_t old, bool has_threads,
			struct tf_error *error)
{
	struct join_part *p = &l->j->parts[part];
	const struct tf_process *record = p->r->processes.at[old];
	struct joined process = { .part = part,
				  .old = old,
				  .group = p->group,
				  .parent = TF_NONE,
				  .index = TF_NONE,
				  .has_threads = has_threads };
	uint32_t found;
	int status;

	if (!record)
		return join_lost(p, "process", old, error);
	process.pid = record->pid;
	status = find(l, p, &process, &found, error);
	if (status < 0)
		return status;
	if (found == TF_NONE) {
		if (!RESERVE(l->all, l->all.count + 1) ||
		    !hash_index_add(&l->by_pid, hash_pair(process.pid, 0), (uint32_t)l->all.count))
			return fail_memory(error);
		found = (uint32_t)l->all.count++;
		l->all.at[found] = process;
	} else if (process.has_threads && !l->all.at[found].has_threads) {
		l->all.at[found].has_threads = true;
		l->all.at[found].group = process.group;
	}
	l->places[part][old] = found;
	return 0;
}

/* ---- who started whom -------------------------------------------------------------------- */

static bool starts_process(const struct tf_event *event)
{
	uint64_t number = event->syscall_result.number;

	return event->kind == TF_EVENT_SYSCALL_RESULT && event->syscall_result.result > 0 &&
	       event->syscall_result.result <= INT32_MAX &&
	       (number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
		number == SYS_clone3);
}

/* Reads the events of a chunk; other columns are not read. */
static int find_forks_in(struct process_list *l, struct join_part *part,
			 const struct section *section, struct chunk *chunk, uint32_t parent,
			 struct tf_error *error)
{
	int status = chunk_read(part->r, section, CHUNK_EVENTS, chunk, error);
	struct span column = span_of(chunk->events.data, chunk->events.size);
	struct buffer text = { 0 };
	struct tf_event event;
	uint64_t distance;

	while (status == 0 && column.at != column.end) {
		if (!event_decode(&column, &distance, &event, &text)) {
			status = fail_section(part->r, section, error, "its events are damaged");
		} else if (starts_process(&event)) {
			if (!RESERVE(l->forks, l->forks.count + 1))
				status = fail_memory(error);
			else
				l->forks.at[l->forks.count++] = (struct fork){
					parent, (uint32_t)event.syscall_result.result
				};
		}
	}
	buffer_free(&text);
	return status;
}

static int find_forks(struct process_list *l, uint32_t part, struct tf_error *error)
{
	struct join_part *p = &l->j->parts[part];
	struct chunk chunk = { 0 };
	int status = 0;

	for (size_t t = 0; t < p->r->chunks.count && status == 0; t++) {
		const struct thread_chunks *chunks = &p->r->chunks.at[t];
		uint32_t process = reader_has_thread(p->r, t) ? p->r->threads.at[t]->process
							      : TF_NONE;

		if (process >= p->r->processes.count)
			continue;
		for (size_t k = 0; k < chunks->sections.count && status == 0; k++)
			status = find_forks_in(l, p, &p->r->sections.at[chunks->sections.at[k]],
					       &chunk, l->places[part][process], error);
	}
	chunk_free(&chunk);
	return status;
}

static void find_parents(struct process_list *l)
{
	for (size_t i = 0; i < l->all.count; i++) {
		struct joined *process = &l->all.at[i];
		const struct tf_reader *r = l->j->parts[process->part].r;
		uint32_t parent = r->processes.at[process->old]->parent;

		if (parent < r->processes.count)
			process->parent = l->places[process->part][parent];
	}
	for (size_t k = 0; k < l->forks.count; k++) {
		const struct fork *fork = &l->forks.at[k];
		uint64_t hash = hash_pair(fork->pid, 0), at = hash;
		uint32_t i;

		while ((i = hash_index_next(&l->by_pid, hash, &at)) != HASH_NONE)
			if (l->all.at[i].pid == fork->pid && l->all.at[i].parent == TF_NONE &&
			    fork->parent != i)
				l->all.at[i].parent = fork->parent;
	}
}

/* ---- adding ------------------------------------------------------------------------------ */

/*
 * Adds a process after its ancestors. A parent that would be its own ancestor is left out, as only
 * a damaged or forged trace has one.
 */
static int add_process(struct process_list *l, uint32_t i, struct tf_error *error)
{
	size_t n = 0;
	int status = 0;

	for (; i != TF_NONE && !l->all.at[i].visited; i = l->all.at[i].parent) {
		l->all.at[i].visited = true;
		l->chain[n++] = i;
	}
	while (n-- && status == 0) {
		struct joined *p = &l->all.at[l->chain[n]];
		struct tf_process record = { .pid = p->pid, .parent = TF_NONE };

		if (p->parent != TF_NONE)
			record.parent = l->all.at[p->parent].index;
		status = tf_writer_add_process(l->j->w, &record, &p->index, error);
	}
	return status;
}

static uint64_t hash_thread(const struct join_thread *thread)
{
	return hash_pair(thread->process, thread->tid);
}

static uint32_t find_thread(const struct process_list *l, const struct join_thread *thread)
{
	uint64_t hash = hash_thread(thread), at = hash;
	uint32_t t;

	while ((t = hash_index_next(&l->threads, hash, &at)) != HASH_NONE) {
		const struct join_thread *other = &l->j->threads.at[t];

		if (other->process == thread->process && other->tid == thread->tid &&
		    other->group == thread->group)
			return t;
	}
	return TF_NONE;
}

/*
 * Adds a thread, or finds the same thread of a slice before. A tid that a process of the part has
 * twice, as tids are used again, has an own thread each time.
 */
static int add_thread(struct process_list *l, uint32_t part, uint32_t old, struct tf_error *error)
{
	struct join *j = l->j;
	struct join_part *p = &j->parts[part];
	const struct tf_thread *record = p->r->threads.at[old];
	struct join_thread thread = { .group = p->group };
	uint32_t t = TF_NONE;

	if (!record || record->process >= p->r->processes.count)
		return join_lost(p, "thread", old, error);
	thread.process = p->processes[record->process];
	thread.tid = record->tid;
	if (p->group != part)
		t = find_thread(l, &thread);
	if (t != TF_NONE &&
	    j->threads.at[t].sources.at[j->threads.at[t].sources.count - 1].part == part)
		t = TF_NONE;
	if (t == TF_NONE) {
		struct tf_thread mine = { .process = thread.process, .tid = thread.tid };
		int status = tf_writer_add_thread(j->w, &mine, &t, error);

		if (status < 0)
			return status;
		if (!RESERVE(j->threads, j->threads.count + 1) ||
		    !hash_index_add(&l->threads, hash_thread(&thread), t))
			return fail_memory(error);
		j->threads.at[j->threads.count++] = thread;
	}
	p->threads[old] = t;
	if (!RESERVE(j->threads.at[t].sources, j->threads.at[t].sources.count + 1))
		return fail_memory(error);
	j->threads.at[t].sources.at[j->threads.at[t].sources.count++] = (struct join_source){ part,
											      old };
	return 0;
}

static int add_all(struct process_list *l, struct tf_error *error)
{
	struct join *j = l->j;
	int status = 0;

	for (uint32_t i = 0; i < l->all.count && status == 0; i++)
		status = add_process(l, i, error);
	for (uint32_t i = 0; i < j->n && status == 0; i++) {
		struct join_part *p = &j->parts[i];

		for (size_t k = 0; k < p->r->processes.count; k++)
			p->processes[k] = l->all.at[l->places[i][k]].index;
		for (uint32_t t = 0; t < p->r->threads.count && status == 0; t++)
			status = add_thread(l, i, t, error);
	}
	return status;
}

static int list_part(struct process_list *l, uint32_t part, struct tf_error *error)
{
	const struct tf_reader *r = l->j->parts[part].r;
	bool *has_threads = find_threads(r);
	int status = has_threads ? 0 : fail_memory(error);

	for (uint32_t k = 0; k < r->processes.count && status == 0; k++)
		status = list_process(l, part, k, has_threads[k], error);
	free(has_threads);
	return status;
}

static int list_all(struct process_list *l, struct tf_error *error)
{
	struct join *j = l->j;
	int status = 0;

	for (uint32_t i = 0; i < j->n && status == 0; i++) {
		struct join_part *p = &j->parts[i];

		l->places[i] = join_indices(p->r->processes.count);
		p->processes = join_indices(p->r->processes.count);
		p->threads = join_indices(p->r->threads.count);
		if (!l->places[i] || !p->processes || !p->threads)
			return fail_memory(error);
		status = list_part(l, i, error);
	}
	for (uint32_t i = 0; i < j->n && status == 0; i++)
		status = find_forks(l, i, error);
	return status;
}

int join_processes(struct join *j, struct tf_error *error)
{
	struct process_list l = { .j = j, .places = calloc(j->n, sizeof(*l.places)) };
	int status = l.places ? list_all(&l, error) : fail_memory(error);

	if (status == 0) {
		find_parents(&l);
		l.chain = join_indices(l.all.count);
		status = l.chain ? add_all(&l, error) : fail_memory(error);
	}
	free(l.chain);
	hash_index_free(&l.by_pid);
	hash_index_free(&l.threads);
	for (size_t i = 0; l.places && i < j->n; i++)
		free(l.places[i]);
	free(l.places);
	free(l.all.at);
	free(l.forks.at);
	return status;
}
