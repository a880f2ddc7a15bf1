/* SPDX-License-Identifier: MIT */
#include "recorder/core/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

uint64_t session_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double session_now(void)
{
	return (double)session_now_ns() * 1e-9;
}

int session_fail(struct session *s, enum tf_status status, const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&s->error.lock);
	if (!s->error.is_set) {
		s->error.first = (struct tf_error){ .status = status, .section = UINT32_MAX };
		va_start(args, format);
		vsnprintf(s->error.first.text, sizeof(s->error.first.text), format, args);
		va_end(args);
	}
	s->error.is_set = true;
	pthread_mutex_unlock(&s->error.lock);
	return -1;
}

void session_warn(struct session *s, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!s->options->message)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	s->options->message(s->options->opaque, text);
}
