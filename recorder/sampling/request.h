/* SPDX-License-Identifier: MIT */
/* The user's request for samples, its replacement, and the metadata of both. */
#ifndef SAMPLE_REQUEST_H
#define SAMPLE_REQUEST_H

#include "recorder/core/session.h"
#include "recorder/sampling/spec.h"

enum { SAMPLE_MESSAGE = 512 };

struct sample_request {
	struct sample_spec spec;
	bool refused; /* what was asked for, as refusal says; */
	bool none;    /* and nothing is sampled in its place */
	char refusal[SAMPLE_MESSAGE];
};

/*
 * Reads the request from the options and finds out what can be sampled, or else falls back to the
 * kernel's timer. Warns of a refusal; with --only-samples it is an error. Returns 0 or -1.
 */
int sample_request_read(struct session *session, struct sample_request *request);

/* Nothing can be sampled, as `why` says. Returns 0, or -1 if that ends it. */
int sample_request_give_up(struct session *session, struct sample_request *request,
			   const char *why);

/* The name of the event: as it was asked for, if it is that one. */
const char *sample_request_event(const struct session *session,
				 const struct sample_request *request);

/* Writes META. Returns 0 or -1. */
int sample_request_write(struct session *session, const struct sample_request *request);

#endif
