/* SPDX-License-Identifier: MIT */
/* What the user has asked to be sampled, what is in its place, and what the trace says of both. */
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
 * Finds out what the options ask for, and what of it can be sampled, or else the kernel's timer.
 * What is refused is said; it is an error if samples are all that is asked for. Returns 0 or -1.
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
