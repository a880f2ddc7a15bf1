/* Latencies of sampled instructions, by the source of the data. */

const LATENCY_DEFINITION = 'Samples of instructions by latency, as AMD’s IBS takes them: load miss ' +
	'latencies by the cache or memory that had the data, and the cycles from tagging an ' +
	'instruction to its retirement.';

/* Returns the points of each source. The kind "load miss" is the sum of its sources. */
function latency_series(ibs) {
	const all = new Map();

	for (const row of ibs.histogram || []) {
		if (!all.has(row.latency))
			all.set(row.latency, []);
		all.get(row.latency).push(row);
	}
	return [...all].filter(([name]) => !/^load miss$/.test(name));
}

/* Returns the samples in bins of a quarter of a power of two. */
function binned(rows) {
	const bins = new Map();

	for (const row of rows) {
		const bin = Math.floor(4 * Math.log2(Math.max(1, (row.from + row.to) / 2))) / 4;

		bins.set(bin, (bins.get(bin) || 0) + row.samples);
	}
	return bins;
}

function describe_latencies(series) {
	const bins = series.map(([, rows]) => binned(rows));
	const places = bins.flatMap((one) => [...one.keys()]);
	const least = Math.min(...places), most = Math.max(...places);
	const all = Array.from({ length: 4 * (most - least) + 1 }, (_, i) => least + i / 4);

	return {
		type: 'line',
		data: { datasets: series.map(([label], i) => ({ label, stepped: 'middle',
			borderColor: series_colour(i), backgroundColor: with_alpha(series_colour(i), 0.12),
			fill: 'origin', data: all.map((x) => ({ x, y: bins[i].get(x) || null }))
				.map(({ x, y }) => ({ x, y: y === null ? 0.5 : y })) })) },
		options: {
			scales: {
				x: log2_axis('latency [cycles]', short_count, { min: Math.floor(least),
					max: Math.ceil(most + 0.25) }),
				y: { ...axis('samples', short_count, { min: 0.5 }), type: 'logarithmic',
					ticks: { callback: (value) => Number.isInteger(Math.log10(value)) ?
						short_count(value) : '' } },
			},
			plugins: { tooltip: { filter: (item) => item.parsed.y >= 1, callbacks: {
				title: ([item]) => item ? 'about ' + three_digits(2 ** (item.parsed.x + 0.125)) +
					' cycles' : '',
				label: (item) => item.dataset.label + ': ' + count(item.parsed.y) +
					' samples',
			} } },
		},
	};
}

/* The quantiles, if the report has no histogram. */
function describe_quantiles(latencies) {
	return {
		type: 'bar',
		data: { labels: latencies.map((row) => row.latency),
			datasets: ['p50', 'p90', 'p99'].map((key, i) => ({
				label: { p50: 'median', p90: '90 % are below', p99: '99 % are below' }[key],
				data: latencies.map((row) => row[key]), backgroundColor: series_colour(i) })) },
		options: {
			scales: { x: without_grid(axis('', (i) => shortened(latencies[i].latency, 24))),
				y: axis('cycles', short_count, { min: 0 }) },
		},
	};
}

function latency_figure(report, more) {
	const found = result(report, 'ibs');

	return contents(found, (ibs) => has_rows(ibs.latencies),
		'The report has no samples.', 'trace-ibs --machine=zen4 TRACE', ({ data }) => {
			const series = latency_series(data);

			return figure({
				title: 'Latencies',
				definition: LATENCY_DEFINITION,
				command: found.command,
				exactness: found.exactness || 'modelled',
				draw: (plot) => draw_chart(plot, 'Latencies. ' + data.latencies.map((row) =>
					row.latency + ': median ' + row.p50).join(', ') + ' cycles.',
				() => series.length ? describe_latencies(series) :
					describe_quantiles(data.latencies)),
				table: () => table('Latencies in cycles', [
					{ key: 'latency', title: 'Latency' },
					{ key: 'samples', title: 'Samples', format: count },
					{ key: 'mean', title: 'Mean', format: three_digits },
					{ key: 'p50', title: 'Median', format: count },
					{ key: 'p90', title: '90 %', format: count },
					{ key: 'p99', title: '99 %', format: count },
					{ key: 'max', title: 'Most', format: count },
				], data.latencies),
				...more,
			});
		});
}

function latency_section(report) {
	const { data } = result(report, 'ibs');

	return section('latency', 'Latencies', data && data.model && 'Samples of the machine model ' +
		data.model + ', one every ' + count(data.period) + ' ops.',
	latency_figure(report, { height: 'high' }));
}
