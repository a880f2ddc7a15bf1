/*
 * Phases: intervals of equal length, each with the colour of its basic block vector; a metric below,
 * on the same time axis; and the vectors in two dimensions.
 */

const PHASES_DEFINITION = 'Each column is an interval of the execution. Similar colours are similar ' +
	'basic block vectors: the interval executed the same code. Triangles are simulation ' +
	'points, the intervals that represent the program.';
const PROJECTION_DEFINITION = 'The basic block vectors of the intervals in the two directions in ' +
	'which they differ most (principal components). Close points executed similar code. ' +
	'Large points are simulation points; their size shows their weight.';
const AXIS_WIDTH = 64;
const NARROW_BAND = 350;	/* pixels; columns of a wider band overlap more */

/* Returns the colour of each interval: of its vector, or else of its cluster. */
function interval_colours(phases) {
	const { colour, labels = [] } = phases;
	const rank = new Map([...new Set(labels)].map((label, i) => [label, i]));

	return has_rows(colour) ? colour.map(([a, b, c]) => cube_colour(a, b, c)) : labels.map((label) => series_colour(rank.get(label)));
}

function interval_count(phases) {
	return phases.intervals || 0;
}

/* Returns the middle of an interval, in instructions. */
function middle(phases, interval) {
	return (interval + 0.5) * phases.interval_size;
}

function point_of(phases, interval) {
	return (phases.points || []).find((point) => point.interval === interval);
}

/* The colour band, and one metric below it. */
function describe_band(phases, metric) {
	const all = Array.from({ length: interval_count(phases) }, (_, i) => i);
	const points = phases.points || [], colours = interval_colours(phases);
	const end = all.length * phases.interval_size;
	const datasets = [
		{ type: 'bar', label: 'phase', yAxisID: 'band', backgroundColor: colours,
			data: all.map((i) => ({ x: middle(phases, i), y: 1 })),
			/* Columns overlap by a pixel, as the paper would shine through the edges between pixels. */
			barPercentage: 1, categoryPercentage: 1 + all.length / NARROW_BAND, grouped: false,
			order: 2 },
		{ type: 'scatter', label: 'simulation point', yAxisID: 'band',
			pointStyle: 'triangle', rotation: 180, order: 1, clip: false,
			backgroundColor: style_colour('ink'), borderColor: style_colour('paper'),
			radius: 7, hoverRadius: 8,
			data: points.map((point) => ({ x: middle(phases, point.interval), y: 1.16 })) },
	];
	const scales = {
		...metric && { metric: metric_axis(metric) },
		x: { ...without_grid(axis('instructions', short_count)), type: 'linear', min: 0,
			max: end, offset: false },
		band: { axis: 'y', type: 'linear', weight: 0, min: 0, max: 1.35, stack: 'time', stackWeight: 1,
			offset: false, grid: { display: false, drawBorder: false },
			ticks: { display: false }, afterFit: (scale) => { scale.width = AXIS_WIDTH; } },
	};

	if (metric) {
		datasets.push({ type: 'line', label: metric.name, yAxisID: 'metric',
			borderColor: style_colour('ink'), borderWidth: 1.5, stepped: 'middle', order: 0,
			data: metric.values.slice(0, all.length).map((y, i) => ({ x: middle(phases, i), y })) });
	}
	return {
		type: 'bar',
		data: { datasets },
		options: { scales, interaction: { mode: 'nearest', axis: 'x', intersect: false },
			plugins: { legend: { display: false }, tooltip: { callbacks: {
				title: ([item]) => item ? interval_title(phases, item.parsed.x) : '',
				label: (item) => interval_label(phases, metric, item) } } } },
	};
}

function metric_axis(metric) {
	const base = axis(axis_title(metric), short_count, { axis: 'y', stack: 'time', stackWeight: 2,
		beginAtZero: true, afterFit: (scale) => { scale.width = AXIS_WIDTH; } });

	return { ...base, ticks: { ...base.ticks, maxTicksLimit: 5 } };
}

function metric_title(metric) {
	return metric.unit ? metric.unit.replace(/^percent$/, '%') : '';
}

/* Returns the title of a metric's axis, as long as the axis: without the name if both are too long. */
function axis_title(metric) {
	const whole = metric.name + ', ' + metric_title(metric);

	return whole.length <= 26 ? whole : metric_title(metric);
}

/* Returns "Phases", and of which thread if there are several. */
function phases_title(report, phases) {
	const trace = report.traces[0] || {};

	return trace.threads > 1 && is_number(phases.thread) ? 'Phases of ' + thread_name(trace, phases.thread) :
		'Phases';
}

function interval_title(phases, at) {
	const interval = Math.floor(at / phases.interval_size);

	return 'Interval ' + count(interval) + ', from ' +
		short_count(interval * phases.interval_size);
}

function interval_label(phases, metric, item) {
	const interval = Math.floor(item.parsed.x / phases.interval_size);
	const point = point_of(phases, interval);

	if (item.dataset.label === 'phase')
		return phases.labels ? 'cluster ' + phases.labels[interval] : 'interval';
	if (item.dataset.label === 'simulation point')
		return 'simulation point, weight ' + percent(100 * point.weight) +
			(point.function ? ', in ' + point.function : '');
	return metric.name + ': ' + three_digits(item.parsed.y) + ' ' + metric_title(metric);
}

function interval_rows(phases) {
	return Array.from({ length: interval_count(phases) }, (_, i) => {
		const point = point_of(phases, i);
		const row = { interval: i, from: i * phases.interval_size,
			cluster: (phases.labels || [])[i], weight: point && 100 * point.weight };

		(phases.metrics || []).forEach((metric, k) => { row['metric' + k] = metric.values[i]; });
		return row;
	});
}

function phases_table(phases) {
	return table('Intervals', [
		{ key: 'interval', title: 'Interval', format: count },
		{ key: 'from', title: 'First instruction', format: count },
		{ key: 'cluster', title: 'Cluster', format: count },
		{ key: 'weight', title: 'Weight of the simulation point', format: percent },
		...(phases.metrics || []).map((metric, k) => ({ key: 'metric' + k,
			title: metric.name + (metric.unit ? ' [' + metric_title(metric) + ']' : ''),
			format: three_digits })),
	], interval_rows(phases));
}

function phases_figure(report, more) {
	const found = result(report, 'phases');

	return contents('Phases', found, (phases) => interval_count(phases) > 1,
		'The program is too short for phases: it has fewer than two intervals.',
		'trace-simpoint --interval=100k TRACE', ({ data }) => {
			const metrics = data.metrics || [];
			const command = node('code', {}, metrics.length ? metrics[0].command : '');
			let metric = metrics[0], drawing;

			return figure({
				title: phases_title(report, data),
				definition: PHASES_DEFINITION,
				command: found.command,
				exactness: found.exactness,
				controls: metrics.length > 1 ? [choice('Below:', metrics.map((one, i) =>
					[i, one.name]), (value) => {
					metric = metrics[value];
					command.textContent = metric.command;
					draw(drawing);
				}), node('span', { class: 'command' }, command)] : undefined,
				draw: (plot) => {
					drawing = draw_chart(plot, 'Phases: ' + interval_count(data) +
						' intervals of ' + short_count(data.interval_size) +
						' instructions, ' + (data.points || []).length +
						' simulation points.', () => describe_band(data, metric));
				},
				table: () => phases_table(data),
				...more,
			});
		});
}

function describe_projection(phases) {
	const colours = interval_colours(phases), points = phases.points || [];
	const place = (interval) => ({ x: phases.projection[interval][0],
		y: phases.projection[interval][1] });
	const hidden = (title) => ({ ...axis(title, () => ''), type: 'linear', grace: '5%' });

	return {
		type: 'scatter',
		data: { datasets: [
			{ label: 'interval', radius: 4, borderWidth: 0, order: 1,
				backgroundColor: colours, data: phases.projection.map((_, i) => place(i)) },
			{ label: 'simulation point', order: 0, borderWidth: 2,
				borderColor: style_colour('ink'),
				backgroundColor: points.map((point) => colours[point.interval]),
				radius: points.map((point) => 5 + 10 * Math.sqrt(point.weight)),
				data: points.map((point) => place(point.interval)) },
		] },
		options: {
			interaction: { mode: 'nearest', intersect: true },
			scales: { x: hidden('first component'), y: hidden('second component') },
			plugins: { legend: { display: false }, tooltip: { callbacks: {
				label: (item) => projection_label(phases, item) } } },
		},
	};
}

function projection_label(phases, item) {
	const interval = item.datasetIndex ? phases.points[item.dataIndex].interval : item.dataIndex;
	const point = point_of(phases, interval);

	return 'interval ' + count(interval) + (phases.labels ? ', cluster ' +
		phases.labels[interval] : '') + (point ? ', weight ' + percent(100 * point.weight) : '');
}

function projection_figure(report) {
	const found = result(report, 'phases');

	return found.data && interval_count(found.data) > 1 && has_rows(found.data.projection) && figure({
		title: 'Vectors in two dimensions',
		definition: PROJECTION_DEFINITION,
		command: found.command,
		exactness: found.exactness,
		height: 'high',
		draw: (plot) => draw_chart(plot, 'Basic block vectors in two dimensions.',
			() => describe_projection(found.data)),
		table: () => table('Simulation points', [
			{ key: 'interval', title: 'Interval', format: count },
			{ key: 'cluster', title: 'Cluster', format: count },
			{ key: 'percent', title: 'Weight', format: percent },
			{ key: 'function', title: 'Function' },
		], (found.data.points || []).map((point) => ({ ...point, percent: 100 * point.weight }))),
	});
}

function phases_section(report) {
	return section('phases', 'Phases', null, node('div', { class: 'columns wide-left' },
		phases_figure(report, { height: 'high' }), projection_figure(report)));
}
