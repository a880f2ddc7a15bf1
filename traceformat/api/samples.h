/* SPDX-License-Identifier: MIT */
/* What hardware or the kernel has sampled. */
#ifndef TRACEFORMAT_API_SAMPLES_H
#define TRACEFORMAT_API_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"

TF_BEGIN_DECLARATIONS

struct tf_reader;

/* Where samples come from, and thereby what their raw bytes are. Values are those of the file. */
enum tf_sampler_origin {
	TF_SAMPLER_PERF = 1,        /* perf_event_open(2), by the recorder or by perf itself */
	TF_SAMPLER_IBS_TOOLKIT = 2, /* AMD Research's IBS toolkit: raw is a struct of its
					   files */
};

/* What took samples: one event of one PMU. */
struct tf_sampler {
	uint32_t index;
	enum tf_sampler_origin origin;
	uint32_t caps;       /* IBS capabilities (CPUID Fn8000_001B EAX), where samples do not
				   have them in front of raw; else 0 */
	const char *event;   /* as it was asked for, "ibs_op/cnt_ctl=1/"; "" if not known */
	const char *pmu;     /* "ibs_op", "software"; "" if not known */
	const uint8_t *attr; /* struct perf_event_attr as the kernel took it */
	uint64_t attr_size;  /* bytes, 0 if there was none */
};

enum tf_sample_kind {
	TF_SAMPLE = 1,
	TF_SAMPLES_LOST = 2,      /* the kernel, or the buffer, dropped samples */
	TF_SAMPLES_THROTTLED = 3, /* the kernel stopped the sampler: it took too much time */
	TF_SAMPLES_UNTHROTTLED = 4,
	TF_SAMPLES_MAPPING = 5, /* a process's mappings change, for the samples behind */
	TF_SAMPLES_NAME = 6,    /* a thread has another name, for the samples behind */
};

/* Which fields of a sample are there. */
enum tf_sample_fields {
	TF_SAMPLE_ADDRESS = 1,
	TF_SAMPLE_PHYSICAL_ADDRESS = 2,
	TF_SAMPLE_PERIOD = 4,
	TF_SAMPLE_WEIGHT = 8,
	TF_SAMPLE_DATA_SOURCE = 16,
	TF_SAMPLE_DATA_PAGE_SIZE = 32,
	TF_SAMPLE_CODE_PAGE_SIZE = 64,
	TF_SAMPLE_RAW = 128,
	TF_SAMPLE_PROGRAM_IP = 256,
	TF_SAMPLE_CHAIN = 512,
	TF_SAMPLE_ALL_FIELDS = 1023,
};

/* The mode that the processor was in; values are those of PERF_RECORD_MISC_CPUMODE_MASK. */
enum tf_sample_mode { TF_MODE_UNKNOWN = 0, TF_MODE_KERNEL = 1, TF_MODE_USER = 2 };

/* One sample, or what there is to know between samples. */
struct tf_sample {
	enum tf_sample_kind kind;
	uint32_t sampler; /* index, or TF_NONE */
	uint32_t thread;  /* index, or TF_NONE: nobody knows */
	uint64_t time_ns; /* of the clock that META sample.clock names; 0: not known */
	uint64_t lost;    /* TF_SAMPLES_LOST: how many */
	uint32_t mapping; /* TF_SAMPLES_MAPPING: index, and */
	uint64_t bias;    /* address - ELF virtual address in its module */

	/* The rest is of TF_SAMPLE alone. */
	uint32_t cpu;     /* TF_NONE: not known */
	uint8_t mode;     /* enum tf_sample_mode, or a hypervisor's or guest's */
	bool exact_ip;    /* ip is that of the sampled instruction, not where it was
				   noticed */
	bool is_overhead; /* what is there is not the program's, but the recorder's */
	uint32_t fields;  /* enum tf_sample_fields, or-ed */
	uint64_t ip;
	uint64_t address, physical_address; /* of the data */
	uint64_t period;
	uint64_t weight;      /* PERF_SAMPLE_WEIGHT, or _WEIGHT_STRUCT: attr tells which */
	uint64_t data_source; /* union perf_mem_data_src */
	uint64_t data_page_size, code_page_size; /* bytes */
	const uint8_t *raw;                      /* payload, unmodified */
	uint64_t raw_size;                       /* bytes */
	uint64_t program_ip;   /* the instruction of the program that ip is a translation of */
	const uint64_t *chain; /* PERF_SAMPLE_CALLCHAIN: return addresses, the innermost first, and
				   before them PERF_CONTEXT_*, the mode they are of */
	uint64_t n_chain;

	const char *name; /* TF_SAMPLES_NAME */
};

/* The samples of a trace, in the order of the file: that of time but for small disorder. */
struct tf_samples;

/* Begins to read samples. Loads the dictionary (tf_load). Errors: as tf_load. */
int tf_samples_open(struct tf_reader *reader, struct tf_samples **samples, struct tf_error *error);

/*
 * Fills *sample with the next one; its raw is valid until the next call. Returns 1, 0 at the end,
 * or a negative status: a damaged section is an error once, the next call goes on after it. Its
 * sampler and thread may be unknown to the reader if sections are lost.
 */
int tf_samples_next(struct tf_samples *samples, struct tf_sample *sample, struct tf_error *error);

void tf_samples_close(struct tf_samples *samples);

TF_END_DECLARATIONS

#endif
