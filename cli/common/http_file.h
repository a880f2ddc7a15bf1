/* SPDX-License-Identifier: MIT */
/*
 * Files of web servers and object stores, read by ranges of bytes (RFC 9110, 14) with libcurl,
 * which is loaded when the first file is opened: no other command waits for it, or needs it.
 *
 * All answers of a server are checked: the status must be 206, the range the one that was asked
 * for, and the entity tag the first one's (If-Match), so that no two versions of a file are mixed.
 * Requests that fail for a reason that may pass (statuses 408, 429, 500, 502, 503, 504, broken
 * connections, no data for a while) are repeated up to HTTP_TRIES times, after waits that double.
 * Nothing is sent but to the host of the URL and where it redirects to.
 *
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION (or
 * AWS_DEFAULT_REGION) sign requests (Signature Version 4) to hosts below amazonaws.com, and to the
 * host of AWS_ENDPOINT_URL. TRACELAB_HTTP_TIMEOUT: seconds with (nearly) no data before a request
 * is repeated, and the longest wait before that; the default is 30.
 */
#ifndef HTTP_FILE_H
#define HTTP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceformat.h"

enum { HTTP_TRIES = 6 };

struct http_file;

/* Returns whether a path is a URL of a web server. */
bool is_url(const char *path);

/* Returns the URL without user name and query, which may be secret. Free it. */
char *shown_url(const char *url);

/* Opens a file, by a request for its first bytes. Errors: IO. */
int http_open(const char *url, struct http_file **file, struct tf_error *error);
void http_close(struct http_file *file);

uint64_t http_size(const struct http_file *file);

/* Returns a text that changes when the file does: its entity tag, date and size. */
const char *http_version(const struct http_file *file);

/*
 * Reads exactly size bytes at offset, all of them within the file. Only one thread at a time may
 * call it. Errors: IO.
 */
int http_read(struct http_file *file, void *to, size_t size, uint64_t offset,
	      struct tf_error *error);

#endif
