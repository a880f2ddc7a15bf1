/* SPDX-License-Identifier: MIT */
/*
 * The marker of a bound in a plan of trace-simpoint: the execution of an instruction immediately
 * before which a region begins or ends.
 */
#ifndef PLAN_MARKER_H
#define PLAN_MARKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A marker; its strings are those of the JSON object. */
struct plan_marker {
	const char *module;   /* name of its file without folder; NULL: the code is in no module */
	const char *build_id; /* in hexadecimal; NULL: not known */
	uint64_t offset;      /* from the lowest address that the module is mapped at */
	uint64_t pc;          /* virtual address */
	uint64_t count;       /* the execution that is meant, from 1; 0: no marker */
};

/* Reads a marker; JSON null has the count 0. Returns false if it is neither. */
bool plan_marker_read(const json_t *object, struct plan_marker *marker);

#endif
