/* SPDX-License-Identifier: MIT */
#include "analyzers/program/heap_objects.h"

#include <search.h>
#include <string.h>

#include "analyzers/program/heap_functions.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

enum { MAX_CALLS = 64 };

bool heap_objects_are_recorded(struct tf_reader *reader, const char *functions)
{
	bool allocates = false, frees = functions;

	for (uint32_t i = 0; i < tf_n_functions(reader); i++) {
		const struct tf_function *function = tf_function(reader, i);
		enum heap_purpose purpose = function ? heap_functions_purpose(functions,
									      function->name)
						     : HEAP_NOTHING;

		if (functions && purpose && function->n_args < heap_functions_args(purpose))
			return false;
		allocates |= purpose == HEAP_MALLOC ||
			     (functions && purpose && purpose != HEAP_FREE);
		frees |= purpose == HEAP_FREE;
	}
	return allocates && frees;
}

void heap_objects_init(struct heap_objects *o, struct tf_reader *reader, const char *functions,
		       struct code_sites *sites, bool keeps)
{
	*o = (struct heap_objects){ .reader = reader, .sites = sites, .keeps = keeps };
	o->n_threads = tf_n_threads(reader);
	o->n_processes = tf_n_processes(reader);
	o->n_functions = tf_n_functions(reader);
	o->threads = checked_array(o->n_threads, sizeof(*o->threads));
	o->live = checked_array(o->n_processes, sizeof(*o->live));
	o->purposes = checked_array(o->n_functions, sizeof(*o->purposes));
	for (uint32_t i = 0; i < o->n_functions; i++)
		if (tf_function(reader, i))
			o->purposes[i] = (uint8_t)
				heap_functions_purpose(functions, tf_function(reader, i)->name);
}

/* ---- the live ones ----------------------------------------------------------------------- */

static uint64_t end_of(const struct heap_object *object)
{
	return object->address + (object->size ? object->size : 1);
}

/* Compares objects by address; overlapping ones are equal. */
static int compare(const void *a, const void *b)
{
	const struct heap_object *x = a, *y = b;

	return end_of(x) <= y->address ? -1 : x->address >= end_of(y);
}

static struct heap_object *find(const struct heap_objects *o, uint32_t process,
				const struct heap_object *range)
{
	struct heap_object **found = tfind(range, &o->live[process], compare);

	return found ? *found : NULL;
}

static struct heap_object *find_at(const struct heap_objects *o, uint32_t process, uint64_t address)
{
	return find(o, process, &(struct heap_object){ .address = address, .size = 1 });
}

static void keep(struct heap_objects *o, struct heap_object *object)
{
	CHECKED_RESERVE(o->kept, object->sampled + 1ul);
	o->kept.at[object->sampled] = object;
	object->kept = true;
}

static void number(struct heap_objects *o, struct heap_object *object)
{
	object->sampled = o->n_sampled++;
	if (o->keeps)
		keep(o, object);
}

static void drop(void *object)
{
	if (!((struct heap_object *)object)->kept)
		free(object);
}

static void tell(const struct heap_objects *o, const struct heap_object *object)
{
	if (o->ended && object->sampled != TF_NONE)
		o->ended(o->opaque, object);
}

static void change(struct heap_objects *o, struct heap_object *object, enum heap_change change)
{
	if (o->changed)
		o->changed(o->opaque, object, change);
}

static void end(struct heap_objects *o, struct heap_object *object, uint64_t ordinal,
		enum heap_change how)
{
	tdelete(object, &o->live[object->process], compare);
	change(o, object, how);
	object->freed = ordinal;
	tell(o, object);
	drop(object);
}

static void tell_lifetimes(struct heap_objects *o, const struct heap_object *object)
{
	lifetimes_add(o->lifetimes,
		      &(struct object_change){
			      .not_before = lifetimes_now(o->lifetimes, object->thread),
			      .address = object->address,
			      .size = object->size ? object->size : 1,
			      .process = object->process,
			      .thread = object->thread,
			      .object = object->sampled,
		      });
}

/*
 * Begins an object. An object at the same place has been freed unseen, or is an inner part of this
 * one, as malloc's in new.
 */
static struct heap_object *begin(struct heap_objects *o, const struct heap_object *object)
{
	struct heap_object *fresh, *old;

	while ((old = find(o, object->process, object)))
		end(o, old, object->allocated, HEAP_REPLACED);
	fresh = memcpy(checked(malloc(sizeof(*fresh))), object, sizeof(*fresh));
	checked(tsearch(fresh, &o->live[object->process], compare));
	if (o->lifetimes) {
		number(o, fresh);
		tell_lifetimes(o, fresh);
	}
	return fresh;
}

/* Frees the object at an address, of which another one keeps at most so many bytes. */
static void free_at(struct heap_objects *o, uint32_t process, uint64_t address, uint64_t ordinal,
		    uint64_t kept)
{
	struct heap_object *object = find_at(o, process, address);

	if (!object || object->address != address)
		return;
	o->kept_bytes = kept < object->size ? kept : object->size;
	end(o, object, ordinal, HEAP_FREED);
}

void heap_objects_free(struct heap_objects *o)
{
	for (uint32_t i = 0; i < o->n_processes; i++)
		tdestroy(o->live[i], drop);
	for (uint32_t i = 0; i < o->n_threads; i++)
		free(o->threads[i].calls);
	for (uint32_t i = 0; o->keeps && i < o->n_sampled; i++)
		free(o->kept.at[i]);
	free(o->kept.at);
	free(o->threads);
	free(o->live);
	free(o->purposes);
}

/* Returns the process of an event; in a damaged trace it may be none. */
static uint32_t process_of(const struct heap_objects *o, const struct tf_event *event)
{
	return tf_thread(o->reader, event->thread)->process;
}

/* ---- calls ------------------------------------------------------------------------------- */

static void call(struct heap_objects *o, const struct tf_event *event)
{
	struct heap_calls *calls = &o->threads[event->thread];
	struct heap_call *fresh;

	if (event->call.function >= o->n_functions || !o->purposes[event->call.function])
		return;
	if (!calls->calls)
		calls->calls = checked_array(MAX_CALLS, sizeof(*calls->calls));
	if (calls->count == MAX_CALLS)
		memmove(calls->calls, calls->calls + 1, --calls->count * sizeof(*calls->calls));
	fresh = &calls->calls[calls->count++];
	*fresh = (struct heap_call){ .function = event->call.function, .owner = TF_NONE };
	memcpy(fresh->args, event->call.args, sizeof(fresh->args));
	if (o->lifetimes)
		fresh->not_before = lifetimes_now(o->lifetimes, event->thread);
}

/*
 * Reports a call that frees. The call ends the object at some time after the call began; if it
 * never returns, the time is unknown.
 */
static void tell_freed(struct heap_objects *o, uint32_t thread, const struct heap_call *from)
{
	enum heap_purpose purpose = o->purposes[from->function];

	if (o->lifetimes && (purpose == HEAP_FREE || purpose == HEAP_REALLOC) && from->args[0])
		lifetimes_add(o->lifetimes,
			      &(struct object_change){
				      .not_before = from->not_before,
				      .address = from->args[0],
				      .process = tf_thread(o->reader, thread)->process,
				      .thread = thread,
				      .object = TF_NONE,
			      });
}

/* Returns the bytes that a call asks for. */
static uint64_t requested_size(enum heap_purpose purpose, const uint64_t *args)
{
	switch (purpose) {
	case HEAP_CALLOC: return args[0] * args[1];
	case HEAP_REALLOC:
	case HEAP_MEMALIGN: return args[1];
	default: return args[0];
	}
}

static void allocated(struct heap_objects *o, const struct heap_object *object)
{
	change(o, begin(o, object), HEAP_ALLOCATED);
	o->threads[object->thread].returned = object->address;
}

static void returned(struct heap_objects *o, const struct tf_event *event,
		     const struct heap_call *from)
{
	uint32_t process = process_of(o, event);
	enum heap_purpose purpose = o->purposes[from->function];
	struct heap_object object = {
		.process = process,
		.thread = event->thread,
		.address = event->ret.result,
		.allocated = event->ordinal,
		.freed = UINT64_MAX,
		.site = TF_NONE,
		.sampled = TF_NONE,
		.owner = from->owner,
		.size = requested_size(purpose, from->args),
	};

	tell_freed(o, event->thread, from);
	if (purpose == HEAP_FREE ||
	    (purpose == HEAP_REALLOC && (event->ret.result || !from->args[1])))
		free_at(o, process, from->args[0], event->ordinal,
			purpose == HEAP_FREE ? 0 : from->args[1]);
	if (purpose != HEAP_FREE && object.address && end_of(&object) > object.address)
		allocated(o, &object);
	o->kept_bytes = 0;
}

/*
 * Ends a call. Calls that longjmp left never return; they end with the next outer call that
 * returns.
 */
static void return_from(struct heap_objects *o, const struct tf_event *event)
{
	struct heap_calls *calls = &o->threads[event->thread];

	for (unsigned i = calls->count; i-- > 0;)
		if (calls->calls[i].function == event->ret.function) {
			while (--calls->count > i)
				tell_freed(o, event->thread, &calls->calls[calls->count]);
			returned(o, event, &calls->calls[i]);
			return;
		}
}

/* ---- processes --------------------------------------------------------------------------- */

enum { MAX_INHERITED = 1 << 20 };

struct copying {
	struct heap_objects *objects;
	uint32_t process;
};

static void copy(const void *node, VISIT visit, void *opaque)
{
	const struct copying *copying = opaque;
	struct heap_object object = **(struct heap_object *const *)node;

	if (visit != postorder && visit != leaf)
		return;
	object.process = copying->process;
	object.sampled = TF_NONE;
	object.owner = TF_NONE;
	object.use = NULL;
	object.kept = false;
	copying->objects->n_inherited++;
	begin(copying->objects, &object);
}

/* Gives a child process the objects of its parent. */
static void inherit(struct heap_objects *o, uint32_t process)
{
	const struct tf_process *child = tf_process(o->reader, process);
	struct copying copying = { o, process };

	/*
	 * By time it is not known which objects lived then, because other threads may have freed
	 * some.
	 */
	if (o->lifetimes)
		return;
	if (!child || child->parent >= o->n_processes || child->parent == process)
		return;
	if (o->n_inherited >= MAX_INHERITED && !o->told) {
		o->told = true;
		command_warning("more than %d objects were begun with by processes; those of later "
				"ones are not known",
				MAX_INHERITED);
	}
	if (o->n_inherited < MAX_INHERITED)
		twalk_r(o->live[child->parent], copy, &copying);
}

static void forget(struct heap_objects *o, uint32_t process, uint64_t ordinal)
{
	while (o->live[process])
		end(o, *(struct heap_object **)o->live[process], ordinal, HEAP_FREED);
}

void heap_objects_event(struct heap_objects *o, const struct tf_event *event)
{
	if (event->thread >= o->n_threads || process_of(o, event) >= o->n_processes)
		return;
	if (o->lifetimes)
		lifetimes_event(o->lifetimes, event);
	switch (event->kind) {
	case TF_EVENT_CALL: call(o, event); break;
	case TF_EVENT_RETURN: return_from(o, event); break;
	case TF_EVENT_PROCESS_START: inherit(o, event->process_start.process); break;
	case TF_EVENT_GAP:
		if (o->lifetimes)
			lifetimes_gap(o->lifetimes, event->thread);
		break;
	case TF_EVENT_EXEC:
		if (o->lifetimes)
			lifetimes_exec(o->lifetimes, process_of(o, event), event->thread);
		forget(o, process_of(o, event), event->ordinal);
		break;
	}
}

static void tell_live(const void *node, VISIT visit, void *objects)
{
	if (visit == postorder || visit == leaf)
		tell(objects, *(struct heap_object *const *)node);
}

void heap_objects_end(struct heap_objects *o)
{
	for (uint32_t i = 0; i < o->n_processes; i++)
		twalk_r(o->live[i], tell_live, o);
}

void heap_objects_replayed(struct heap_objects *o)
{
	for (uint32_t i = 0; i < o->n_threads; i++)
		while (o->threads[i].count)
			tell_freed(o, i, &o->threads[i].calls[--o->threads[i].count]);
	lifetimes_end(o->lifetimes);
}

/* ---- uses -------------------------------------------------------------------------------- */

void heap_objects_block(struct heap_objects *o, uint32_t thread, const struct tf_block *block)
{
	struct heap_calls *calls = &o->threads[thread];
	struct heap_object *object;

	if (!calls->returned)
		return;
	object = find_at(o, tf_thread(o->reader, thread)->process, calls->returned);
	calls->returned = 0;
	/* The call's last byte stands for it, as in any backtrace. */
	if (object)
		object->site = code_sites_add(o->sites, block->pc - 1, block->module,
					      block->module_offset - 1, NULL);
}

const struct heap_object *heap_objects_find(struct heap_objects *o, uint32_t process,
					    uint64_t address)
{
	struct heap_object *object = process < o->n_processes ? find_at(o, process, address) : NULL;

	if (!object || object->sampled != TF_NONE)
		return object;
	number(o, object);
	return object;
}
