/* SPDX-License-Identifier: MIT */
/* Reads samples (FORMAT.md 4.4), section by section: memory does not depend on their number. */
#include "traceformat/common/error.h"
#include "traceformat/reader/section_records.h"
#include "traceformat/tracesamples.h"

struct sample_records {
	struct span in;
	uint64_t left;             /* records */
	uint64_t time, ip;         /* of the record before */
	struct buffer chain, name; /* of the record at hand */
};

struct tf_samples {
	struct tf_reader *reader;
	size_t next_section;
	const struct section *section; /* of the records */
	struct buffer payload;
	struct sample_records records;
};

/* Begins reading the records of a section. */
static void begin_records(struct sample_records *r, const struct section *s,
			  const struct buffer *payload)
{
	r->in = span_of(payload->data, payload->size);
	r->left = s->count;
	r->time = r->ip = 0;
}

static void free_records(struct sample_records *r)
{
	buffer_free(&r->chain);
	buffer_free(&r->name);
}

/* Takes a call chain. If memory is out, the record counts as damaged. */
static void take_chain(struct sample_records *r, struct span *s, struct tf_sample *sample)
{
	uint64_t address = sample->ip, n = take_varint_max(s, span_left(s));

	r->chain.size = 0;
	for (uint64_t i = 0; i < n; i++) {
		address += (uint64_t)take_svarint(s);
		put_bytes(&r->chain, &address, sizeof(address));
	}
	s->bad |= r->chain.failed;
	sample->chain = (const uint64_t *)r->chain.data;
	sample->n_chain = s->bad ? 0 : n;
}

static void take_name(struct sample_records *r, struct span *s, struct tf_sample *sample)
{
	uint64_t size = take_varint(s);
	const uint8_t *bytes = take_bytes(s, size);

	r->name.size = 0;
	put_bytes(&r->name, bytes, bytes ? size : 0);
	put_u8(&r->name, 0);
	s->bad |= r->name.failed;
	sample->name = s->bad ? "" : (const char *)r->name.data;
}

static void take_fields(struct sample_records *r, struct span *s, struct tf_sample *sample)
{
	const struct {
		uint32_t field;
		uint64_t *to;
	} numbers[] = {
		{ TF_SAMPLE_ADDRESS, &sample->address },
		{ TF_SAMPLE_PHYSICAL_ADDRESS, &sample->physical_address },
		{ TF_SAMPLE_PERIOD, &sample->period },
		{ TF_SAMPLE_WEIGHT, &sample->weight },
		{ TF_SAMPLE_DATA_SOURCE, &sample->data_source },
		{ TF_SAMPLE_DATA_PAGE_SIZE, &sample->data_page_size },
		{ TF_SAMPLE_CODE_PAGE_SIZE, &sample->code_page_size },
		{ TF_SAMPLE_RAW, &sample->raw_size },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sample->fields & numbers[i].field)
			*numbers[i].to = take_varint(s);
	sample->raw = take_bytes(s, sample->raw_size);
	if (sample->fields & TF_SAMPLE_PROGRAM_IP)
		sample->program_ip = sample->ip + (uint64_t)take_svarint(s);
	if (sample->fields & TF_SAMPLE_CHAIN)
		take_chain(r, s, sample);
}

static void take_sample(struct sample_records *r, struct span *s, struct tf_sample *sample)
{
	uint8_t mode;

	sample->cpu = take_index(s);
	mode = take_u8(s);
	sample->mode = mode & SAMPLE_MODE;
	sample->exact_ip = mode & SAMPLE_EXACT_IP;
	sample->ip = r->ip += (uint64_t)take_svarint(s);
	sample->fields = (uint32_t)take_varint_max(s, UINT32_MAX);
	sample->is_overhead = mode & SAMPLE_OVERHEAD;
	take_fields(r, s, sample);
	/* Fields of a later version follow those of this one. */
	sample->fields &= TF_SAMPLE_ALL_FIELDS;
}

static void take_mapping(struct span *s, struct tf_sample *sample)
{
	sample->mapping = (uint32_t)take_varint_max(s, UINT32_MAX);
	sample->bias = take_varint(s);
}

/* Takes a record. Returns false if it is damaged. A record of a later kind has no fields set. */
static bool take_record(struct sample_records *r, struct tf_sample *sample)
{
	uint32_t kind = (uint32_t)take_varint_max(&r->in, UINT32_MAX);
	uint64_t size = take_varint(&r->in);
	const uint8_t *bytes = take_bytes(&r->in, size);
	struct span s = span_of(bytes, bytes ? size : 0);

	*sample = (struct tf_sample){ .kind = (enum tf_sample_kind)kind, .cpu = TF_NONE };
	sample->sampler = take_index(&s);
	sample->thread = take_index(&s);
	sample->time_ns = r->time += (uint64_t)take_svarint(&s);
	if (kind == TF_SAMPLE)
		take_sample(r, &s, sample);
	else if (kind == TF_SAMPLES_LOST)
		sample->lost = take_varint(&s);
	else if (kind == TF_SAMPLES_MAPPING)
		take_mapping(&s, sample);
	else if (kind == TF_SAMPLES_NAME)
		take_name(r, &s, sample);
	r->left--;
	return !s.bad && !r->in.bad;
}

int samples_check(const struct tf_reader *r, const struct section *s, const struct buffer *payload,
		  struct tf_error *error)
{
	struct sample_records records = { 0 };
	struct tf_sample sample;
	bool good = true;

	begin_records(&records, s, payload);
	while (records.left && good)
		good = take_record(&records, &sample);
	free_records(&records);
	if (!good)
		return fail_section(r, s, error, "a sample breaks the format's rules");
	if (records.in.at != records.in.end)
		return fail_section(r, s, error, "bytes are left over");
	return 0;
}

int tf_samples_open(struct tf_reader *reader, struct tf_samples **samples, struct tf_error *error)
{
	int status = tf_load(reader, error);

	if (status < 0)
		return status;
	*samples = calloc(1, sizeof(**samples));
	if (!*samples)
		return fail_memory(error);
	(*samples)->reader = reader;
	return 0;
}

/* Reads the next section of samples. Returns 1, 0 if there is none, or a negative status. */
static int next_section(struct tf_samples *samples, struct tf_error *error)
{
	struct tf_reader *r = samples->reader;
	int status;

	for (; samples->next_section < r->sections.count; samples->next_section++) {
		struct section *s = &r->sections.at[samples->next_section];

		if (s->kind != SECTION_SAMPLES || s->lost || section_known(s) != 1)
			continue;
		samples->next_section++;
		samples->section = s;
		status = reader_payload(r, s, &samples->payload, error);
		if (status == 0)
			begin_records(&samples->records, s, &samples->payload);
		return status == 0 ? 1 : status;
	}
	return 0;
}

static bool is_known(enum tf_sample_kind kind)
{
	return kind >= TF_SAMPLE && kind <= TF_SAMPLES_NAME;
}

int tf_samples_next(struct tf_samples *samples, struct tf_sample *sample, struct tf_error *error)
{
	do {
		while (!samples->records.left) {
			int status = next_section(samples, error);

			if (status <= 0)
				return status;
		}
		if (!take_record(&samples->records, sample)) {
			samples->records.left = 0;
			return fail_section(samples->reader, samples->section, error,
					    "a sample breaks the format's rules");
		}
	} while (!is_known(sample->kind));
	return 1;
}

void tf_samples_close(struct tf_samples *samples)
{
	if (!samples)
		return;
	buffer_free(&samples->payload);
	free_records(&samples->records);
	free(samples);
}
