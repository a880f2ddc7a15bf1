/* SPDX-License-Identifier: MIT */
/*
 * Values, members and lines of JSON, made and read with jansson. All functions that make them end
 * the process with a message if memory is out. Values belong to the caller until they become
 * members or elements.
 */
#ifndef JSON_VALUES_H
#define JSON_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns a string of untrusted bytes, with U+FFFD for each byte that is not UTF-8. */
json_t *json_text(const char *text);

/* Returns a string of our own, which is valid UTF-8. */
json_t *json_word(const char *word);

/* Returns a number, or a decimal string beyond 2^63 - 1, where jansson has no exact number. */
json_t *json_number(uint64_t value);

/* Returns the string "0x1f". */
json_t *json_hex(uint64_t value);

/* Returns a string with two hexadecimal digits for each byte. */
json_t *json_bytes(const uint8_t *bytes, size_t count);

/* Adds a value to an object, which owns it then; and to an array. */
void json_member(json_t *object, const char *name, json_t *value);
void json_element(json_t *array, json_t *value);

/* Writes a row as a line, and frees the row. flags: of json_dumpf. */
void json_put_line(FILE *out, json_t *row, size_t flags);

/* ---- reading: NULL is an object without members -------------------------------------------- */

/* Reads a member that is an integer of at least 0. Returns false if the object has none. */
bool json_read_number(const json_t *object, const char *name, uint64_t *value);

/* As json_read_number(), for an address: a number, or a string as json_hex() makes it. */
bool json_read_address(const json_t *object, const char *name, uint64_t *value);

/* Returns a member that is a number, or NaN if the object has none. */
double json_read_real(const json_t *object, const char *name);

/*
 * Read a member that may be missing or null: then *value stays, or is NaN. Return false if the
 * member is something else than an integer of at least 0, or than a number.
 */
bool json_read_optional_number(const json_t *object, const char *name, uint64_t *value);
bool json_read_optional_real(const json_t *object, const char *name, double *value);

/* Returns a member that is a string, which lives as long as the object, or NULL. */
const char *json_read_text(const json_t *object, const char *name);

#endif
