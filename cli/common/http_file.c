/* SPDX-License-Identifier: MIT */
#include "cli/common/http_file.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/checked.h"

enum {
	FIRST_BYTES = 65536,
	CONNECT_SECONDS = 20,
	SILENT_SECONDS = 30,
	SLOWEST = 1000, /* bytes a second; a slower server is silent */
	MOST_REDIRECTS = 5,
	MOST_OF_ERRORS = 1 << 20,  /* bytes of the text of an error */
	MOST_OF_HEADERS = 1 << 18, /* bytes of all header lines of a request */
};
static const double first_wait = 0.25; /* seconds */

/* The functions of libcurl, which dlopen() has found. */
static struct {
	bool loaded;
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
	CURLcode (*easy_perform)(CURL *);
	CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
	const char *(*easy_strerror)(CURLcode);
	void (*easy_cleanup)(CURL *);
	struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
	void (*slist_free_all)(struct curl_slist *);
} curl;

struct http_file {
	CURL *handle;
	char *url, *shown;
	char *etag;    /* a strong one, for If-Match; NULL: there is none */
	char *version; /* see http_version() */
	uint64_t size;
	bool opened;
	bool is_signed;
	struct curl_slist *headers;
	char first[FIRST_BYTES];
	size_t n_first;
	uint64_t random;

	/* The request under way. */
	char *to;
	size_t wanted, got;
	size_t ignored;   /* bytes of the text of an error */
	size_t n_headers; /* bytes */
	uint64_t offset;
	uint64_t range_first, range_last, total; /* of Content-Range */
	bool has_range;
	char *new_etag, *modified;
	const char *refusal; /* why the answer is not accepted; NULL: it is */
};

static int fail(struct tf_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct tf_error *error, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return TF_E_IO;
	*error = (struct tf_error){ .status = TF_E_IO, .section = TF_NONE };
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return TF_E_IO;
}

/* ---- libcurl ------------------------------------------------------------------------------- */

static bool find(void *library, const char *name, void *function)
{
	*(void **)function = dlsym(library, name);
	return *(void **)function != NULL;
}

static bool load_curl(void)
{
	CURLcode (*global_init)(long);
	void *library;

	if (curl.loaded)
		return true;
	library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library || !find(library, "curl_global_init", &global_init) ||
	    !find(library, "curl_easy_init", &curl.easy_init) ||
	    !find(library, "curl_easy_setopt", &curl.easy_setopt) ||
	    !find(library, "curl_easy_perform", &curl.easy_perform) ||
	    !find(library, "curl_easy_getinfo", &curl.easy_getinfo) ||
	    !find(library, "curl_easy_strerror", &curl.easy_strerror) ||
	    !find(library, "curl_easy_cleanup", &curl.easy_cleanup) ||
	    !find(library, "curl_slist_append", &curl.slist_append) ||
	    !find(library, "curl_slist_free_all", &curl.slist_free_all) ||
	    global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	curl.loaded = true;
	return true;
}

/* ---- names --------------------------------------------------------------------------------- */

bool is_url(const char *path)
{
	return !strncasecmp(path, "http://", 7) || !strncasecmp(path, "https://", 8);
}

/* Sets *host and *length to the host of a URL, without user name and port. */
static void host_of(const char *url, const char **host, size_t *length)
{
	const char *begin = strstr(url, "://"), *at;
	size_t end;

	begin = begin ? begin + 3 : url;
	end = strcspn(begin, "/?#");
	at = memrchr(begin, '@', end);
	if (at) {
		end -= (size_t)(at + 1 - begin);
		begin = at + 1;
	}
	*host = begin;
	*length = 0;
	while (*length < end && begin[*length] != ':')
		++*length;
}

char *shown_url(const char *url)
{
	const char *host, *path = strstr(url, "://");
	size_t length;

	if (!path)
		return checked_copy(url);
	host_of(url, &host, &length);
	return text_format("%.*s%.*s", (int)(path + 3 - url), url, (int)strcspn(host, "?#"), host);
}

/* ---- signing ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && !strncasecmp(text + length - n, end, n);
}

/* Returns true if credentials may be used for a URL: they are not for any host. */
static bool may_sign(const char *url)
{
	const char *endpoint = getenv("AWS_ENDPOINT_URL"), *host, *other;
	size_t length, other_length;

	host_of(url, &host, &length);
	if (strstr(url, "X-Amz-Signature=")) /* presigned */
		return false;
	if (ends_with(host, length, ".amazonaws.com"))
		return !strncasecmp(url, "https:", 6);
	if (!endpoint)
		return false;
	host_of(endpoint, &other, &other_length);
	return other_length == length && !strncasecmp(host, other, length);
}

static void add_header(struct http_file *f, char *header)
{
	f->headers = checked(curl.slist_append(f->headers, header));
	free(header);
}

static void sign(struct http_file *f)
{
	const char *key = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY");
	const char *token = getenv("AWS_SESSION_TOKEN"), *region = getenv("AWS_REGION");
	char *text;

	if (!region)
		region = getenv("AWS_DEFAULT_REGION");
	if (!key || !secret || !region || !may_sign(f->url))
		return;
	text = text_format("aws:amz:%s:s3", region);
	curl.easy_setopt(f->handle, CURLOPT_AWS_SIGV4, text);
	free(text);
	text = text_format("%s:%s", key, secret);
	curl.easy_setopt(f->handle, CURLOPT_USERPWD, text);
	explicit_bzero(text, strlen(text));
	free(text);
	add_header(f, checked_copy("x-amz-content-sha256: UNSIGNED-PAYLOAD"));
	if (token)
		add_header(f, text_format("x-amz-security-token: %s", token));
	f->is_signed = true;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* Returns the value of a header line if it has the name, as a string from malloc; else NULL. */
static char *header_value(const char *line, size_t length, const char *name)
{
	size_t n = strlen(name);

	if (length <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	line += n + 1;
	length -= n + 1;
	while (length && isspace((unsigned char)*line)) {
		line++;
		length--;
	}
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	return checked(strndup(line, length));
}

static void replace(char **text, char *value)
{
	free(*text);
	*text = value;
}

/* Takes what is needed from a header line. A new status line begins the headers of an answer. */
static size_t take_header(char *line, size_t size, size_t count, void *opaque)
{
	struct http_file *f = opaque;
	size_t length = size * count;
	unsigned long long first, last, total;
	char *value, end;

	f->n_headers += length;
	if (f->n_headers > MOST_OF_HEADERS) {
		f->refusal = "the server sends endless headers";
		return 0;
	}
	if (length > 5 && !strncmp(line, "HTTP/", 5)) {
		f->has_range = false;
		replace(&f->new_etag, NULL);
		replace(&f->modified, NULL);
	}
	value = header_value(line, length, "content-range");
	if (value &&
	    sscanf(value, "bytes %20llu-%20llu/%20llu%c", &first, &last, &total, &end) == 3) {
		f->has_range = true;
		f->range_first = first;
		f->range_last = last;
		f->total = total;
	}
	free(value);
	value = header_value(line, length, "etag");
	if (value)
		replace(&f->new_etag, value);
	value = header_value(line, length, "last-modified");
	if (value)
		replace(&f->modified, value);
	return length;
}

/* Returns why the headers of an answer with content are not accepted, or NULL. */
static const char *check_answer(const struct http_file *f)
{
	long status = 0;

	curl.easy_getinfo(f->handle, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200)
		return "the server has no ranges of files; download the file, for example by curl -O";
	if (status != 206)
		return NULL; /* the status says why */
	if (!f->has_range || f->range_first != f->offset || f->range_last < f->range_first ||
	    f->range_last - f->range_first >= f->wanted || f->range_last >= f->total)
		return "the server answers with another range than it was asked for";
	if (f->opened && f->total != f->size)
		return "the file has changed: it has another size than at first";
	if (f->opened && f->etag && f->new_etag && strcmp(f->etag, f->new_etag) != 0)
		return "the file has changed: it has another entity tag than at first";
	return NULL;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *opaque)
{
	struct http_file *f = opaque;
	size_t length = size * count;
	long status = 0;

	curl.easy_getinfo(f->handle, CURLINFO_RESPONSE_CODE, &status);
	if (!f->got)
		f->refusal = check_answer(f);
	if (f->refusal)
		return 0; /* ends the request */
	if (status != 206) {
		f->ignored += length;
		return f->ignored <= MOST_OF_ERRORS ? length : 0;
	}
	if (length > f->wanted - f->got) {
		f->refusal = "the server sends more than it was asked for";
		return 0;
	}
	memcpy(f->to + f->got, bytes, length);
	f->got += length;
	return length;
}

/*
 * Ends a request whose bytes do not end: libcurl itself drops the texts of redirects, of any
 * length. Received bytes that are not asked for are few otherwise.
 */
static int watch_bytes(void *opaque, curl_off_t total, curl_off_t received, curl_off_t to_send,
		       curl_off_t sent)
{
	struct http_file *f = opaque;
	bool is_endless = received > (curl_off_t)(f->wanted + 2 * MOST_OF_ERRORS);

	(void)total;
	(void)to_send;
	(void)sent;
	if (is_endless && !f->refusal)
		f->refusal = "the server sends endless content";
	return is_endless;
}

/* ---- requests ------------------------------------------------------------------------------ */

static bool may_pass(CURLcode code, long status)
{
	if (code == CURLE_OK)
		return status == 408 || status == 429 || status == 500 || status == 502 ||
		       status == 503 || status == 504;
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT ||
	       code == CURLE_SSL_CONNECT_ERROR || code == CURLE_GOT_NOTHING ||
	       code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_HTTP2 ||
	       code == CURLE_HTTP2_STREAM || code == CURLE_HTTP3;
}

static long silent_seconds(void)
{
	const char *text = getenv("TRACELAB_HTTP_TIMEOUT");
	long seconds = text ? atol(text) : 0;

	return seconds > 0 && seconds < 86400 ? seconds : SILENT_SECONDS;
}

/* Returns a number from 0.5 to 1.5, so that clients that failed together do not come together. */
static double jitter(struct http_file *f)
{
	f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return 0.5 + (double)(f->random >> 11) * 0x1p-53;
}

/* Returns how long the server wants clients to wait, by Retry-After (RFC 9110, 10.2.3), or 0. */
static double wanted_wait(const struct http_file *f)
{
	curl_off_t seconds = 0;

	curl.easy_getinfo(f->handle, CURLINFO_RETRY_AFTER, &seconds);
	return seconds > 0 ? (double)seconds : 0;
}

/*
 * Waits longer before each try, and as long as the server asks for, but no longer than for a silent
 * server.
 */
static void wait_before_try(struct http_file *f, unsigned tries)
{
	double wait = first_wait * (double)(1U << (tries - 1)), most = (double)silent_seconds();
	double least = wanted_wait(f), seconds = (wait < most ? wait : most) * jitter(f);
	struct timespec time;

	least = least < most ? least : most;
	seconds = seconds > least ? seconds : least;
	time = (struct timespec){ (time_t)seconds,
				  (long)(1e9 * (seconds - (double)(time_t)seconds)) };
	nanosleep(&time, NULL);
}

/* Sends a request once. Returns 0, 1 if another try may succeed, or TF_E_IO. */
static int request_once(struct http_file *f, struct tf_error *error)
{
	char range[64];
	CURLcode code;
	long status = 0;

	f->got = f->ignored = f->n_headers = 0;
	f->has_range = false;
	f->refusal = NULL;
	snprintf(range, sizeof(range), "%llu-%llu", (unsigned long long)f->offset,
		 (unsigned long long)(f->offset + f->wanted - 1));
	curl.easy_setopt(f->handle, CURLOPT_RANGE, range);
	code = curl.easy_perform(f->handle);
	curl.easy_getinfo(f->handle, CURLINFO_RESPONSE_CODE, &status);
	if (!f->refusal && code == CURLE_OK && (status == 200 || status == 206))
		f->refusal = check_answer(f);
	if (f->refusal)
		return fail(error, "%s: %s", f->shown, f->refusal);
	if (code == CURLE_OK && status == 206) {
		if (f->got == f->range_last - f->range_first + 1)
			return 0;
		fail(error, "%s: the answer ends too early", f->shown);
		return 1;
	}
	if (code != CURLE_OK)
		fail(error, "%s: %s", f->shown, curl.easy_strerror(code));
	else if (status == 412)
		fail(error, "%s: the file has changed since its first bytes were read", f->shown);
	else if (status == 416)
		fail(error, "%s: is empty, or shorter than it was", f->shown);
	else
		fail(error, "%s: the server answers with status %ld%s", f->shown, status,
		     status == 401 || status == 403 ? ", access denied"
		     : status == 404                ? ", not found"
						    : "");
	return may_pass(code, status) ? 1 : TF_E_IO;
}

/* Reads a range, or as much of it as the file has, into `to`. */
static int request(struct http_file *f, void *to, size_t size, uint64_t offset,
		   struct tf_error *error)
{
	int result = 1;

	f->to = to;
	f->wanted = size;
	f->offset = offset;
	for (unsigned tries = 0; result > 0 && tries < HTTP_TRIES; tries++) {
		if (tries)
			wait_before_try(f, tries);
		result = request_once(f, error);
	}
	return result ? TF_E_IO : 0;
}

/* ---- files --------------------------------------------------------------------------------- */

static void set_options(struct http_file *f)
{
	CURL *h = f->handle;

	curl.easy_setopt(h, CURLOPT_URL, f->url);
	curl.easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(h, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(h, CURLOPT_FOLLOWLOCATION, f->is_signed ? 0L : 1L);
	curl.easy_setopt(h, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
	curl.easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(h, CURLOPT_USERAGENT, "tracelab/" TRACELAB_VERSION);
	curl.easy_setopt(h, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl.easy_setopt(h, CURLOPT_LOW_SPEED_LIMIT, (long)SLOWEST);
	curl.easy_setopt(h, CURLOPT_LOW_SPEED_TIME, silent_seconds());
	curl.easy_setopt(h, CURLOPT_WRITEFUNCTION, take_body);
	curl.easy_setopt(h, CURLOPT_WRITEDATA, f);
	curl.easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
	curl.easy_setopt(h, CURLOPT_XFERINFOFUNCTION, watch_bytes);
	curl.easy_setopt(h, CURLOPT_XFERINFODATA, f);
	curl.easy_setopt(h, CURLOPT_HEADERFUNCTION, take_header);
	curl.easy_setopt(h, CURLOPT_HEADERDATA, f);
}

/* Reads the first bytes, which tell the size and the entity tag. */
static int read_first(struct http_file *f, struct tf_error *error)
{
	int status;

	curl.easy_setopt(f->handle, CURLOPT_HTTPHEADER, f->headers);
	status = request(f, f->first, sizeof(f->first), 0, error);
	if (status < 0)
		return status;
	f->n_first = f->got;
	f->size = f->total;
	f->opened = true;
	f->version = text_format("%s %s %llu", f->new_etag ? f->new_etag : "",
				 f->modified ? f->modified : "", (unsigned long long)f->size);
	if (f->new_etag && f->new_etag[0] == '"') {
		f->etag = checked_copy(f->new_etag);
		add_header(f, text_format("If-Match: %s", f->etag));
		curl.easy_setopt(f->handle, CURLOPT_HTTPHEADER, f->headers);
	}
	return 0;
}

int http_open(const char *url, struct http_file **file, struct tf_error *error)
{
	struct http_file *f;
	int status;

	if (!load_curl())
		return fail(error, "%s: cannot be read without libcurl.so.4 (Debian: libcurl4)",
			    url);
	f = checked_array(1, sizeof(*f));
	f->url = checked_copy(url);
	f->shown = shown_url(url);
	f->handle = checked(curl.easy_init());
	f->random = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
	sign(f);
	set_options(f);
	status = read_first(f, error);
	if (status < 0) {
		http_close(f);
		return status;
	}
	*file = f;
	return 0;
}

void http_close(struct http_file *f)
{
	if (!f)
		return;
	curl.easy_cleanup(f->handle);
	curl.slist_free_all(f->headers);
	free(f->url);
	free(f->shown);
	free(f->etag);
	free(f->version);
	free(f->new_etag);
	free(f->modified);
	free(f);
}

uint64_t http_size(const struct http_file *f)
{
	return f->size;
}

const char *http_version(const struct http_file *f)
{
	return f->version;
}

int http_read(struct http_file *f, void *to, size_t size, uint64_t offset, struct tf_error *error)
{
	int status;

	if (offset + size <= f->n_first) {
		memcpy(to, f->first + offset, size);
		return 0;
	}
	status = request(f, to, size, offset, error);
	if (status == 0 && f->got != size)
		return fail(error, "%s: the server answers with fewer bytes than it was asked for",
			    f->shown);
	return status;
}
