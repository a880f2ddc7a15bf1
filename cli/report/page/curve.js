/* The miss-ratio curve: misses of caches of all sizes. */

const CURVE_DEFINITION = 'The share of accesses that miss in a fully associative cache with LRU ' +
	'replacement, for each size of the cache: accesses whose stack distance is at least the ' +
	'number of blocks (R. L. Mattson et al. 1970). Dashed lines are sizes of caches.';

/* Returns the points of the curves: misses by size, or the sizes that the report has instead. */
function curve_rows(stackdist) {
	return stackdist.miss_ratio_curve || stackdist.caches || [];
}

/* Returns the names and points of curves: one for each kind of access and block size. */
function curves(stackdist) {
	const found = new Map();

	for (const row of curve_rows(stackdist)) {
		const name = row.accesses + ', blocks of ' + size(row.block_size);

		if (!found.has(name))
			found.set(name, []);
		found.get(name).push({ x: Math.log2(row.cache_size_bytes), y: row.miss_ratio_percent });
	}
	return [...found];
}

/* Returns the curve's range: at least to the largest cache that is marked. */
function curve_range(stackdist) {
	const rows = curve_rows(stackdist);
	const sizes = rows.map((row) => row.cache_size_bytes);
	const last = rows.filter((row, i) => !i || row.misses !== rows[i - 1].misses)
		.map((row) => row.cache_size_bytes);

	return { min: Math.floor(Math.log2(Math.min(...sizes))),
		max: Math.ceil(Math.log2(Math.max(...last, ...marked_sizes(stackdist))) + 0.2) };
}

/* Usual sizes of the caches of a core and of a processor, unless the report names some. */
const USUAL_CACHES = [32 << 10, 1 << 20, 32 << 20];
const MOST_MARKS = 6;

function marked_sizes(stackdist) {
	const named = new Set((stackdist.caches || []).map((row) => row.cache_size_bytes));

	return named.size && named.size <= MOST_MARKS ? [...named].sort((a, b) => a - b) :
		USUAL_CACHES;
}

/* Returns the miss ratio of a cache: of the first curve, by the largest size up to the cache's. */
function miss_ratio(stackdist, bytes) {
	const [first] = curve_rows(stackdist);
	const rows = [...curve_rows(stackdist), ...stackdist.caches || []].filter((row) =>
		row.accesses === first.accesses && row.block_size === first.block_size &&
		row.cache_size_bytes <= bytes);

	return rows.reduce((best, row) => row.cache_size_bytes > best.cache_size_bytes ? row : best)
		.miss_ratio_percent;
}

function cache_marks(stackdist) {
	return marked_sizes(stackdist).map((bytes) => ({ x: Math.log2(bytes),
		name: size(bytes) + ': ' + percent(miss_ratio(stackdist, bytes)) }));
}

function describe_curve(stackdist) {
	const all = curves(stackdist), range = curve_range(stackdist);

	return {
		type: 'line',
		data: { datasets: all.map(([label, data], i) => ({ label, stepped: true,
			borderColor: series_colour(i), backgroundColor: series_colour(i),
			data: [...data.filter(({ x }) => x < range.max),
				{ x: range.max, y: data[data.length - 1].y }] })) },
		options: {
			interaction: { mode: 'nearest', axis: 'x' },
			scales: {
				x: log2_axis('size of the cache', size, range),
				y: axis('accesses that miss', percent, { min: 0 }),
			},
			plugins: {
				marks: { at: cache_marks(stackdist) },
				legend: { display: all.length > 1 },
				tooltip: { callbacks: {
					title: ([item]) => item ? size(2 ** item.parsed.x) : '',
					label: (item) => item.dataset.label + ': ' + percent(item.parsed.y),
				} },
			},
		},
	};
}

function curve_label(stackdist) {
	return 'Miss-ratio curve. ' + cache_marks(stackdist).map((mark) =>
		'Cache of ' + mark.name).join(', ') + '.';
}

function curve_figure(report, more) {
	const found = result(report, 'stackdist');

	return contents('Miss-ratio curve', found, (stackdist) => has_rows(curve_rows(stackdist)),
		'Not recorded: the trace has no data addresses.',
		'trace-record (without --no-addresses) -- PROGRAM; trace-stackdist --curve TRACE',
		({ data }) => figure({
			title: 'Miss-ratio curve',
			definition: CURVE_DEFINITION,
			command: found.command,
			exactness: found.exactness,
			draw: (plot) => draw_chart(plot, curve_label(data), () => describe_curve(data)),
			table: () => table('Misses by cache size', [
				{ key: 'cache_size_bytes', title: 'Size of the cache', format: size },
				{ key: 'accesses', title: 'Accesses' },
				{ key: 'misses', title: 'Misses', format: count },
				{ key: 'miss_ratio_percent', title: 'Miss ratio', format: percent },
			], curve_rows(data)),
			...more,
		}));
}

function curve_section(report) {
	return section('curve', 'Miss-ratio curve', null, curve_figure(report, { height: 'high' }));
}
