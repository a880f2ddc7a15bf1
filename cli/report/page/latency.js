/* Latencies of sampled instructions, by the source of the data. */

const LATENCY_DEFINITION = 'Samples of instructions by latency, as AMD’s IBS takes them. Loads that ' +
	'miss the first cache: by the cache or memory that had the data. All instructions: the ' +
	'cycles from tagging to retirement, and from completion to retirement.';
const LOAD_SOURCE = /^load miss,/;
const LATENCY_GROUPS = [['loads', 'loads by source of the data'], ['all', 'all instructions']];
const BINS_PER_POWER = 4;

/* Returns [name, rows] of each latency of a group. */
function latency_series(ibs, group) {
	const all = new Map();

	for (const row of ibs.histogram || []) {
		if (LOAD_SOURCE.test(row.latency) !== (group === 'loads') || row.latency === 'load miss')
			continue;
		if (!all.has(row.latency))
			all.set(row.latency, []);
		all.get(row.latency).push(row);
	}
	return [...all];
}

/* Returns the samples in bins, each a part of a power of two. */
function binned(rows) {
	const bins = new Map();

	for (const row of rows) {
		const middle_cycles = Math.max(1, (row.from + row.to) / 2);
		const bin = Math.floor(BINS_PER_POWER * Math.log2(middle_cycles));

		bins.set(bin, (bins.get(bin) || 0) + row.samples);
	}
	return bins;
}

function describe_latencies(series) {
	const bins = series.map(([, rows]) => binned(rows));
	const places = bins.flatMap((one) => [...one.keys()]);
	const least = Math.min(...places), most = Math.max(...places) + 1;
	const all = Array.from({ length: most - least }, (_, i) => least + i);

	return {
		type: 'bar',
		data: {
			labels: all.map((bin) => three_digits(2 ** (bin / BINS_PER_POWER))),
			datasets: series.map(([label], i) => ({ label, stack: 'samples',
				backgroundColor: series_colour(i), barPercentage: 1,
				categoryPercentage: 0.94, data: all.map((bin) => bins[i].get(bin) || 0) })),
		},
		options: {
			scales: {
				x: without_grid(axis('latency [cycles]', (i) =>
					(all[i] % BINS_PER_POWER === 0 ?
						count(2 ** (all[i] / BINS_PER_POWER)) : ''),
				{ stacked: true, ticks: { autoSkip: false, maxRotation: 0,
					callback: (_, i) => all[i] % BINS_PER_POWER === 0 ?
						count(2 ** (all[i] / BINS_PER_POWER)) : '' } })),
				y: axis('samples', short_count, { stacked: true, min: 0 }),
			},
			plugins: { tooltip: { filter: (item) => item.parsed.y > 0, callbacks: {
				title: ([item]) => item ? 'from ' + item.label + ' cycles' : '',
				label: (item) => item.dataset.label + ': ' + count(item.parsed.y) +
					plural(item.parsed.y, ' sample', ' samples'),
			} } },
		},
	};
}

/* The quantiles, if the report has no histogram. */
function describe_quantiles(latencies) {
	const names = { p50: 'median', p90: '90 % are below', p99: '99 % are below' };

	return {
		type: 'bar',
		data: { labels: latencies.map((row) => row.latency),
			datasets: Object.keys(names).map((key, i) => ({ label: names[key],
				data: latencies.map((row) => row[key]), backgroundColor: series_colour(i) })) },
		options: {
			scales: { x: without_grid(axis('', (i) => shortened(latencies[i].latency, 24))),
				y: axis('cycles', short_count, { min: 0 }) },
		},
	};
}

function latency_table(ibs) {
	return table('Latencies in cycles', [
		{ key: 'latency', title: 'Latency' },
		{ key: 'samples', title: 'Samples', format: count },
		{ key: 'mean', title: 'Mean', format: three_digits },
		{ key: 'p50', title: 'Median', format: count },
		{ key: 'p90', title: '90 %', format: count },
		{ key: 'p99', title: '99 %', format: count },
		{ key: 'max', title: 'Most', format: count },
	], ibs.latencies);
}

function latency_figure(found) {
	const { data } = found, has_groups = LATENCY_GROUPS.filter(([group]) =>
		has_rows(latency_series(data, group)));
	let [[group] = []] = has_groups, drawing;

	return figure({
		title: 'Latencies',
		definition: LATENCY_DEFINITION,
		command: found.command,
		exactness: found.exactness,
		height: 'high',
		controls: has_groups.length > 1 ? choice('Of:', has_groups, (value) => {
			group = value;
			draw(drawing);
		}, { id: 'latency-group' }) : undefined,
		draw: (plot) => {
			drawing = draw_chart(plot, 'Latencies. ' + data.latencies.map((row) =>
				row.latency + ': median ' + row.p50).join(', ') + ' cycles.',
			() => group ? describe_latencies(latency_series(data, group)) :
				describe_quantiles(data.latencies));
		},
		table: () => latency_table(data),
	});
}

function latency_section(report) {
	const found = result(report, 'ibs'), { data } = found;

	return section('latency', 'Latencies', data && data.model && 'Samples of the machine model ' +
		data.model + ', one every ' + count(data.period) + ' ops.',
	contents('Latencies', found, (ibs) => has_rows(ibs.latencies), 'The report has no samples.',
		'trace-ibs --machine=zen4 TRACE', latency_figure));
}
