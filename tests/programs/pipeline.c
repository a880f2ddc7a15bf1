/* SPDX-License-Identifier: MIT */
/* Four threads hand items on to each other through places that hold one item. */
#include <pthread.h>

enum { STAGES = 4, ITEMS = 300, WORK = 2000 };

static struct place {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int item; /* 0: none */
} places[STAGES + 1];

static void put(struct place *p, int item)
{
	pthread_mutex_lock(&p->lock);
	while (p->item)
		pthread_cond_wait(&p->changed, &p->lock);
	p->item = item;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static int take(struct place *p)
{
	int item;

	pthread_mutex_lock(&p->lock);
	while (!p->item)
		pthread_cond_wait(&p->changed, &p->lock);
	item = p->item;
	p->item = 0;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return item;
}

static void *run(void *place)
{
	struct place *p = place;

	for (int n = 0; n < ITEMS; n++) {
		int item = take(p);

		for (unsigned long i = 0; i < WORK; i++)
			__asm__ volatile("" : "+r"(i));
		put(p + 1, item + 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[STAGES];
	long sum = 0;

	for (int i = 0; i <= STAGES; i++) {
		pthread_mutex_init(&places[i].lock, NULL);
		pthread_cond_init(&places[i].changed, NULL);
	}
	for (int i = 0; i < STAGES; i++)
		if (pthread_create(&threads[i], NULL, run, &places[i]))
			return 1;
	for (int n = 0; n < ITEMS; n++) {
		put(&places[0], 1);
		sum += take(&places[STAGES]);
	}
	for (int i = 0; i < STAGES; i++)
		pthread_join(threads[i], NULL);
	return sum != ITEMS * (STAGES + 1);
}
