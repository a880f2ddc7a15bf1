/* The call tree of trace-calls, in the form that the flame graph needs. */

/*
 * Returns the root of the call paths. A node has name, module, calls, inclusive and exclusive costs,
 * its caller, its callees (the most expensive one first), its depth, its row, and `from`, the sum of the
 * costs of everything to the left of the node. Callees that the paths lack are no nodes: their cost leaves a
 * gap.
 */
function call_tree(paths, cost, name, total) {
	const nodes = new Map();
	const root = { name, module: '', calls: 1, inclusive: 0, exclusive: 0, depth: 0,
		caller: null, callees: [], row: null };

	for (const path of paths) {
		const caller = nodes.get(path.caller) || root;
		const one = { name: path.function, module: path.module, calls: path.calls,
			inclusive: path['inclusive_' + cost] || 0,
			exclusive: path['exclusive_' + cost] || 0,
			depth: caller.depth + 1, caller, callees: [], row: path };

		caller.callees.push(one);
		nodes.set(path.path, one);
	}
	root.inclusive = Math.max(total || 0,
		root.callees.reduce((sum, callee) => sum + callee.inclusive, 0));
	place(root, 0);
	return root;
}

function place(one, from) {
	one.from = from;
	one.callees.sort((a, b) => b.inclusive - a.inclusive);
	for (const callee of one.callees) {
		place(callee, from);
		from += callee.inclusive;
	}
}

/* Calls visit(node) for a node and everything below it, callers first. */
function each_below(one, visit) {
	visit(one);
	for (const callee of one.callees)
		each_below(callee, visit);
}

/* Returns the cost of the functions that match, each cost counted once. */
function matched_cost(one, matches) {
	return matches(one) ? one.inclusive :
		one.callees.reduce((sum, callee) => sum + matched_cost(callee, matches), 0);
}

/* Returns the callers of a node, the outermost one first. */
function callers(one) {
	return one.caller ? [...callers(one.caller), one.caller] : [];
}
