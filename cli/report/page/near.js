/* Work that waits until an element comes near the window. */

const NEAR = '300px';	/* from the window: elements are ready before their readers see them */
const waiting = new WeakMap();	/* what to do, by element */
const watcher = new IntersectionObserver((entries) => {
	for (const { isIntersecting, target } of entries)
		if (isIntersecting)
			do_now(target);
}, { rootMargin: NEAR });

/* Calls act() once, when the element comes near the window, or in do_now(). */
function when_near(element, act) {
	waiting.set(element, act);
	watcher.observe(element);
}

/* Does now what waits for an element, if that has not been done. */
function do_now(element) {
	const act = waiting.get(element);

	if (!act)
		return;
	waiting.delete(element);
	watcher.unobserve(element);
	act();
}
