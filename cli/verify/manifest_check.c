/* SPDX-License-Identifier: MIT */
#include "cli/verify/manifest_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/file_set.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"

enum { MANIFEST_VERSION = 1 };

static bool refuse(const char *path, const char *why)
{
	command_error("%s: is not a manifest of trace-info --manifest --format=json: %s", path,
		      why);
	return false;
}

static bool is_hash(const char *text)
{
	return text && strlen(text) == SHA256_TEXT - 1 &&
	       strspn(text, "0123456789abcdef") == SHA256_TEXT - 1;
}

/* Reads one file of the list. Returns false after a message. */
static bool read_entry(const char *path, const json_t *entry, struct set_file *file)
{
	const char *name = json_read_text(entry, "name");
	const char *hash = json_read_text(entry, "sha256");

	if (!name || !*name)
		return refuse(path, "a file has no name");
	if (!is_hash(hash))
		return refuse(path, "a file has no SHA-256");
	if (!json_read_number(entry, "bytes", &file->size))
		return refuse(path, "a file has no number of bytes");
	file->name = checked_copy(name);
	file->path = checked_copy(name);
	memcpy(file->sha256, hash, SHA256_TEXT);
	return true;
}

/* Reads a manifest. Its own hash must be that of its list. Returns false after a message. */
static bool read_list(const char *path, const json_t *root, struct file_set *list)
{
	const json_t *files = json_object_get(root, "files");
	const char *hash = json_read_text(root, "sha256");
	char own[SHA256_TEXT];

	if (json_integer_value(json_object_get(root, "manifest_version")) != MANIFEST_VERSION)
		return refuse(path, "manifest_version is not 1");
	if (!json_is_array(files) || !json_array_size(files))
		return refuse(path, "it has no list of files");
	list->at = checked_array(json_array_size(files), sizeof(*list->at));
	for (size_t i = 0; i < json_array_size(files); i++) {
		if (!read_entry(path, json_array_get(files, i), &list->at[i]))
			return false;
		list->count++;
	}
	if (!file_set_sort(list))
		return false;
	file_set_hash_all(list, own);
	if (!is_hash(hash) || strcmp(hash, own)) {
		command_error("%s: its list of files does not have the SHA-256 that it says; the "
			      "manifest is damaged or was changed",
			      path);
		return false;
	}
	return true;
}

/* Names the fault of a file in the list, and returns its state. */
static const char *check_file(const struct set_file *listed, struct set_file *found)
{
	if (!found) {
		command_error("%s: is missing", listed->name);
		return "missing";
	}
	if (found->size < listed->size) {
		command_error("%s: is truncated: it has %" PRIu64 " of %" PRIu64 " bytes",
			      listed->name, found->size, listed->size);
		return "truncated";
	}
	if (!file_set_hash(found))
		return "unreadable";
	if (found->size != listed->size || strcmp(found->sha256, listed->sha256)) {
		command_error("%s: has changed: its SHA-256 is %s", listed->name, found->sha256);
		return "changed";
	}
	return "good";
}

static void put_row(struct report *report, const char *name, const char *state, uint64_t bytes)
{
	if (report)
		report_row(report, name, state, bytes);
}

/* Compares the files found with those in the list. Returns true if they are the same. */
static bool compare(const struct file_set *list, const struct file_set *found,
		    struct report *report)
{
	bool good = true;

	for (size_t i = 0; i < list->count; i++) {
		struct set_file *file = file_set_find(found, list->at[i].name);
		const char *state = check_file(&list->at[i], file);

		good &= !strcmp(state, "good");
		put_row(report, list->at[i].name, state, file ? file->size : 0);
	}
	for (size_t i = 0; i < found->count; i++)
		if (!file_set_find(list, found->at[i].name)) {
			command_error("%s: is not in the manifest", found->at[i].name);
			put_row(report, found->at[i].name, "extra", found->at[i].size);
			good = false;
		}
	return good;
}

/* Returns the folder of a file. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return checked_copy(".");
	return slash == path ? checked_copy("/") : text_format("%.*s", (int)(slash - path), path);
}

int manifest_check(const char *path, struct report *report)
{
	static const struct report_column columns[] = {
		{ "file", REPORT_STRING, "" },
		{ "state", REPORT_STRING, "" },
		{ "bytes", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	json_t *root = json_file_read(path, "a manifest of trace-info --manifest --format=json");
	struct file_set list = { 0 }, found = { 0 };
	char *folder = folder_of(path);
	bool good = root && read_list(path, root, &list) &&
		    file_set_add_folder(&found, folder, path) && file_set_sort(&found);

	if (good) {
		if (report)
			report_table(report, "files", columns);
		good = compare(&list, &found, report);
	}
	free(folder);
	file_set_free(&list);
	file_set_free(&found);
	json_decref(root);
	return good ? EXIT_DONE : EXIT_FAILED;
}
