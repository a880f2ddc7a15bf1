/* Traces of a suite as leaves of a tree, and their distances as a matrix in the same order. */

const TREE_DEFINITION = 'Hierarchical clustering by average linkage. Two branches join at the mean distance ' +
	'between their traces: similar traces join far to the right. Colours are the clusters of k-means.';
const MATRIX_DEFINITION = 'The distance of each two traces, in the order of the tree: the darker, the more ' +
	'similar. Dark squares along the diagonal are groups of similar traces.';
const TREE = { width: 1000, row: 20, top: 26, labels: 230, left: 12 };
const MOST_MATRIX = 80;

/*
 * Returns the nodes of the tree, by number: {x, y, cluster}, where cluster is undefined for a node with
 * traces of several clusters.
 */
function tree_nodes(suite) {
	const names = [], nodes = [];

	for (const { leaf, trace } of suite.leaves)
		names[leaf] = trace;
	suite.leaves.forEach(({ leaf, trace }, i) => {
		nodes[leaf] = { distance: 0, y: TREE.top + (i + 0.5) * TREE.row, cluster: cluster_of(suite, trace), trace };
	});
	suite.merges.forEach(({ first, second, distance }, i) => {
		const [a, b] = [nodes[first], nodes[second]];

		nodes[names.length + i] = { distance, y: (a.y + b.y) / 2, children: [a, b],
			cluster: a.cluster === b.cluster ? a.cluster : undefined };
	});
	return nodes;
}

/* Returns a function from a distance to a place: 0 is at the right, before the names. */
function tree_scale(most) {
	const right = TREE.width - TREE.labels;

	return (distance) => right - (right - TREE.left) * distance / (most || 1);
}

function tree_branch(one, x) {
	const [a, b] = one.children, at = x(one.distance);
	const series = one.cluster === undefined ? {} : { 'data-series': one.cluster % SERIES + 1 };

	return vector('path', { class: 'branch', ...series, d: `M${x(a.distance)} ${a.y}H${at}V${b.y}H${x(b.distance)}` });
}

/* Returns the name of a trace, which is a link if the trace has a page. */
function tree_leaf(suite, one, x) {
	const text = vector('text', { x: x(0) + 8, y: one.y + 4, class: 'leaf', 'data-series': one.cluster % SERIES + 1 });
	const link = vector('a', { href: './' + encodeURIComponent(one.trace) + '/report.html' });

	text.append(shortened(one.trace, 32));
	if (!suite.pages.has(one.trace))
		return text;
	link.append(text);
	return link;
}

function tree_ticks(most, x, bottom) {
	const step = 10 ** Math.floor(Math.log10(most / 2 || 1));
	const marks = [];

	for (let at = 0; at <= most * 1.0001; at += step * Math.ceil(most / step / 8)) {
		const text = vector('text', { x: x(at), y: 14, class: 'tick' });

		text.append(three_digits(at));
		marks.push(vector('path', { class: 'grid', d: `M${x(at)} 20V${bottom}` }), text);
	}
	return marks;
}

function draw_tree(plot, suite) {
	const nodes = tree_nodes(suite), height = TREE.top + suite.leaves.length * TREE.row + 6;
	const most = Math.max(...nodes.map((one) => one.distance), 0), x = tree_scale(most);
	const drawing = vector('svg', { viewBox: `0 0 ${TREE.width} ${height}`, role: 'img', class: 'tree',
		'aria-label': 'Tree of ' + suite.leaves.length + ' traces; the last two branches join at ' + three_digits(most) + '.' });

	drawing.append(...tree_ticks(most, x, height - 6),
		...nodes.filter((one) => one.children).map((one) => tree_branch(one, x)),
		...nodes.filter((one) => !one.children).map((one) => tree_leaf(suite, one, x)));
	plot.append(drawing);
}

function tree_figure(suite) {
	return figure({
		title: 'Tree of the traces',
		definition: TREE_DEFINITION,
		height: 'free',
		keeps_clicks: true,
		draw: (plot) => draw_tree(plot, suite),
		table: () => table('Merges', [{ key: 'first', title: 'First', format: count },
			{ key: 'second', title: 'Second', format: count },
			{ key: 'distance', title: 'Distance', format: three_digits },
			{ key: 'traces', title: 'Traces', format: count }], suite.merges),
	});
}

/* ---- distances ---- */

function draw_matrix(plot, suite) {
	const names = suite.leaves.map((row) => row.trace), rows = new Map(suite.distances.map((row) => [row.trace, row]));
	const most = Math.max(...names.flatMap((a) => names.map((b) => rows.get(a)[b])), 0) || 1;
	const edge = (TREE.width - TREE.labels) / names.length, step = Math.min(edge, 24);
	const drawing = vector('svg', { viewBox: `0 0 ${TREE.width} ${step * names.length}`, role: 'img', class: 'tree',
		'aria-label': 'Distances of ' + names.length + ' traces; the greatest is ' + three_digits(most) + '.' });

	names.forEach((a, i) => {
		const name = vector('text', { x: TREE.labels - 8, y: (i + 0.5) * step + 4, class: 'row' });

		name.append(shortened(a, 32));
		drawing.append(name);
		names.forEach((b, j) => {
			const cell = vector('rect', { x: TREE.labels + j * step, y: i * step, width: step - 0.5,
				height: step - 0.5, class: 'cell', 'fill-opacity': 1 - rows.get(a)[b] / most });
			const tip = vector('title', {});

			tip.append(a + ', ' + b + ': ' + three_digits(rows.get(a)[b]));
			cell.append(tip);
			drawing.append(cell);
		});
	});
	plot.append(drawing);
}

function distances_figure(suite) {
	const names = suite.leaves.map((row) => row.trace);
	const columns = [{ key: 'trace', title: 'Trace' },
		...names.map((name) => ({ key: name, title: name, format: three_digits }))];

	return names.length > MOST_MATRIX ? empty('Distances', names.length + ' traces are too many for a picture; ' +
		'the distances are in suite.json.') : figure({
		title: 'Distances',
		definition: MATRIX_DEFINITION,
		height: 'free',
		keeps_clicks: true,
		draw: (plot) => draw_matrix(plot, suite),
		table: () => table('Distances', columns, suite.distances),
	});
}
