/* SPDX-License-Identifier: MIT */
/* The user's request for samples, its replacement, and the metadata of both. */
#ifndef SAMPLE_REQUEST_H
#define SAMPLE_REQUEST_H

#include "recorder/core/session.h"
#include "recorder/sampling/spec.h"

enum { SAMPLE_MESSAGE = 512 };

struct sample_request {
	struct sample_spec spec;
	bool refused;                 /* the event that the user asked for cannot be sampled */
	bool none;                    /* no event can be sampled */
	char refusal[SAMPLE_MESSAGE]; /* why, if refused */
};

/*
 * Reads the request from the options and finds out what can be sampled, or else falls back to the
 * kernel's timer. Warns of a refusal; with --only-samples it is an error. Returns 0 or -1.
 */
int sample_request_read(struct session *session, struct sample_request *request);

/*
 * Records that nothing can be sampled, and why. Returns 0 with a warning, or -1 with
 * --only-samples.
 */
int sample_request_give_up(struct session *session, struct sample_request *request,
			   const char *why);

/* Returns the name of the event that is sampled, in the user's words if the user asked for it. */
const char *sample_request_event(const struct session *session,
				 const struct sample_request *request);

/* Writes the request, its refusal and the source of the samples as metadata. Returns 0 or -1. */
int sample_request_write(struct session *session, const struct sample_request *request);

#endif
