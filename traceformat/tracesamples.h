/* SPDX-License-Identifier: MIT */
/*
 * libtraceformat - reads the parts of a trace that are no executions: samples that hardware or the
 * kernel took, and basic block vectors. The rules of traceformat.h hold here too.
 */
#ifndef TRACESAMPLES_H
#define TRACESAMPLES_H

#include "traceformat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- samples of hardware or the kernel --------------------------------------------------- */

/* The origin of samples, which determines the form of their raw bytes. Values are the file's. */
enum tf_sampler_origin {
	TF_SAMPLER_PERF = 1,        /* perf_event_open(2), by the recorder or by perf itself */
	TF_SAMPLER_IBS_TOOLKIT = 2, /* AMD Research's IBS toolkit: raw is a struct of its files */
};

/* A source of samples: one event of one PMU. */
struct tf_sampler {
	uint32_t index;
	enum tf_sampler_origin origin;
	uint32_t caps;       /* IBS capabilities (CPUID Fn8000_001B EAX), where samples do not
				   have them in front of raw; else 0 */
	const char *event;   /* as the user named it, "ibs_op/cnt_ctl=1/"; "" if not known */
	const char *pmu;     /* "ibs_op", "software"; "" if not known */
	const uint8_t *attr; /* struct perf_event_attr as the kernel took it */
	uint64_t attr_size;  /* bytes, 0 if there was none */
};

/* Returns a sampler, or NULL if there is none of that index or the dictionary is not loaded. */
const struct tf_sampler *tf_sampler(const struct tf_reader *reader, uint32_t index);
uint32_t tf_n_samplers(const struct tf_reader *reader); /* 1 + the greatest index */

enum tf_sample_kind {
	TF_SAMPLE = 1,
	TF_SAMPLES_LOST = 2,      /* the kernel, or the buffer, dropped samples */
	TF_SAMPLES_THROTTLED = 3, /* the kernel stopped the sampler, which took too much time */
	TF_SAMPLES_UNTHROTTLED = 4,
	TF_SAMPLES_MAPPING = 5, /* a process's mappings change, for later samples */
	TF_SAMPLES_NAME = 6,    /* a thread has another name, for later samples */
};

/* The fields that a sample may have. */
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

/* A sample, or a fact that holds for the samples after it. */
struct tf_sample {
	enum tf_sample_kind kind;
	uint32_t sampler; /* index, or TF_NONE */
	uint32_t thread;  /* index, or TF_NONE: not known */
	uint64_t time_ns; /* of the clock that META sample.clock names; 0: not known */
	uint64_t lost;    /* TF_SAMPLES_LOST: how many */
	uint32_t mapping; /* TF_SAMPLES_MAPPING: index */
	uint64_t bias;    /* TF_SAMPLES_MAPPING: address - ELF virtual address in its module */
	const char *name; /* TF_SAMPLES_NAME */

	/* The members below are set only for TF_SAMPLE. */
	uint32_t cpu;     /* TF_NONE: not known */
	uint8_t mode;     /* enum tf_sample_mode, or a hypervisor's or guest's */
	bool exact_ip;    /* ip is the sampled instruction's, not where it was noticed */
	bool is_overhead; /* the sample is of the recorder, not of the program */
	uint32_t fields;  /* enum tf_sample_fields, or-ed */
	uint64_t ip;
	uint64_t address, physical_address; /* of the data */
	uint64_t period;
	uint64_t weight;      /* PERF_SAMPLE_WEIGHT, or _WEIGHT_STRUCT: attr tells which */
	uint64_t data_source; /* union perf_mem_data_src */
	uint64_t data_page_size, code_page_size; /* bytes */
	const uint8_t *raw;                      /* payload, unmodified */
	uint64_t raw_size;                       /* bytes */
	uint64_t program_ip;   /* the instruction of the program of which ip is a translation */
	const uint64_t *chain; /* PERF_SAMPLE_CALLCHAIN: return addresses, the innermost first;
				   a PERF_CONTEXT_* before them gives their mode */
	uint64_t n_chain;
};

struct tf_samples;

/*
 * Begins to read the samples in the order of the file, which is nearly that of time. Loads the
 * dictionary. End with tf_samples_close(). Errors: IO, MEMORY, VERSION, DAMAGED.
 */
int tf_samples_open(struct tf_reader *reader, struct tf_samples **samples, struct tf_error *error);

/*
 * Fills *sample with the next record; its pointers are valid until the next call. Returns 1, 0 at
 * the end, or a negative status. After the error of a damaged section the next call continues
 * behind the section. If sections are lost, the sample's sampler and thread may have no record.
 * Errors: IO, MEMORY, DAMAGED.
 */
int tf_samples_next(struct tf_samples *samples, struct tf_sample *sample, struct tf_error *error);

/* Ends reading and frees *samples; NULL is allowed. */
void tf_samples_close(struct tf_samples *samples);

/* ---- basic block vectors ----------------------------------------------------------------- */

/* The number of times that paths were left by an exit, each time after `executed` instructions. */
struct tf_vector_count {
	uint32_t exit;     /* id */
	uint32_t executed; /* instructions of the path, not 0 */
	uint64_t times;    /* not 0 */
};

/*
 * The executions of a thread in an interval. A trace has vectors instead of executions if it was
 * recorded with `trace-record --vectors`. The intervals of all threads begin and end together.
 */
struct tf_vector {
	uint64_t interval;     /* number, from 0 */
	uint32_t thread;       /* index */
	uint64_t instructions; /* the sum of times * executed */
	size_t n_counts;
	const struct tf_vector_count *counts; /* ascending by exit, then by executed */
};

struct tf_vectors;

/*
 * Begins to read the vectors, ascending by interval, then by thread. A thread that executed nothing
 * in an interval has none there. Loads the dictionary. Errors: IO, MEMORY, DAMAGED.
 */
int tf_vectors_open(struct tf_reader *reader, struct tf_vectors **vectors, struct tf_error *error);

/*
 * Lets up to n_threads further threads read and decompress ahead and, with `counts`, decode the
 * counts. The vectors are the same. Call it before the first vector is read, and do not refresh the
 * reader until the vectors are closed. Without threads or memory for it, nothing is read ahead.
 */
void tf_vectors_read_ahead(struct tf_vectors *vectors, unsigned n_threads, bool counts);

/*
 * Fills *vector with the next one; its counts are valid until the next call. Returns 1, 0 at the
 * end, or a negative status: a damaged section is an error once, the next call goes on after it.
 * At the end of a finished trace, another sum of instructions than META states is an error once.
 */
int tf_vectors_next(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error);

/*
 * The two halves of tf_vectors_next, to pass over vectors that are not needed: fills all but
 * vector->counts; and checks the counts of that vector and sets them, 1 or a negative status.
 */
int tf_vectors_head(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error);
int tf_vectors_counts(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error);
void tf_vectors_close(struct tf_vectors *vectors);

/* ---- the ends of intervals --------------------------------------------------------------- */

/* A place of the program where an interval ends. */
struct tf_marker {
	uint32_t block;  /* id; TF_NONE: there is none, as the program or the recording ended */
	uint32_t insn;   /* index of the instruction in the block */
	uint32_t thread; /* index of the thread that was about to execute it */
	/*
	 * 0: the place where that thread was at the boundary. Otherwise the head of a loop, which
	 * is met 1: rarely, 2: more often, 3: often; or 4: the entry of a function. 5, 6: the head
	 * of a loop of a module that is not the program's own, which is met 5: less often, 6:
	 * often.
	 */
	uint32_t tier;
	/*
	 * The interval ends right before the count-th execution of the instruction, from 1, by all
	 * threads, in whatever blocks it is. 0: not counted.
	 */
	uint64_t count;
};

/* Why the instructions of a block are not filtered instructions. Values are those of the file. */
enum tf_exclusion {
	TF_EXCLUDED_MODULE = 1,   /* its module synchronizes threads */
	TF_EXCLUDED_FUNCTION = 2, /* its function does */
	TF_EXCLUDED_SPIN = 3,     /* it is in a loop that only waits */
};

struct tf_excluded {
	uint32_t block;  /* id */
	uint32_t reason; /* enum tf_exclusion; other values are of later versions */
};

/*
 * Finds the blocks of excluded code, which synchronizes threads: *excluded is an array of
 * tf_n_blocks() elements, which the caller frees, or NULL if META names no such code. Loads the
 * dictionary. Errors: IO, MEMORY, DAMAGED.
 */
int tf_excluded_blocks(struct tf_reader *reader, bool **excluded, struct tf_error *error);

enum { TF_INTERVAL_HASH = 16 };

/* The end of an interval of a trace of vectors; FORMAT.md 4.6 defines the hash. */
struct tf_interval {
	uint64_t number; /* from 0 */
	/* Instructions of all threads from the program's begin to the interval's end, and those of
	 * them that are in blocks not excluded. */
	uint64_t instructions, filtered;
	struct tf_marker marker;        /* where the interval ends */
	uint8_t hash[TF_INTERVAL_HASH]; /* of all executions so far */
	size_t n_excluded;
	const struct tf_excluded *excluded; /* new ones, ascending by block */
};

struct tf_intervals;

/*
 * Begins to read the ends of intervals, in ascending order. With `counted`, markers have counts,
 * which takes as long as reading all vectors; instructions and filtered instructions are then
 * compared with the vectors. Loads the dictionary. A trace of executions has no intervals, nor has
 * one of vectors before version 1.6. Errors: IO, MEMORY, DAMAGED.
 */
int tf_intervals_open(struct tf_reader *reader, bool counted, struct tf_intervals **intervals,
		      struct tf_error *error);

/*
 * Fills *interval with the next one; its pointer is valid until the next call. Returns 1, 0 at the
 * end, or a negative status: META may have another total of filtered instructions, too. A damaged
 * section is an error once, and the next call goes on after it; with `counted`, every call after an
 * error fails, because counts would be wrong.
 */
int tf_intervals_next(struct tf_intervals *intervals, struct tf_interval *interval,
		      struct tf_error *error);
void tf_intervals_close(struct tf_intervals *intervals);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
