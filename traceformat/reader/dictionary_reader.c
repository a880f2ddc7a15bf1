/* SPDX-License-Identifier: MIT */
/*
 * Loads the dictionary (FORMAT.md 4). A damaged section costs its records and the records that name
 * them; indices say where the next section's records belong.
 */
#include "traceformat/reader/dictionary_records.h"

#include <errno.h>

#include "traceformat/common/error.h"

/* Bytes of memory that a dictionary may take: a constant, and a multiple of the file's size. */
#define DICTIONARY_MEMORY (UINT64_C(160) << 20)
#define DICTIONARY_FACTOR UINT64_C(80)

#define KIND(section, read, array)                                 \
	{                                                          \
		section, read, offsetof(struct tf_reader, array),  \
			sizeof(*((struct tf_reader *)0)->array.at) \
	}

/* How the records of each kind are read, and the array that they fill. */
static const struct record_kind {
	enum section_kind kind;
	record_reader *read;
	size_t array, element_size;
} record_kinds[] = {
	KIND(SECTION_MODULES, read_module, modules),
	{ SECTION_SYMBOLS, read_symbols, 0, 0 },
	KIND(SECTION_PROCESSES, read_process, processes),
	KIND(SECTION_THREADS, read_thread, threads),
	KIND(SECTION_FUNCTIONS, read_function, functions),
	KIND(SECTION_MAPPINGS, read_mapping, mappings),
	KIND(SECTION_REGIONS, read_region, regions),
	KIND(SECTION_BLOCKS, read_block, blocks),
	KIND(SECTION_PATHS, read_path, paths),
	KIND(SECTION_SCHEDULE, read_run, schedule),
	KIND(SECTION_SAMPLERS, read_sampler, samplers),
	KIND(SECTION_KINDS, read_kind, kinds),
};

static const struct record_kind *kind_of(const struct section *s)
{
	for (size_t i = 0; i < sizeof(record_kinds) / sizeof(*record_kinds); i++)
		if (record_kinds[i].kind == s->kind)
			return &record_kinds[i];
	return NULL;
}

/* Allows `index` to lie beyond `count` only by the records that lost sections may have held. */
static bool allow_gap(struct tf_reader *r, uint64_t index, uint64_t count)
{
	if (index < count || index - count > MAX_GAP - r->gap || (index > count && !r->lossy))
		return false;
	r->gap += index - count;
	return true;
}

/* Forgets the records after the first `count`, whose section turned out to be damaged. */
static void forget(struct tf_reader *r, const struct record_kind *k, size_t count)
{
	struct {
		char *at;
		size_t count;
	} array;

	memcpy(&array, (char *)r + k->array, sizeof(array));
	for (size_t i = count; i < array.count && k->kind == SECTION_BLOCKS; i++)
		free(r->blocks.at[i]);
	for (size_t i = count; i < array.count && k->kind == SECTION_PATHS; i++)
		free(r->paths.at[i]);
	if (array.count > count)
		memset(array.at + count * k->element_size, 0,
		       (array.count - count) * k->element_size);
	array.count = count;
	memcpy((char *)r + k->array, &array, sizeof(array));
}

static void forget_exits(struct tf_reader *r, size_t count)
{
	if (r->exits.count > count)
		memset(&r->exits.at[count], 0, (r->exits.count - count) * sizeof(*r->exits.at));
	r->exits.count = count;
}

/* Returns the bytes that the dictionary takes at least. */
static uint64_t memory_taken(const struct tf_reader *r)
{
	const size_t pointers = r->blocks.capacity + r->paths.capacity + r->modules.capacity +
				r->processes.capacity + r->threads.capacity +
				r->functions.capacity + r->mappings.capacity + r->regions.capacity +
				r->samplers.capacity + r->kinds.capacity;

	return r->pool.total + r->code_memory + pointers * sizeof(void *) +
	       r->exits.capacity * sizeof(*r->exits.at) +
	       r->schedule.capacity * sizeof(*r->schedule.at);
}

/*
 * Bounds the memory of a dictionary by the size of the file, since a few bytes can describe many
 * records. raw: bytes of the section being read.
 */
static bool is_too_large(const struct tf_reader *r, size_t raw)
{
	return memory_taken(r) + raw > DICTIONARY_MEMORY + DICTIONARY_FACTOR * r->file_size;
}

static bool read_records(struct tf_reader *r, const struct section *s, const struct record_kind *k,
			 const struct buffer *raw)
{
	void *at = (char *)r + k->array;
	size_t *count = (size_t *)((char *)at + offsetof(ARRAY(void), count));
	size_t *capacity = (size_t *)((char *)at + offsetof(ARRAY(void), capacity));
	size_t before = k->array ? *count : 0, exits = r->exits.count;
	struct loader l = {
		.r = r,
		.in = span_of(raw->data, raw->size),
		.next_exit = s->extra,
		.index = s->first,
	};

	if ((k->array && !allow_gap(r, s->first, before)) ||
	    (s->kind == SECTION_PATHS && !allow_gap(r, s->extra, exits)))
		return false;
	for (; l.index < s->first + s->count; l.index++) {
		if (k->array && !array_reserve(at, capacity, l.index + 1, k->element_size))
			break;
		if (k->array)
			*count = l.index + 1;
		if (!k->read(&l) || l.in.bad)
			break;
		r->too_large = is_too_large(r, raw->size);
		if (r->too_large)
			break;
	}
	if (l.index == s->first + s->count && l.in.at == l.in.end)
		return true;
	if (k->array)
		forget(r, k, before);
	forget_exits(r, exits);
	return false;
}

static int fail_too_large(const struct tf_reader *r, struct tf_error *error)
{
	return fail(error, TF_E_MEMORY,
		    "%s: its dictionary takes more than %llu MiB of memory, which no recorder "
		    "writes into a file of %llu bytes",
		    r->name,
		    (unsigned long long)((DICTIONARY_MEMORY + DICTIONARY_FACTOR * r->file_size) >>
					 20),
		    (unsigned long long)r->file_size);
}

static int load_section(struct tf_reader *r, struct section *s, struct tf_error *error)
{
	const struct record_kind *kind = kind_of(s);
	struct buffer raw = { 0 };
	int status;

	if (section_known(s) < 0)
		return fail_at(error, TF_E_VERSION, s->offset, s->number,
			       "%s: section %u at offset %llu is of kind %u, version %u, which "
			       "this reader must know but does not; get a newer one",
			       r->name, s->number, (unsigned long long)s->offset, s->kind,
			       s->version);
	if (!kind || section_known(s) == 0)
		return 0;
	if (!dictionary_plausible(s->stored, s->raw))
		status = TF_E_DAMAGED;
	else
		status = reader_payload(r, s, &raw, error);
	errno = 0; /* tells a failed malloc from a damaged record */
	if (status == 0 && !read_records(r, s, kind, &raw))
		status = r->too_large      ? fail_too_large(r, error)
			 : errno == ENOMEM ? fail_memory(error)
					   : TF_E_DAMAGED;
	buffer_free(&raw);
	if (status == TF_E_DAMAGED) {
		reader_lose(r, s);
		r->schedule_lost |= s->kind == SECTION_SCHEDULE;
		status = 0;
	}
	return status;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct tf_symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Makes one sorted array of a module's symbols. An array that callers already have stays valid. */
static bool sort_symbols(struct tf_reader *r, struct module_symbols *m)
{
	size_t count = m->count + m->pending.count;
	struct tf_symbol *all;

	if (!m->pending.count)
		return true;
	all = pool_alloc(&r->pool, count * sizeof(*all));
	if (!all)
		return false;
	if (m->count)
		memcpy(all, m->sorted, m->count * sizeof(*all));
	memcpy(all + m->count, m->pending.at, m->pending.count * sizeof(*all));
	qsort(all, count, sizeof(*all), compare_symbols);
	m->sorted = all;
	m->count = count;
	free(m->pending.at);
	memset(&m->pending, 0, sizeof(m->pending));
	return true;
}

/*
 * Clears parents that do not exist; this waits until the end, since a parent may follow its child.
 */
static void clear_lost_parents(struct tf_reader *r)
{
	for (size_t i = 0; i < r->processes.count; i++) {
		struct tf_process *p = r->processes.at[i];

		if (p && (p->parent >= r->processes.count || !r->processes.at[p->parent]))
			p->parent = TF_NONE;
	}
}

/*
 * Drops the chunks of threads whose record is lost, since their instructions belong to no known
 * thread.
 */
static void lose_unknown_threads(struct tf_reader *r)
{
	for (size_t t = 0; t < r->chunks.count; t++) {
		const struct thread_chunks *chunks = &r->chunks.at[t];

		for (size_t k = 0; k < chunks->sections.count && !reader_has_thread(r, t); k++)
			reader_lose(r, &r->sections.at[chunks->sections.at[k]]);
	}
}

bool reader_sort_symbols(struct tf_reader *r)
{
	for (size_t i = 0; i < r->symbols.count; i++)
		if (!sort_symbols(r, &r->symbols.at[i]))
			return false;
	return true;
}

int tf_load(struct tf_reader *r, struct tf_error *error)
{
	size_t before;
	int status = 0;

	pthread_mutex_lock(&r->lock);
	before = r->loaded;
	if (r->loaded < r->sections.count)
		r->lossy |= r->bytes_lost || reader_missing(r) || (r->compat & COMPAT_REPAIRED);
	while (status == 0 && r->loaded < r->sections.count) {
		status = load_section(r, &r->sections.at[r->loaded], error);
		if (status == 0)
			r->loaded++;
	}
	if (status == 0 && r->loaded != before && !reader_sort_symbols(r))
		status = fail_memory(error);
	if (status == 0 && r->loaded != before) {
		clear_lost_parents(r);
		lose_unknown_threads(r);
	}
	pthread_mutex_unlock(&r->lock);
	return status;
}

void reader_forget_dictionary(struct tf_reader *r)
{
	for (size_t i = 0; i < r->blocks.count; i++)
		free(r->blocks.at[i]);
	for (size_t i = 0; i < r->paths.count; i++)
		free(r->paths.at[i]);
	for (size_t i = 0; i < r->symbols.count; i++)
		free(r->symbols.at[i].pending.at);
	pool_free(&r->pool);
	free(r->blocks.at);
	free(r->paths.at);
	free(r->exits.at);
	free(r->modules.at);
	free(r->symbols.at);
	free(r->processes.at);
	free(r->threads.at);
	free(r->functions.at);
	free(r->mappings.at);
	free(r->regions.at);
	free(r->samplers.at);
	free(r->kinds.at);
	free(r->schedule.at);
}
