/* SPDX-License-Identifier: MIT */
/* Reading an object from a JSON file that a user names. */
#ifndef JSON_FILE_H
#define JSON_FILE_H

#include <jansson.h>

/*
 * Returns the object in a file; NULL after a message if the file cannot be read or is something
 * else. kind: the expected kind, for example "a result in JSON, which ...".
 */
json_t *json_file_read(const char *path, const char *kind);

#endif
