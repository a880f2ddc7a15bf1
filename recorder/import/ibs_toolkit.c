/* SPDX-License-Identifier: MIT */
/*
 * Files that ibs_monitor of AMD Research's IBS toolkit writes: a header of text lines "KEY: VALUE"
 * up to a line of "=", then structs of one size. The trace has the structs unchanged.
 */
#include "recorder/import/ibs_toolkit.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/import/import_meta.h"
#include "traceformat/common/error.h"
#include "traceformat/tracesamples.h"

/* A kind of file: its first line, the size of its structs, and the offsets of fields, in bytes. */
struct layout {
	const char *title, *pmu;
	unsigned size, ip, address, physical, tsc, ids;
	uint64_t flags_register; /* offset of the valid bits of addresses; 0: none */
};

static const struct layout layouts[] = {
	{ "IBS Op Sample File", "ibs_op", 104, 8, 48, 56, 72, 88, 32 },
	{ "IBS Fetch Sample File", "ibs_fetch", 64, 16, 0, 0, 32, 48, 0 },
};

enum { MAX_LINE = 1024, OP_LIN_VALID = 1 << 17, OP_PHY_VALID = 1 << 18 };

/* The contents of the header. */
struct header {
	const struct layout *layout;
	unsigned family, model, stepping, version;
	uint32_t caps;
	char name[MAX_LINE], system[MAX_LINE], os[MAX_LINE];
};

/* Capability bits, by their names in a header. All files have the first five. */
static const struct {
	const char *key;
	unsigned bit;
} caps_of_keys[] = {
	{ "BrnTrgt", 5 },   { "OpCntExt", 6 },        { "RipInvalidChk", 7 },
	{ "OpBrnFuse", 8 }, { "IbsFetchCtlExtd", 9 }, { "IbsOpData4", 10 },
};
enum { CAPS_OF_ALL = 0x1f };

static const struct layout *layout_of(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		size_t length = strlen(layouts[i].title);

		if (size > length && !memcmp(data, layouts[i].title, length) &&
		    data[length] == '\n')
			return &layouts[i];
	}
	return NULL;
}

bool ibs_toolkit_is(const uint8_t *data, size_t size)
{
	return layout_of(data, size);
}

static void take_line(struct header *h, const char *line)
{
	const struct {
		const char *key;
		unsigned *number;
		char *text;
	} keys[] = {
		{ "AMD Processor Family", &h->family, NULL },
		{ "AMD Processor Model", &h->model, NULL },
		{ "AMD Processor Stepping", &h->stepping, NULL },
		{ "AMD Processor Name", NULL, h->name },
		{ "IBS Op Structure Version", &h->version, NULL },
		{ "IBS Fetch Structure Version", &h->version, NULL },
		{ "System name", NULL, h->system },
		{ "OS", NULL, h->os },
	};
	const char *value = strstr(line, ": ");
	size_t length = value ? (size_t)(value - line) : 0;

	if (!value)
		return;
	value += 2;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strlen(keys[i].key) != length || memcmp(line, keys[i].key, length))
			continue;
		if (keys[i].number)
			*keys[i].number = (unsigned)strtoul(value, NULL, 0);
		else
			strcpy(keys[i].text, value);
	}
	for (size_t i = 0; i < sizeof(caps_of_keys) / sizeof(*caps_of_keys); i++)
		if (strlen(caps_of_keys[i].key) == length &&
		    !memcmp(line, caps_of_keys[i].key, length) && strtoul(value, NULL, 0))
			h->caps |= 1u << caps_of_keys[i].bit;
}

/* Reads the header, and leaves `in` behind it. Returns false if the header has no end. */
static bool read_header(struct span *in, struct header *h)
{
	char line[MAX_LINE];

	while (span_left(in)) {
		const uint8_t *end = memchr(in->at, '\n', span_left(in));
		size_t size = end ? (size_t)(end - in->at) : 0;

		if (!end || size >= sizeof(line))
			return false;
		memcpy(line, in->at, size);
		line[size] = 0;
		in->at = end + 1;
		if (!strncmp(line, "====", 4))
			return true;
		take_line(h, line);
	}
	return false;
}

static int write_meta(struct tf_writer *writer, const struct header *h, const char *name,
		      struct tf_error *error)
{
	char cpuid[64];
	const struct import_text texts[] = {
		{ "recorder.version", TRACELAB_VERSION },
		{ "sample.source", name },
		{ "sample.clock", "tsc" },
		{ "sample.cpuid", cpuid },
		{ "host.name", h->system },
		{ "host.cpu.model", h->name },
		{ "host.cpu.vendor", "AuthenticAMD" },
		{ "host.kernel", h->os },
	};

	snprintf(cpuid, sizeof(cpuid), "AuthenticAMD,%u,%u,%u", h->family, h->model, h->stepping);
	return import_meta(writer, texts, sizeof(texts) / sizeof(*texts), error);
}

/* Returns the addresses in a struct of an op that its flags call valid. */
static void take_addresses(const struct layout *l, const uint8_t *bytes, struct tf_sample *sample)
{
	uint64_t flags = l->flags_register ? get_le64(bytes + l->flags_register) : 0;

	if (flags & OP_LIN_VALID) {
		sample->fields |= TF_SAMPLE_ADDRESS;
		sample->address = get_le64(bytes + l->address);
	}
	if (flags & OP_PHY_VALID) {
		sample->fields |= TF_SAMPLE_PHYSICAL_ADDRESS;
		sample->physical_address = get_le64(bytes + l->physical);
	}
}

static int put_struct(struct tf_writer *writer, struct sample_sink *sink, const struct layout *l,
		      const uint8_t *bytes, struct tf_error *error)
{
	const uint8_t *ids = bytes + l->ids; /* tid, pid, cpu, whether in kernel mode */
	struct tf_sample sample = {
		.kind = TF_SAMPLE,
		.sampler = 0,
		.time_ns = get_le64(bytes + l->tsc),
		.cpu = get_le32(ids + 8),
		.mode = get_le32(ids + 12) ? TF_MODE_KERNEL : TF_MODE_USER,
		.exact_ip = true,
		.ip = get_le64(bytes + l->ip),
		.fields = TF_SAMPLE_RAW,
		.raw = bytes,
		.raw_size = l->size,
	};
	int status = sample_sink_thread(sink, get_le32(ids + 4), get_le32(ids), &sample.thread,
					error);

	take_addresses(l, bytes, &sample);
	return status < 0 ? status : tf_writer_add_sample(writer, &sample, error);
}

static int put_structs(struct tf_writer *writer, const struct header *h, struct span in,
		       const struct import_watch *watch, struct sample_counts *counts,
		       struct tf_error *error)
{
	enum { STEP = 4096 };
	uint64_t total = span_left(&in) / h->layout->size;
	struct perf_events none = { 0 };
	struct sample_sink *sink = sample_sink_new(writer, &none, false);
	const uint8_t *bytes;
	int status = sink ? 0 : fail_memory(error);

	while (status == 0 && span_left(&in) >= h->layout->size &&
	       (bytes = take_bytes(&in, h->layout->size))) {
		status = put_struct(writer, sink, h->layout, bytes, error);
		if (watch && counts->samples % STEP == 0)
			watch->step(watch->opaque, counts->samples, total);
		counts->samples++;
	}
	counts->cut = span_left(&in);
	counts->damaged += counts->cut != 0;
	sample_sink_free(sink);
	return status;
}

int ibs_toolkit_import(struct tf_writer *writer, const uint8_t *data, size_t size, const char *name,
		       const struct import_watch *watch, struct sample_counts *counts,
		       struct tf_error *error)
{
	struct header h = { .layout = layout_of(data, size), .caps = CAPS_OF_ALL };
	struct tf_sampler sampler = {
		.origin = TF_SAMPLER_IBS_TOOLKIT,
		.event = h.layout->pmu,
		.pmu = h.layout->pmu,
	};
	struct span in = span_of(data, size);
	int status;

	if (!read_header(&in, &h))
		return fail(error, TF_E_DAMAGED, "%s: its header has no end", name);
	if (h.version != 1 || !h.family)
		return fail(error, TF_E_FOREIGN,
			    "%s: structs of version %u of family 0x%x are not known", name,
			    h.version, h.family);
	sampler.caps = h.caps;
	status = write_meta(writer, &h, name, error);
	if (status == 0)
		status = tf_writer_add_sampler(writer, &sampler, NULL, error);
	return status < 0 ? status : put_structs(writer, &h, in, watch, counts, error);
}
