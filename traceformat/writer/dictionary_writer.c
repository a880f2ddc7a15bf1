/* SPDX-License-Identifier: MIT */
/*
 * Adds to the dictionary. Each record is checked, encoded (FORMAT.md 4) and kept pending until the
 * next section that needs it.
 */
#include "traceformat/tracesamples.h"
#include "traceformat/writer/writer.h"

#include "traceformat/codings/slots.h"
#include "traceformat/common/error.h"
#include "traceformat/file/format.h"

void *fixed_vector_next(struct fixed_vector *v)
{
	uint32_t i = v->count;
	void **segment;

	if (!v->segments)
		v->segments = calloc(MAX_SEGMENTS, sizeof(void *));
	if (!v->segments || i >> SEGMENT_BITS >= MAX_SEGMENTS)
		return NULL;
	segment = &v->segments[i >> SEGMENT_BITS];
	if (!*segment)
		*segment = calloc(SEGMENT_ELEMENTS, v->element_size);
	return *segment ? fixed_vector_at(v, i) : NULL;
}

enum { FLUSH_BYTES = 4 << 20 };

int writer_added(struct tf_writer *w, struct pending *p, uint32_t *counter, uint32_t *index,
		 struct tf_error *error)
{
	uint32_t mine = (*counter)++;
	int status = 0;

	p->count++;
	if (p->bytes.failed)
		status = fail_memory(error);
	else if (p->bytes.size > FLUSH_BYTES)
		status = writer_flush_pending(w, error);
	pthread_mutex_unlock(&w->lock);
	if (status < 0)
		return status;
	if (index)
		*index = mine;
	return 0;
}

int tf_writer_add_module(struct tf_writer *w, const struct tf_module *m, uint32_t *index,
			 struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_MODULES];

	if (m->build_id_size > sizeof(m->build_id))
		return fail(error, TF_E_ARGUMENT, "a build-id has at most 20 bytes");
	pthread_mutex_lock(&w->lock);
	put_varint(&p->bytes, m->kind);
	put_string(&p->bytes, m->path);
	put_varint(&p->bytes, m->build_id_size);
	put_bytes(&p->bytes, m->build_id, m->build_id_size);
	put_varint(&p->bytes, m->file_size);
	return writer_added(w, p, &w->n_modules, index, error);
}

static int add_symbols(struct tf_writer *w, uint32_t module, const struct tf_symbol *symbols,
		       size_t count, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_SYMBOLS];
	uint64_t last = 0;
	uint32_t unused = 0;

	pthread_mutex_lock(&w->lock);
	put_varint(&p->bytes, module);
	put_varint(&p->bytes, count);
	for (size_t i = 0; i < count; i++) {
		put_svarint(&p->bytes, (int64_t)(symbols[i].value - last));
		put_varint(&p->bytes, symbols[i].size);
		put_u8(&p->bytes, symbols[i].kind);
		put_string(&p->bytes, symbols[i].name);
		last = symbols[i].value;
	}
	return writer_added(w, p, &unused, NULL, error);
}

int tf_writer_add_symbols(struct tf_writer *w, uint32_t module, const struct tf_symbol *symbols,
			  size_t count, struct tf_error *error)
{
	enum { RECORD = 1 << 14 }; /* so that no section gets too large */
	int status = 0;

	if (module >= w->n_modules)
		return fail(error, TF_E_ARGUMENT, "no module %u", module);
	for (size_t i = 0; status == 0 && i < count; i += RECORD)
		status = add_symbols(w, module, symbols + i,
				     count - i < RECORD ? count - i : RECORD, error);
	return status;
}

int tf_writer_add_process(struct tf_writer *w, const struct tf_process *process, uint32_t *index,
			  struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_PROCESSES];

	pthread_mutex_lock(&w->lock);
	put_varint(&p->bytes, process->pid);
	put_index(&p->bytes, process->parent);
	return writer_added(w, p, &w->n_processes, index, error);
}

int tf_writer_add_thread(struct tf_writer *w, const struct tf_thread *thread, uint32_t *index,
			 struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_THREADS];
	uint32_t mine;

	if (thread->process >= w->n_processes)
		return fail(error, TF_E_ARGUMENT, "no process %u", thread->process);
	if (w->threads.count >= MAX_THREADS)
		return fail(error, TF_E_ARGUMENT, "a trace has at most %llu threads",
			    (unsigned long long)MAX_THREADS);
	pthread_mutex_lock(&w->lock);
	if (!fixed_vector_next(&w->threads)) {
		pthread_mutex_unlock(&w->lock);
		return fail_memory(error);
	}
	put_varint(&p->bytes, thread->process);
	put_varint(&p->bytes, thread->tid);
	mine = w->threads.count;
	w->threads.count = mine + 1;
	return writer_added(w, p, &mine, index, error);
}

int tf_writer_add_function(struct tf_writer *w, const struct tf_function *function, uint32_t *index,
			   struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_FUNCTIONS];

	if (function->n_args > TF_MAX_CALL_ARGS)
		return fail(error, TF_E_ARGUMENT, "%s: at most %d arguments are recorded",
			    function->name, TF_MAX_CALL_ARGS);
	pthread_mutex_lock(&w->lock);
	put_varint(&p->bytes, function->n_args);
	put_string(&p->bytes, function->name);
	return writer_added(w, p, &w->n_functions, index, error);
}

int tf_writer_add_mapping(struct tf_writer *w, const struct tf_mapping *m, uint32_t *index,
			  struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_MAPPINGS];

	if (m->process >= w->n_processes)
		return fail(error, TF_E_ARGUMENT, "no process %u", m->process);
	pthread_mutex_lock(&w->lock);
	put_varint(&p->bytes, m->change);
	put_varint(&p->bytes, m->process);
	put_index(&p->bytes, m->module);
	put_varint(&p->bytes, m->start);
	put_varint(&p->bytes, m->size);
	put_varint(&p->bytes, m->file_offset);
	put_varint(&p->bytes, m->protection);
	put_string(&p->bytes, m->name);
	return writer_added(w, p, &w->n_mappings, index, error);
}

int tf_writer_add_region(struct tf_writer *w, const struct tf_region *region, uint32_t *index,
			 struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_REGIONS];

	pthread_mutex_lock(&w->lock);
	put_string(&p->bytes, region->name);
	return writer_added(w, p, &w->n_regions, index, error);
}

static void put_operand(struct buffer *b, const struct tf_operand *o)
{
	put_u8(b, (uint8_t)(o->access | o->form << 3));
	put_u8(b, (uint8_t)(o->flags | o->segment << 4));
	put_varint(b, o->size);
	if (o->form == TF_MASKED || o->form == TF_LANES)
		put_u8(b, o->lanes);
	if (o->form == TF_LANES) {
		put_u8(b, o->index_size);
		put_u8(b, o->scale);
	}
}

enum { INSN_HAS_OPERANDS = 0x40, END_HAS_TARGET = 0x10 };

static void put_registers(struct buffer *b, const uint8_t *registers, unsigned n)
{
	put_varint(b, n);
	put_bytes(b, registers, n);
}

void put_insn_kind(struct buffer *b, const struct tf_insn_kind *k)
{
	put_u8(b, k->insn_class);
	put_varint(b, k->flags);
	put_varint(b, k->traits);
	put_string(b, k->category);
	put_string(b, k->iclass);
	put_string(b, k->mnemonic);
	put_u8(b, k->n_register_operands);
	put_registers(b, k->reads, k->n_reads);
	put_registers(b, k->writes, k->n_writes);
	put_varint(b, k->general_reads);
	put_varint(b, k->general_writes);
}

/* Puts the number of a kind, which becomes a record when it occurs first. */
static void put_kind_number(struct tf_writer *w, struct buffer *b, const struct tf_insn_kind *k)
{
	struct pending *p = &w->pending[SECTION_KINDS];
	struct record_bytes *known;
	bool is_new;

	w->record.size = 0;
	put_insn_kind(&w->record, k);
	known = record_set_put(&w->kinds, &w->record, &is_new);
	if (!known) {
		b->failed = true;
		return;
	}
	if (is_new) {
		known->value = (uint32_t)w->kinds.records.count - 1;
		put_bytes(&p->bytes, known->bytes, known->size);
		p->count++;
	}
	b->failed |= p->bytes.failed;
	put_varint(b, known->value);
}

static void put_block(struct tf_writer *w, struct buffer *b, const struct tf_block *block,
		      uint64_t last_pc, uint64_t last_bias)
{
	put_svarint(b, (int64_t)(block->pc - last_pc));
	put_index(b, block->module);
	put_svarint(b, (int64_t)(block->pc - block->module_offset - last_bias));
	put_u8(b, (uint8_t)(block->end | (block->target ? END_HAS_TARGET : 0)));
	if (block->target)
		put_svarint(b, (int64_t)(block->target - block->pc));
	put_varint(b, block->n_insns);
	for (unsigned i = 0; i < block->n_insns; i++) {
		const struct tf_insn *insn = &block->insns[i];

		put_u8(b, (uint8_t)(insn->length | insn->flags << 4 |
				    (insn->n_operands ? INSN_HAS_OPERANDS : 0)));
		if (insn->n_operands)
			put_varint(b, insn->n_operands);
		for (unsigned k = 0; k < insn->n_operands; k++)
			put_operand(b, &block->operands[insn->first_operand + k]);
	}
	for (unsigned i = 0; block->kinds && i < block->n_insns; i++)
		put_kind_number(w, b, block->kinds[i]);
	if (!block->kinds)
		put_bytes(b, block->code, block->code_size);
}

/* Returns the index of the first instruction whose kind a reader would refuse, or n_insns. */
static unsigned find_bad_kind(const struct tf_block *block)
{
	unsigned i = 0;

	while (block->kinds && i < block->n_insns && kind_name_valid(block->kinds[i]->category) &&
	       kind_name_valid(block->kinds[i]->iclass) &&
	       kind_name_valid(block->kinds[i]->mnemonic))
		i++;
	return block->kinds ? i : block->n_insns;
}

int tf_writer_add_block(struct tf_writer *w, const struct tf_block *block, uint32_t *id,
			struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_BLOCKS];
	struct compiled_block *compiled, **place;
	struct tf_block *copy;
	const char *why;

	if (w->code_withheld != !!block->kinds)
		return fail(error, TF_E_ARGUMENT, "block at 0x%llx: %s",
			    (unsigned long long)block->pc,
			    w->code_withheld ? "the trace withholds code, and needs its kinds"
					     : "kinds are for traces that withhold code");
	if (find_bad_kind(block) < block->n_insns)
		return fail(error, TF_E_ARGUMENT,
			    "block at 0x%llx: instruction %u: a name of its kind has more than %d "
			    "characters, or others than letters, digits and underscores",
			    (unsigned long long)block->pc, find_bad_kind(block), TF_MAX_KIND_TEXT);
	compiled = block_compile(block, &why);
	if (!compiled)
		return why ? fail(error, TF_E_ARGUMENT, "block at 0x%llx: %s",
				  (unsigned long long)block->pc, why)
			   : fail_memory(error);
	copy = &compiled->block;
	pthread_mutex_lock(&w->lock);
	place = fixed_vector_next(&w->blocks);
	if (!place || (copy->module != TF_NONE && copy->module >= w->n_modules)) {
		pthread_mutex_unlock(&w->lock);
		free(compiled);
		return place ? fail(error, TF_E_ARGUMENT, "no module %u", block->module)
			     : fail_memory(error);
	}
	*place = compiled;
	copy->id = w->blocks.count;
	put_block(w, &p->bytes, copy, w->last_pc, w->last_bias);
	copy->kinds = NULL; /* the records are the caller's */
	w->last_pc = copy->pc;
	w->last_bias = copy->pc - copy->module_offset;
	w->blocks.count = copy->id + 1;
	return writer_added(w, p, &(uint32_t){ copy->id }, id, error);
}

static void put_recipe(struct buffer *b, const struct tf_recipe *r)
{
	unsigned width = r->bit_string ? (unsigned)__builtin_ctz(r->bit_string) - 3 : 0;

	put_u8(b, (uint8_t)(r->base | !!r->scale << 2 | width << 3 | r->address32 << 5 |
			    r->segment << 6));
	if (r->base == TF_BASE_SLOT)
		put_varint(b, r->slot);
	if (r->scale || r->bit_string)
		put_varint(b, r->index_slot);
	if (r->scale)
		put_u8(b, r->scale);
	put_svarint(b, r->displacement);
}

static void put_path(struct buffer *b, const struct tf_path *path, uint32_t last_block)
{
	put_varint(b, path->n_blocks);
	for (unsigned i = 0; i < path->n_blocks; i++) {
		put_svarint(b, (int32_t)(path->blocks[i] - last_block));
		last_block = path->blocks[i];
	}
	put_varint(b, path->n_slots);
	put_varint(b, path->recipes ? path->n_values + 1u : 0);
	for (unsigned i = 0; path->recipes && i < path->n_values; i++)
		put_recipe(b, &path->recipes[i]);
	put_varint(b, path->n_exits);
	for (unsigned k = 0; k < path->n_exits; k++) {
		const struct tf_exit *e = &path->exits[k];

		put_varint(b, e->n_blocks);
		put_u8(b, (uint8_t)(e->outcome | e->rsp_rule << 4));
		put_varint(b, e->n_slots);
		if (e->rsp_rule == TF_RSP_SLOT)
			put_varint(b, e->rsp_slot);
		if (e->rsp_rule != TF_RSP_UNTRACKED)
			put_svarint(b, e->rsp_value);
	}
}

static const struct compiled_block *find_block(const void *opaque, uint32_t id)
{
	const struct tf_writer *w = opaque;

	return id < w->blocks.count ? *(struct compiled_block **)fixed_vector_at(&w->blocks, id)
				    : NULL;
}

static bool publish_exits(struct tf_writer *w, const struct compiled_path *path)
{
	for (unsigned k = 0; k <= path->path.n_exits; k++) {
		struct writer_exit *exit = fixed_vector_next(&w->exits);

		if (!exit)
			return false;
		exit_compile(path, k, &exit->entry);
		exit->counts = exit_counts(&exit->entry);
		w->exits.count++;
	}
	return true;
}

int tf_writer_add_path(struct tf_writer *w, const struct tf_path *path, uint32_t *id,
		       uint32_t *first_exit, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_PATHS];
	struct compiled_path *copy, **place;
	const char *why;

	pthread_mutex_lock(&w->lock);
	if (slot_states_of(path->n_slots) > UINT32_MAX - w->n_slots) {
		pthread_mutex_unlock(&w->lock);
		return fail(error, TF_E_ARGUMENT, "the paths of a trace have too many slots");
	}
	copy = path_compile(path, PATH_WRITTEN, find_block, w, w->n_slots, &why);
	place = copy ? fixed_vector_next(&w->paths) : NULL;
	if (!place) {
		pthread_mutex_unlock(&w->lock);
		free(copy);
		return why ? fail(error, TF_E_ARGUMENT, "path: %s", why) : fail_memory(error);
	}
	*place = copy;
	copy->path.id = w->paths.count;
	copy->path.first_exit = w->exits.count;
	w->n_slots += slot_states_of(path->n_slots);
	w->paths.count = copy->path.id + 1;
	put_path(&p->bytes, path, w->last_block);
	w->last_block = path->blocks[path->n_blocks - 1];
	if (!publish_exits(w, copy))
		p->bytes.failed = true;
	if (first_exit)
		*first_exit = copy->path.first_exit;
	return writer_added(w, p, &(uint32_t){ copy->path.id }, id, error);
}

/* ---- samples --------------------------------------------------------------------------------- */

int tf_writer_add_sampler(struct tf_writer *w, const struct tf_sampler *s, uint32_t *index,
			  struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_SAMPLERS];

	pthread_mutex_lock(&w->lock);
	put_string(&p->bytes, s->event);
	put_string(&p->bytes, s->pmu);
	put_varint(&p->bytes, s->origin);
	put_varint(&p->bytes, s->caps);
	put_varint(&p->bytes, s->attr_size);
	put_bytes(&p->bytes, s->attr, s->attr_size);
	return writer_added(w, p, &w->n_samplers, index, error);
}

static void put_chain(struct buffer *b, const struct tf_sample *s)
{
	uint64_t last = s->ip;

	put_varint(b, s->n_chain);
	for (uint64_t i = 0; i < s->n_chain; i++) {
		put_svarint(b, (int64_t)(s->chain[i] - last));
		last = s->chain[i];
	}
}

static void put_fields(struct buffer *b, const struct tf_sample *s)
{
	const struct {
		uint32_t field;
		uint64_t value;
	} numbers[] = {
		{ TF_SAMPLE_ADDRESS, s->address },
		{ TF_SAMPLE_PHYSICAL_ADDRESS, s->physical_address },
		{ TF_SAMPLE_PERIOD, s->period },
		{ TF_SAMPLE_WEIGHT, s->weight },
		{ TF_SAMPLE_DATA_SOURCE, s->data_source },
		{ TF_SAMPLE_DATA_PAGE_SIZE, s->data_page_size },
		{ TF_SAMPLE_CODE_PAGE_SIZE, s->code_page_size },
		{ TF_SAMPLE_RAW, s->raw_size },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (s->fields & numbers[i].field)
			put_varint(b, numbers[i].value);
	if (s->fields & TF_SAMPLE_RAW)
		put_bytes(b, s->raw, s->raw_size);
	if (s->fields & TF_SAMPLE_PROGRAM_IP)
		put_svarint(b, (int64_t)(s->program_ip - s->ip));
	if (s->fields & TF_SAMPLE_CHAIN)
		put_chain(b, s);
}

static void put_sample(struct tf_writer *w, struct buffer *b, const struct tf_sample *s)
{
	put_index(b, s->cpu);
	put_u8(b, (uint8_t)((s->mode & SAMPLE_MODE) | (s->exact_ip ? SAMPLE_EXACT_IP : 0) |
			    (s->is_overhead ? SAMPLE_OVERHEAD : 0)));
	put_svarint(b, (int64_t)(s->ip - w->last_ip));
	put_varint(b, s->fields & TF_SAMPLE_ALL_FIELDS);
	put_fields(b, s);
	w->last_ip = s->ip;
}

static void put_mapping(struct buffer *b, const struct tf_sample *s)
{
	put_varint(b, s->mapping);
	put_varint(b, s->bias);
}

int tf_writer_add_sample(struct tf_writer *w, const struct tf_sample *s, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_SAMPLES];
	struct buffer *b = &w->record;

	if ((s->sampler != TF_NONE && s->sampler >= w->n_samplers) ||
	    (s->thread != TF_NONE && s->thread >= w->threads.count))
		return fail(error, TF_E_ARGUMENT, "no sampler %u, or no thread %u", s->sampler,
			    s->thread);
	pthread_mutex_lock(&w->lock);
	b->size = 0;
	put_index(b, s->sampler);
	put_index(b, s->thread);
	put_svarint(b, (int64_t)(s->time_ns - w->last_time));
	w->last_time = s->time_ns;
	if (s->kind == TF_SAMPLE)
		put_sample(w, b, s);
	else if (s->kind == TF_SAMPLES_LOST)
		put_varint(b, s->lost);
	else if (s->kind == TF_SAMPLES_MAPPING)
		put_mapping(b, s);
	else if (s->kind == TF_SAMPLES_NAME)
		put_string(b, s->name);
	put_varint(&p->bytes, s->kind);
	put_varint(&p->bytes, b->size);
	put_bytes(&p->bytes, b->data, b->size);
	p->bytes.failed |= b->failed;
	return writer_added(w, p, &(uint32_t){ 0 }, NULL, error);
}
