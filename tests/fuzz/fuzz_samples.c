/* SPDX-License-Identifier: MIT */
/*
 * Imports files of samples. The trace made must have no faults, whatever the file contains, and its
 * payloads are decoded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/ibs/packet/decode.h"
#include "recorder/import/import.h"
#include "tests/fuzz/require.h"
#include "traceformat/tracesamples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void no_fault(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	fprintf(stderr, "%s\n", error->text);
	abort();
}

static void decode(const struct tf_sample *sample)
{
	static const struct ibs_cpu cpus[] = { { 0, 0, false },
					       { 0x19, 1, true },
					       { 0x1a, 0x50, false } };
	struct ibs_packet packet;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
			if (ibs_decode(&cpus[i], kind, sample->raw, sample->raw_size, &packet) ==
			    IBS_DECODED)
				ibs_packet_restrict(&packet, &cpus[i]);
	if (ibs_decode_toolkit(&cpus[0], 0x3ff, sample->raw, sample->raw_size, &packet) ==
	    IBS_DECODED)
		ibs_packet_restrict(&packet, &cpus[0]);
}

static void read_back(int fd, const struct sample_counts *counts)
{
	struct tf_samples *samples;
	struct tf_reader *reader;
	struct tf_sample sample;
	uint64_t n = 0;
	int status;

	REQUIRE(tf_open_fd(fd, "imported", &reader, NULL) == 0);
	REQUIRE(tf_verify(reader, no_fault, NULL, NULL) == 0);
	REQUIRE(tf_samples_open(reader, &samples, NULL) == 0);
	while ((status = tf_samples_next(samples, &sample, NULL)) > 0) {
		n += sample.kind == TF_SAMPLE;
		if (sample.fields & TF_SAMPLE_RAW)
			decode(&sample);
	}
	REQUIRE(status == 0 && n == counts->samples);
	tf_samples_close(samples);
	tf_close(reader);
}

/* An input that contains the mark stands for a folder of perf record --threads with two files. */
static void split_input(struct import_source *source, struct perf_part parts[2])
{
	static const char mark[] = "NEXTPART";
	const uint8_t *at = memmem(parts->data, parts->size, mark, sizeof(mark) - 1);

	if (!at)
		return;
	parts[1].data = at + sizeof(mark) - 1;
	parts[1].size = parts->size - (size_t)(parts[1].data - parts->data);
	parts->size = (size_t)(at - parts->data);
	source->n_parts = 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample_counts counts;
	struct tf_writer *writer;
	struct tf_error error;
	struct perf_part parts[2] = { { data, size, "input" }, { NULL, 0, "second" } };
	struct import_source source = { "input", parts, 1 };
	int fd = memfd_create("imported", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && tf_writer_create_fd(fd, "imported", NULL, &writer, NULL) == 0);
	split_input(&source, parts);
	if (import_samples(writer, &source, false, NULL, &counts, &error) == 0) {
		REQUIRE(tf_writer_finish(writer, -1, "imported", NULL) == 0);
		read_back(fd, &counts);
	}
	tf_writer_free(writer);
	close(fd);
	return 0;
}
