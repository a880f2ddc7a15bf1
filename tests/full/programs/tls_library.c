/* SPDX-License-Identifier: MIT */
/* A library with thread-local variables, for tls_models.c. SIZE decides how much room they take. */
#ifndef SIZE
#define SIZE 16
#endif
static __thread int hidden = 3;
__thread int shown = 4;
static __thread char room[SIZE];
int count(int by);
int count(int by)
{
	hidden += by;
	shown += hidden;
	room[SIZE - 1]++;
	return hidden * 1000 + shown + room[SIZE - 1];
}
