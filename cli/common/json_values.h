/* SPDX-License-Identifier: MIT */
/*
 * Values, members and lines of JSON, made with jansson. All functions end the process with a
 * message if memory is out. Values belong to the caller until they become members or elements.
 */
#ifndef JSON_VALUES_H
#define JSON_VALUES_H

#include <jansson.h>
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

#endif
