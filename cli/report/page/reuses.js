/* The histogram of reuse distances, by refactoring or by kind. */

const REUSES_DEFINITION = 'Reuses of memory blocks by reuse distance: the number of other blocks that ' +
	'are touched between two touches of a block. A cache of fewer blocks misses. At this ' +
	'distance and more: the misses of a cache of this size.';
const REUSE_CHOICES = {
	height: [['absolute', 'reuses'], ['relative', 'share of each distance']],
	form: [['plain', 'at this distance'], ['reverse', 'at this distance and more']],
	by: [['refactoring', 'refactoring'], ['kind', 'kind']],
};

/* Returns {name, bins, rank} of each colour; `rank` is 0 for reuses of no listed refactoring. */
function reuse_series(slo, by) {
	if (by === 'kind')
		return (slo.kinds || []).map((one) => ({ name: one.kind, bins: one.bins, rank: 0 }))
			.filter((one) => one.bins.some((n) => n > 0));
	const listed = slo.refactorings.slice(0, SERIES - 1);
	const other = slo.bins.map((n, bin) =>
		n - listed.reduce((sum, one) => sum + one.bins[bin], 0));

	return [...listed.map((one) => ({ name: one.rank + ' ' + one.kind, bins: one.bins,
		rank: one.rank })), { name: 'other', bins: other, rank: 0 }]
		.filter((one) => one.bins.some((n) => n > 0));
}

/* Returns the sums of all bins from each one to the last. */
function reverse_sums(bins) {
	let sum = 0;

	return bins.slice().reverse().map((n) => (sum += n)).reverse();
}

/* Returns the range of bins that have reuses, and caches. */
function reuse_range(slo) {
	const used = slo.bins.flatMap((n, bin) => n ? [bin] : []);
	const caches = slo.caches.map((cache) => Math.floor(Math.log2(cache.cache_blocks)));

	return [Math.min(...used, ...caches), Math.max(...used, ...caches)];
}

function describe_reuses(slo, chosen, selection) {
	const [first, last] = reuse_range(slo), series = reuse_series(slo, chosen.by);
	const form = chosen.form === 'reverse' ? reverse_sums : (bins) => bins;
	const all = form(slo.bins), relative = chosen.height === 'relative';
	const bins = Array.from({ length: last - first + 1 }, (_, i) => first + i);
	const value = (n, bin) => relative ? (all[bin] ? 100 * n / all[bin] : 0) : n;

	return {
		type: 'bar',
		data: { labels: bins.map((bin) => size(2 ** bin * slo.block_size)),
			datasets: series.map((one, i) => {
				const colour = one.name === 'other' ? series_colour(SERIES - 1) : series_colour(i);
				const pale = selection.rank && one.rank !== selection.rank;

				return { label: one.name, rank: one.rank, stack: 'reuses',
					backgroundColor: pale ? with_alpha(colour, 0.3) : colour,
					barPercentage: 1, categoryPercentage: 0.94,
					data: bins.map((bin) => value(form(one.bins)[bin], bin)) };
			}) },
		options: {
			onClick: (_, [element], chart) => {
				const { rank } = element ? chart.data.datasets[element.datasetIndex] : {};

				if (rank)
					selection.choose(rank);
			},
			scales: { x: { ...without_grid(axis('reuse distance, from', (i) =>
				size(2 ** bins[i] * slo.block_size))), stacked: true },
			y: axis(relative ? 'share' : 'reuses', relative ? percent : short_count,
				/* The names of caches stand above the bars. */
				{ stacked: true, min: 0, grace: relative ? 0 : '12%' }) },
			interaction: { mode: 'nearest', intersect: true },
			plugins: { tooltip: { callbacks: {
				title: ([item]) => item ? count(2 ** bins[item.dataIndex]) + ' blocks, ' +
					item.label + ', and more' : '',
				label: (item) => item.dataset.label + ': ' + (relative ? percent(item.raw) :
					count(item.raw) + ' reuses') } } },
		},
		plugins: [cache_lines(slo, first)],
	};
}

/* The caches, between the bars of smaller and of larger distances. */
function cache_lines(slo, first) {
	return { id: 'cache_lines', afterDatasetsDraw: (chart) => {
		const bar = chart.scales.x.getPixelForValue(1) - chart.scales.x.getPixelForValue(0);

		draw_marks(chart, slo.caches.map((cache) => ({
			x: chart.scales.x.getPixelForValue(0) +
				bar * (Math.log2(cache.cache_blocks) - first - 0.5),
			name: size(cache.cache_size_bytes),
		})));
	} };
}

function reuses_table(slo) {
	const sums = reverse_sums(slo.bins);
	const rows = slo.bins.flatMap((n, bin) => n ? [{ blocks: bin ? 2 ** bin : 0,
		bytes: (bin ? 2 ** bin : 0) * slo.block_size, reuses: n, more: sums[bin],
		...Object.fromEntries(slo.kinds.map((one) => [one.kind, one.bins[bin]])) }] : []);

	return table('Reuse distances', [
		{ key: 'blocks', title: 'From [blocks]', format: count },
		{ key: 'bytes', title: 'From', format: size },
		{ key: 'reuses', title: 'Reuses', format: count },
		{ key: 'more', title: 'Reuses from here on', format: count },
		...slo.kinds.map((one) => ({ key: one.kind, title: capital(one.kind), format: count })),
	], rows);
}

function reuses_figure(found, selection) {
	const slo = found.data, chosen = { height: 'absolute', form: 'plain', by: 'refactoring' };
	let drawing;
	const controls = [['height', 'Height:'], ['form', 'Reuses:'], ['by', 'Colours by:']].map(
		([key, label]) => choice(label, REUSE_CHOICES[key], (value) => {
			chosen[key] = value;
			draw(drawing);
		}, { id: 'reuses-' + key }));

	selection.listen(() => draw(drawing));
	return figure({
		title: 'Reuse distances',
		definition: REUSES_DEFINITION,
		command: found.command,
		exactness: 'exact',
		keeps_clicks: true,
		controls,
		draw: (plot) => {
			drawing = draw_chart(plot, 'Reuse distances of ' + count(slo.reuses) + ' reuses.',
				() => describe_reuses(slo, chosen, selection));
		},
		table: () => reuses_table(slo),
	});
}
