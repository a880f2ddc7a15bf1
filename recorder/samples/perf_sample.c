/* SPDX-License-Identifier: MIT */
/* Parses the fields of a sample, in the order that perf_event_open(2) gives. */
#include "recorder/samples/perf_events.h"
#include "traceformat/tracesamples.h"

/* Skips `count` elements of `size` bytes. */
static void skip(struct span *s, uint64_t count, uint64_t size)
{
	if (count > span_left(s) / size)
		s->bad = true;
	else
		take_bytes(s, count * size);
}

static void skip_read(struct span *s, uint64_t format)
{
	uint64_t times = (uint64_t)__builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t each = 1 + (uint64_t)__builtin_popcountll(format &
							   (PERF_FORMAT_ID | PERF_FORMAT_LOST));

	if (format & PERF_FORMAT_GROUP) {
		uint64_t n = take_le64(s);

		skip(s, times, 8);
		skip(s, n, 8 * each);
	} else {
		skip(s, times + each, 8);
	}
}

static void skip_branches(struct span *s, uint64_t type)
{
	enum { COUNTERS = 1 << 19 }; /* PERF_SAMPLE_BRANCH_COUNTERS */
	uint64_t n = take_le64(s);

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_le64(s);
	skip(s, n, 24);
	if (type & COUNTERS)
		skip(s, n, 8);
}

static void skip_registers(struct span *s, uint64_t mask)
{
	if (take_le64(s) != PERF_SAMPLE_REGS_ABI_NONE)
		skip(s, (uint64_t)__builtin_popcountll(mask), 8);
}

static void skip_stack(struct span *s)
{
	uint64_t size = take_le64(s);

	skip(s, size, 1);
	if (size)
		take_le64(s);
}

static void take_chain(struct span *s, struct perf_sample *p)
{
	uint64_t n = take_le64(s);

	p->chain = s->at;
	skip(s, n, 8);
	p->sample.n_chain = s->bad ? 0 : n;
	p->sample.fields |= TF_SAMPLE_CHAIN;
}

static void take_raw(struct span *s, struct tf_sample *sample)
{
	uint32_t size = take_le32(s);

	sample->raw = take_bytes(s, size);
	sample->raw_size = sample->raw ? size : 0;
	sample->fields |= sample->raw ? TF_SAMPLE_RAW : 0;
}

static void take_place(struct span *s, uint64_t type, struct perf_sample *p)
{
	struct tf_sample *sample = &p->sample;

	if (type & PERF_SAMPLE_IDENTIFIER)
		take_le64(s);
	if (type & PERF_SAMPLE_IP)
		sample->ip = take_le64(s);
	if (type & PERF_SAMPLE_TID) {
		p->has_thread = true;
		p->pid = take_le32(s);
		p->tid = take_le32(s);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->time_ns = take_le64(s);
}

static void take_field(struct span *s, uint64_t type, uint64_t bit, uint32_t field, uint64_t *to,
		       struct tf_sample *sample)
{
	if (!(type & bit))
		return;
	*to = take_le64(s);
	sample->fields |= field;
}

/* Takes the fields from the data address to the raw bytes. */
static void take_middle(struct span *s, const struct perf_event_attr *attr, struct perf_sample *p)
{
	struct tf_sample *sample = &p->sample;
	uint64_t type = attr->sample_type;

	take_field(s, type, PERF_SAMPLE_ADDR, TF_SAMPLE_ADDRESS, &sample->address, sample);
	if (type & PERF_SAMPLE_ID)
		take_le64(s);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_le64(s);
	if (type & PERF_SAMPLE_CPU)
		sample->cpu = (uint32_t)take_le64(s);
	take_field(s, type, PERF_SAMPLE_PERIOD, TF_SAMPLE_PERIOD, &sample->period, sample);
	if (type & PERF_SAMPLE_READ)
		skip_read(s, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(s, p);
	if (type & PERF_SAMPLE_RAW)
		take_raw(s, sample);
}

/* Takes the fields from the branch stack on. */
static void take_rest(struct span *s, const struct perf_event_attr *attr, struct tf_sample *sample)
{
	uint64_t type = attr->sample_type, skipped = 0;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(s, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		skip_registers(s, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(s);
	take_field(s, type, PERF_SAMPLE_WEIGHT_TYPE, TF_SAMPLE_WEIGHT, &sample->weight, sample);
	take_field(s, type, PERF_SAMPLE_DATA_SRC, TF_SAMPLE_DATA_SOURCE, &sample->data_source,
		   sample);
	take_field(s, type, PERF_SAMPLE_TRANSACTION, 0, &skipped, sample);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(s, attr->sample_regs_intr);
	take_field(s, type, PERF_SAMPLE_PHYS_ADDR, TF_SAMPLE_PHYSICAL_ADDRESS,
		   &sample->physical_address, sample);
	take_field(s, type, PERF_SAMPLE_CGROUP, 0, &skipped, sample);
	take_field(s, type, PERF_SAMPLE_DATA_PAGE_SIZE, TF_SAMPLE_DATA_PAGE_SIZE,
		   &sample->data_page_size, sample);
	take_field(s, type, PERF_SAMPLE_CODE_PAGE_SIZE, TF_SAMPLE_CODE_PAGE_SIZE,
		   &sample->code_page_size, sample);
}

bool perf_sample_parse(const struct perf_events *events, const struct perf_record *record,
		       struct perf_sample *p)
{
	const struct perf_event_attr *attr = &events->at[record->event].attr;
	struct span s = record->body;

	*p = (struct perf_sample){
		.sample = {
			.kind = TF_SAMPLE, .cpu = TF_NONE,
			.mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			.exact_ip = record->misc & PERF_RECORD_MISC_EXACT_IP,
		},
	};
	take_place(&s, attr->sample_type, p);
	take_middle(&s, attr, p);
	take_rest(&s, attr, &p->sample);
	return !s.bad;
}
