/* SPDX-License-Identifier: MIT */
/*
 * Finds the mapping and the module of an address of a process, at the time of the last record read.
 */
#ifndef SAMPLE_PLACES_H
#define SAMPLE_PLACES_H

#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

struct sample_places;

struct sample_place {
	uint32_t process;                 /* index; TF_NONE: not known */
	const struct tf_mapping *mapping; /* NULL: none is known there */
	uint32_t module;                  /* index, TF_NONE */
	uint64_t module_offset;           /* ELF virtual address of the module */
};

/*
 * Creates the places of the samples of a loaded trace. All functions end the process if memory is
 * out.
 */
struct sample_places *sample_places_new(const struct tf_reader *reader);
void sample_places_free(struct sample_places *places);

/* Applies a change of mappings. Call it for each record, in order. */
void sample_places_follow(struct sample_places *places, const struct tf_sample *sample);

/* Finds an address of the process of a thread, or with `kernel` an address of the kernel. */
void sample_places_find(struct sample_places *places, uint32_t thread, bool kernel,
			uint64_t address, struct sample_place *place);

/* Finds the instruction pointer of a sample. */
static inline void sample_places_of_ip(struct sample_places *places, const struct tf_sample *sample,
				       struct sample_place *place)
{
	uint64_t ip = sample->fields & TF_SAMPLE_PROGRAM_IP ? sample->program_ip : sample->ip;

	sample_places_find(places, sample->thread, sample->mode == TF_MODE_KERNEL, ip, place);
}

#endif
