/* SPDX-License-Identifier: MIT */
/* Answers questions about a trace: META, totals, sections, columns, dictionary look-ups. */
#include "traceformat/common/error.h"
#include "traceformat/common/sorted.h"
#include "traceformat/reader/chunk.h"
#include "traceformat/reader/copies.h"
#include "traceformat/reader/reader.h"
#include "traceformat/tracesamples.h"

/* ---- META ---- */

static char *unescape(const char *text, size_t size)
{
	char *out = malloc(size + 1), *at = out;

	for (size_t i = 0; out && i < size; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < size)
			c = text[++i] == 'n' ? '\n' : text[i];
		*at++ = c;
	}
	if (out)
		*at = 0;
	return out;
}

static void set_meta(struct tf_reader *r, char *key, char *value)
{
	struct meta_line *line = NULL;

	for (size_t i = 0; key && i < r->meta.count && !line; i++)
		if (!strcmp(r->meta.at[i].key, key))
			line = &r->meta.at[i];
	if (line) {
		free(line->key);
		free(line->value);
	} else if (key && value && RESERVE(r->meta, r->meta.count + 1)) {
		line = &r->meta.at[r->meta.count++];
	}
	if (!line || !value) {
		free(key);
		free(value);
		if (line)
			*line = r->meta.at[--r->meta.count];
		return;
	}
	*line = (struct meta_line){ key, value };
}

static void read_meta(struct tf_reader *r)
{
	struct buffer raw = { 0 };

	for (; r->meta_seen < r->sections.count; r->meta_seen++) {
		struct section *s = &r->sections.at[r->meta_seen];
		const char *at, *end, *eol, *colon;

		if (s->kind != SECTION_META)
			continue;
		if (!dictionary_plausible(s->stored, s->raw) ||
		    reader_payload(r, s, &raw, NULL) < 0) {
			reader_lose(r, s);
			continue;
		}
		at = (const char *)raw.data;
		end = at + raw.size;
		for (; (eol = memchr(at, '\n', (size_t)(end - at))); at = eol + 1) {
			colon = memmem(at, (size_t)(eol - at), ": ", 2);
			if (colon && meta_key_valid(at, (size_t)(colon - at)))
				set_meta(r, strndup(at, (size_t)(colon - at)),
					 unescape(colon + 2, (size_t)(eol - colon - 2)));
		}
	}
	buffer_free(&raw);
}

const char *tf_meta(struct tf_reader *r, const char *key)
{
	const char *value = NULL;

	pthread_mutex_lock(&r->lock);
	read_meta(r);
	for (size_t i = 0; i < r->meta.count && !value; i++)
		if (!strcmp(r->meta.at[i].key, key))
			value = r->meta.at[i].value;
	pthread_mutex_unlock(&r->lock);
	return value;
}

const char *tf_meta_at(struct tf_reader *r, size_t i, const char **value)
{
	const char *key = NULL;

	pthread_mutex_lock(&r->lock);
	read_meta(r);
	if (i < r->meta.count) {
		key = r->meta.at[i].key;
		*value = r->meta.at[i].value;
	}
	pthread_mutex_unlock(&r->lock);
	return key;
}

/* ---- totals ---- */

static void take_totals(struct span *s, struct tf_totals *t)
{
	t->instructions = take_varint(s);
	t->loads = take_varint(s);
	t->stores = take_varint(s);
	t->prefetches = take_varint(s);
	t->repetitions = take_varint(s);
	t->opaque = take_varint(s);
	t->blocks = take_varint(s);
	t->paths = take_varint(s);
	t->events = take_varint(s);
}

static const struct section *end_of(const struct tf_reader *r)
{
	const struct section *last = r->sections.count ? &r->sections.at[r->sections.count - 1]
						       : NULL;

	return last && last->kind == SECTION_END && section_known(last) == 1 ? last : NULL;
}

static void take_reason(struct span *s, char *reason, size_t room)
{
	uint64_t size = take_varint(s);
	const uint8_t *text = take_bytes(s, size);

	if (text)
		memcpy(reason, text, size < room ? size : room - 1);
}

/* Returns 0, TF_E_DAMAGED or TF_E_MEMORY. */
static int parse_end(struct span *s, struct end_record *e)
{
	uint64_t n;

	e->wait_status = (int32_t)take_svarint(s);
	take_reason(s, e->stop_reason, sizeof(e->stop_reason));
	n = take_varint(s);
	if (s->bad || n > span_left(s) / 9 || n > MAX_THREADS)
		return TF_E_DAMAGED;
	if (!RESERVE(e->threads, n))
		return TF_E_MEMORY;
	for (; e->threads.count < n; e->threads.count++) {
		take_totals(s, &e->threads.at[e->threads.count]);
		totals_add(&e->totals, &e->threads.at[e->threads.count]);
	}
	return s->bad || s->at != s->end ? TF_E_DAMAGED : 0;
}

const struct end_record *reader_end(struct tf_reader *r)
{
	const struct section *end = end_of(r);
	struct end_record *e = &r->end;
	struct buffer raw = { 0 };
	struct span s;

	if (e->sought)
		return e;
	if (!end) { /* an unfinished trace may still get one */
		e->status = TF_E_DAMAGED;
		return e;
	}
	e->sought = true;
	e->wait_status = -1;
	e->status = end->raw <= MAX_END_SIZE
			    ? reader_payload(r, end, &raw, &e->error)
			    : fail_section(r, end, &e->error, "its sizes cannot be");
	s = span_of(raw.data, raw.size);
	if (e->status == 0 && (e->status = parse_end(&s, e)) == TF_E_MEMORY)
		fail_memory(&e->error);
	else if (e->status < 0 && !e->error.text[0])
		fail_section(r, end, &e->error, "it breaks the format's rules");
	buffer_free(&raw);
	return e;
}

/* Adds up the heads of chunks, leaving out damaged ones. */
static int add_chunks(struct tf_reader *r, const struct thread_chunks *chunks, struct chunk *chunk,
		      struct tf_totals *sum, struct tf_error *error)
{
	int status = 0;

	for (size_t k = 0; k < chunks->sections.count && (status == 0 || status == TF_E_DAMAGED);
	     k++) {
		status = chunk_read(r, &r->sections.at[chunks->sections.at[k]], 0, chunk, error);
		if (status == 0)
			totals_add(sum, &chunk->totals);
	}
	return status == TF_E_DAMAGED ? 0 : status;
}

/* Computes the totals of the chunks of all threads, or of one. */
static int chunk_totals(struct tf_reader *r, uint32_t thread, struct tf_totals *totals,
			struct tf_error *error)
{
	struct chunk chunk = { 0 };
	int status = 0;

	*totals = (struct tf_totals){ 0 };
	for (size_t t = 0; t < r->chunks.count && status == 0; t++)
		if (thread == TF_MERGED || thread == t)
			status = add_chunks(r, &r->chunks.at[t], &chunk, totals, error);
	chunk_free(&chunk);
	return status;
}

static uint32_t records_of(const struct tf_reader *r, enum section_kind kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->sections.count; i++) {
		const struct section *s = &r->sections.at[i];

		if (s->kind == kind && s->count <= MAX_RECORDS && s->first + s->count > n)
			n = s->first + s->count;
	}
	return n > MAX_RECORDS ? 0 : (uint32_t)n;
}

static uint32_t sections_of(const struct tf_reader *r, enum section_kind kind)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->sections.count; i++)
		n += r->sections.at[i].kind == kind;
	return n;
}

/* Returns the instructions for which a thread's chunks leave room but which no section has. */
static uint64_t holes_of(const struct tf_reader *r, const struct thread_chunks *chunks)
{
	uint64_t end = 0, holes = 0;

	for (size_t k = 0; k < chunks->sections.count; k++) {
		const struct section *s = &r->sections.at[chunks->sections.at[k]];

		if (s->first > end)
			holes += s->first - end;
		end = s->count > UINT64_MAX - s->first ? UINT64_MAX : s->first + s->count;
	}
	return holes;
}

/* Returns a thread's instructions as the headers of its chunks give them. */
static uint64_t instructions_of(const struct tf_reader *r, size_t thread)
{
	uint64_t sum = 0;

	for (size_t k = 0; thread < r->chunks.count && k < r->chunks.at[thread].sections.count; k++)
		sum += r->sections.at[r->chunks.at[thread].sections.at[k]].count;
	return sum;
}

/* Compares END and the ordinals with all chunks; in a finished trace, those that INDEX names. */
static void compare_with_chunks(const struct tf_reader *r, const struct end_record *end,
				struct tf_info *info)
{
	size_t n = end->threads.count > r->chunks.count ? end->threads.count : r->chunks.count;

	info->stated_instructions = end->totals.instructions;
	for (size_t t = 0; t < n; t++) {
		uint64_t stated = t < end->threads.count ? end->threads.at[t].instructions : 0;
		uint64_t there = instructions_of(r, t);

		info->consistent &= stated == there;
		info->found_instructions += there;
		if (t < r->chunks.count && !(r->compat & COMPAT_REPAIRED))
			info->missing_instructions += holes_of(r, &r->chunks.at[t]);
	}
	info->consistent &= !info->missing_instructions;
}

/* Returns how many sections are lost, an END that cannot be read among them; at most UINT32_MAX. */
static uint32_t sections_lost(const struct tf_reader *r, const struct end_record *end)
{
	uint64_t n = (uint64_t)reader_missing(r) + r->sections_lost + (reader_tail(r) != 0) +
		     (r->finished && end->status < 0);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void fill_info(struct tf_reader *r, const struct end_record *end, struct tf_info *info)
{
	*info = (struct tf_info){
		.major = r->major,
		.minor = r->minor,
		.created_ns = r->created_ns,
		.file_size = r->file_size,
		.closed = r->finished,
		.has_addresses = !(r->compat & COMPAT_NO_ADDRESSES),
		.order_exact = (r->compat & COMPAT_ORDER_EXACT) && reader_has_order(r),
		.n_sections = (uint32_t)r->sections.count - r->sections_lost,
		.n_sections_lost = sections_lost(r, end),
		.n_sections_restored = copies_used(r),
		.bytes_lost = r->bytes_lost + reader_tail(r),
		.n_threads = records_of(r, SECTION_THREADS),
		.n_processes = records_of(r, SECTION_PROCESSES),
		.n_modules = records_of(r, SECTION_MODULES),
		.n_chunks = sections_of(r, SECTION_CHUNK),
		.n_samples = records_of(r, SECTION_SAMPLES),
		.n_vectors = records_of(r, SECTION_VECTORS),
		.n_intervals = records_of(r, SECTION_INTERVALS),
		.code_withheld = r->incompat & INCOMPAT_CODE_WITHHELD,
		.wait_status = -1,
		.consistent = true,
	};
	memcpy(info->uuid, r->uuid, 16);
	if (end->status < 0) {
		info->n_sections -= r->finished;
		info->bytes_lost += r->finished
					    ? section_span(&r->sections.at[r->sections.count - 1])
					    : 0;
		return;
	}
	info->wait_status = end->wait_status;
	memcpy(info->stop_reason, end->stop_reason, sizeof(info->stop_reason));
	if (r->finished)
		compare_with_chunks(r, end, info);
}

static int get_info(struct tf_reader *r, struct tf_info *info, struct tf_error *error)
{
	const struct end_record *end = reader_end(r);

	if (end->status < 0 && end->status != TF_E_DAMAGED) {
		if (error)
			*error = end->error;
		return end->status;
	}
	fill_info(r, end, info);
	info->complete = r->finished && end->status == 0 && info->consistent &&
			 !info->n_sections_lost && !info->bytes_lost;
	info->totals = end->totals;
	return r->finished && end->status == 0 && info->consistent
		       ? 0
		       : chunk_totals(r, TF_MERGED, &info->totals, error);
}

int tf_get_info(struct tf_reader *r, struct tf_info *info, struct tf_error *error)
{
	struct tf_info out;
	int status;

	pthread_mutex_lock(&r->lock);
	read_meta(r); /* META is short, and no other function reports its loss */
	status = get_info(r, &out, error);
	pthread_mutex_unlock(&r->lock);
	if (status == 0)
		*info = out;
	return status;
}

static int thread_totals(struct tf_reader *r, uint32_t thread, struct tf_totals *totals,
			 struct tf_error *error)
{
	const struct end_record *end = reader_end(r);

	if (r->finished && end->status == 0 && thread < end->threads.count &&
	    end->threads.at[thread].instructions == instructions_of(r, thread)) {
		*totals = end->threads.at[thread];
		return 0;
	}
	return chunk_totals(r, thread, totals, error);
}

int tf_get_thread_totals(struct tf_reader *r, uint32_t thread, struct tf_totals *totals,
			 struct tf_error *error)
{
	struct tf_totals sum = { 0 };
	int status;

	if (thread >= (r->threads.count ? r->threads.count : records_of(r, SECTION_THREADS)))
		return fail(error, TF_E_ARGUMENT, "%s: there is no thread %u", r->name, thread);
	pthread_mutex_lock(&r->lock);
	status = thread_totals(r, thread, &sum, error);
	pthread_mutex_unlock(&r->lock);
	if (status == 0)
		*totals = sum;
	return status;
}

/* ---- sections and columns ---- */

bool tf_section(struct tf_reader *r, uint32_t i, struct tf_section_info *info)
{
	const struct section *s;

	if (i >= r->sections.count)
		return false;
	s = &r->sections.at[i];
	*info = (struct tf_section_info){
		.number = s->number,
		.kind = s->kind,
		.thread = s->thread,
		.offset = s->offset,
		.stored_size = s->stored,
		.raw_size = s->raw,
		.first_ordinal = s->kind == SECTION_CHUNK ? s->first : 0,
		.instructions = s->kind == SECTION_CHUNK ? s->count : 0,
	};
	return true;
}

int tf_section_columns(struct tf_reader *r, uint32_t i,
		       void (*visit)(void *opaque, unsigned id, unsigned coding, uint64_t stored,
				     uint64_t raw),
		       void *opaque, struct tf_error *error)
{
	struct column_table table = { 0 };
	const struct section *s;
	int status;

	if (i >= r->sections.count)
		return fail(error, TF_E_ARGUMENT, "%s: there is no section %u", r->name, i);
	s = &r->sections.at[i];
	if (s->codec != CODEC_COLUMNS) {
		visit(opaque, 0, 0, s->stored, s->raw);
		return 0;
	}
	status = column_table_read(r, s, &table, error);
	for (unsigned k = 0; status == 0 && k < table.count; k++)
		visit(opaque, table.columns[k].id, table.columns[k].coding, table.columns[k].stored,
		      table.columns[k].raw);
	return status;
}

/* ---- dictionary ---- */

#define LOOK_UP(array, i) ((i) < r->array.count ? r->array.at[i] : NULL)

const struct tf_block *tf_block(const struct tf_reader *r, uint32_t id)
{
	const struct compiled_block *b = LOOK_UP(blocks, id);

	return b ? &b->block : NULL;
}

const struct tf_path *tf_path(const struct tf_reader *r, uint32_t id)
{
	const struct compiled_path *p = LOOK_UP(paths, id);

	return p ? &p->path : NULL;
}

const struct tf_module *tf_module(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(modules, i);
}

const struct tf_process *tf_process(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(processes, i);
}

const struct tf_thread *tf_thread(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(threads, i);
}

const struct tf_function *tf_function(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(functions, i);
}

const struct tf_mapping *tf_mapping(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(mappings, i);
}

const struct tf_region *tf_region(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(regions, i);
}

const struct tf_sampler *tf_sampler(const struct tf_reader *r, uint32_t i)
{
	return LOOK_UP(samplers, i);
}

uint32_t tf_n_modules(const struct tf_reader *r)
{
	return (uint32_t)r->modules.count;
}
uint32_t tf_n_processes(const struct tf_reader *r)
{
	return (uint32_t)r->processes.count;
}
uint32_t tf_n_threads(const struct tf_reader *r)
{
	return (uint32_t)r->threads.count;
}
uint32_t tf_n_functions(const struct tf_reader *r)
{
	return (uint32_t)r->functions.count;
}
uint32_t tf_n_mappings(const struct tf_reader *r)
{
	return (uint32_t)r->mappings.count;
}
uint32_t tf_n_regions(const struct tf_reader *r)
{
	return (uint32_t)r->regions.count;
}
uint32_t tf_n_samplers(const struct tf_reader *r)
{
	return (uint32_t)r->samplers.count;
}
uint32_t tf_n_blocks(const struct tf_reader *r)
{
	return (uint32_t)r->blocks.count;
}
uint32_t tf_n_paths(const struct tf_reader *r)
{
	return (uint32_t)r->paths.count;
}
uint32_t tf_n_exits(const struct tf_reader *r)
{
	return (uint32_t)r->exits.count;
}

bool tf_exit(const struct tf_reader *r, uint32_t exit, struct tf_exit_info *info)
{
	const struct exit_entry *e = exit < r->exits.count ? &r->exits.at[exit] : NULL;

	if (!e || !e->path)
		return false;
	*info = (struct tf_exit_info){
		.path = &e->path->path,
		.n_blocks = e->n_blocks,
		.outcome = e->outcome,
		.n_insns = e->n_insns,
		.n_values = e->outcome == TF_PARTIAL ? e->path->path.n_values : e->n_values,
	};
	return true;
}

enum tf_outcome tf_block_outcome(const struct tf_exit_info *exit, uint32_t k, uint32_t left)
{
	return path_outcome((const struct compiled_path *)exit->path, k, left, exit->outcome);
}

const struct tf_symbol *tf_symbols(const struct tf_reader *r, uint32_t module, size_t *count)
{
	*count = module < r->symbols.count ? r->symbols.at[module].count : 0;
	return *count ? r->symbols.at[module].sorted : NULL;
}

/*
 * Returns the last symbol at or below the offset that covers it. A larger symbol may begin earlier,
 * so the search goes back up to LOOK_BACK symbols. A symbol without a size extends to the next one.
 */
const struct tf_symbol *tf_symbol(const struct tf_reader *r, uint32_t module, uint64_t offset)
{
	enum { LOOK_BACK = 16 };
	size_t count;
	const struct tf_symbol *symbols = tf_symbols(r, module, &count);
	size_t end = PARTITION_POINT(symbols, count, symbol, symbol->value <= offset);

	for (size_t back = 1; back <= end && back <= LOOK_BACK; back++) {
		const struct tf_symbol *s = &symbols[end - back];

		if (offset - s->value < s->size || (s->size == 0 && back == 1))
			return s;
	}
	return NULL;
}
