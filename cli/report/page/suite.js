/*
 * The page of a suite of traces: where the traces are in the space of their characteristics, which of
 * them are alike, and the metrics themselves.
 */

const SUITE_MAP_DEFINITION = 'Each point is a trace. The axes are principal components: combinations of ' +
	'the 69 characteristics of MICA, each less its mean and divided by its standard deviation. ' +
	'Close points are similar programs. Colours are clusters; large points represent their cluster.';
const SUITE_SCREE_DEFINITION = 'How much of the variance of all characteristics each principal component ' +
	'has. The filled ones are kept, because their variance is at least that of one characteristic.';
const SUITE_LOADINGS_DEFINITION = 'The characteristics with the greatest coefficients in a principal ' +
	'component: what it means that a trace is far to the right or to the top.';
const SUITE_BIC_DEFINITION = 'The Bayesian information criterion of the best clustering with each number ' +
	'of clusters. The smallest number is chosen whose score is at least 90 % of the way from the worst to the best.';
const MOST_NAMED_POINTS = 60, MOST_LOADINGS = 16;

/* Returns the suite with what its pictures need: for each trace its cluster. */
function prepared_suite(suite) {
	const clusters = new Map((suite.clusters || []).map((row) => [row.trace, row]));

	return { ...suite, clusters_by_trace: clusters, pages: new Set(suite.pages || []) };
}

function cluster_of(suite, trace) {
	const row = suite.clusters_by_trace.get(trace);

	return row ? row.cluster : 0;
}

function suite_title(suite) {
	const { traces_in_suite: all, traces_in_statistics: used } = suite;

	document.title = all + ' traces – tracelab suite';
	return node('div', { class: 'title' }, node('h1', {}, all + plural(all, ' trace', ' traces')),
		node('p', { class: 'summary' }, used > 1 ? suite.clusters_chosen +
			plural(suite.clusters_chosen, ' cluster', ' clusters') + ' by ' +
			suite.characteristics_used + ' characteristics, which ' + suite.components_kept +
			plural(suite.components_kept, ' component describes', ' components describe') + '.' : ''),
		used < all && node('p', { class: 'warning' },
			all - used + ' without the characteristics that the statistics need.'));
}

/* ---- the map ---- */

/* Names of points, beside them. */
const point_names = {
	id: 'point_names',
	afterDatasetsDraw(chart, _, options) {
		const { ctx: context, chartArea: area } = chart;

		context.save();
		context.font = '11px ' + Chart.defaults.font.family;
		context.fillStyle = style_colour('soft');
		context.textBaseline = 'middle';
		for (const { data, index } of chart.getSortedVisibleDatasetMetas())
			data.forEach((point, i) => {
				const name = shortened(chart.data.datasets[index].data[i].name, 24);
				const right = point.x > area.right - 7 * name.length;

				context.textAlign = right ? 'right' : 'left';
				if (options.shown)
					context.fillText(name, point.x + (right ? -9 : 9), point.y);
			});
		context.restore();
	},
};

function describe_map(suite, x, y) {
	const numbers = [...new Set(suite.coordinates.map((row) => cluster_of(suite, row.trace)))].sort((a, b) => a - b);
	const place_axis = (pc) => ({ ...axis(component_title(suite, pc), three_digits), type: 'linear', grace: '8%' });
	const styles = ['circle', 'rect', 'triangle', 'rectRot', 'star'];

	return {
		type: 'scatter',
		data: { datasets: numbers.map((cluster) => {
			const rows = suite.coordinates.filter((row) => cluster_of(suite, row.trace) === cluster);

			return { label: 'cluster ' + cluster, backgroundColor: series_colour(cluster),
				borderColor: series_colour(cluster),
				pointStyle: styles[Math.floor(cluster / SERIES) % styles.length],
				radius: rows.map((row) => suite.clusters_by_trace.get(row.trace).representative ? 8 : 5),
				data: rows.map((row) => ({ x: row[x], y: y ? row[y] : 0, name: row.trace })) };
		}) },
		options: {
			interaction: { mode: 'nearest', intersect: true },
			scales: { x: place_axis(x), y: y ? place_axis(y) : { display: false } },
			plugins: { point_names: { shown: suite.coordinates.length <= MOST_NAMED_POINTS },
				tooltip: { callbacks: { label: (item) => item.raw.name + ', ' + item.dataset.label } } },
		},
		plugins: [point_names],
	};
}

function component_title(suite, pc) {
	const row = suite.components.find((one) => one.component === pc);

	return pc + ' (' + percent(row.share) + ' of the variance)';
}

function kept_components(suite) {
	return suite.components.filter((row) => row.kept).map((row) => row.component);
}

function map_figure(suite) {
	const kept = kept_components(suite), options = kept.map((pc) => [pc, pc]);
	let [x, y] = kept, drawing;

	return figure({
		title: 'Traces by principal components',
		definition: SUITE_MAP_DEFINITION,
		height: 'high',
		class: 'suite-map',
		controls: kept.length > 2 && [
			choice('Across:', options, (value) => { x = value; draw(drawing); }, { id: 'suite-x' }),
			choice('Up:', [...options.slice(1), options[0]], (value) => { y = value; draw(drawing); }, { id: 'suite-y' }),
		],
		draw: (plot) => {
			drawing = draw_chart(plot, 'Traces by principal components, in ' + suite.clusters_chosen +
				' clusters.', () => describe_map(suite, x, y));
		},
		table: () => table('Coordinates', [{ key: 'trace', title: 'Trace' },
			...kept.map((pc) => ({ key: pc, title: pc, format: three_digits }))], suite.coordinates),
	});
}

/* ---- components ---- */

function describe_scree(suite) {
	const shown = suite.components.slice(0, Math.max(suite.components_kept + 3, 8));

	return {
		type: 'bar',
		data: { labels: shown.map((row) => row.component), datasets: [
			{ label: 'of the variance', data: shown.map((row) => row.share), order: 1,
				backgroundColor: shown.map((row) => with_alpha(series_colour(0), row.kept ? 1 : 0.3)) },
			{ type: 'line', label: 'with those before', data: shown.map((row) => row.sum_of_shares),
				borderColor: series_colour(1), backgroundColor: series_colour(1), radius: 3, order: 0 },
		] },
		options: { scales: { x: without_grid({ ...axis('', String), ticks: {} }),
			y: axis('% of the variance', three_digits, { min: 0, max: 100 }) },
		plugins: { tooltip: { callbacks: { label: (item) => percent(item.parsed.y) + ' ' + item.dataset.label } } } },
	};
}

function scree_figure(suite) {
	return figure({
		title: 'Variance of the components',
		definition: SUITE_SCREE_DEFINITION,
		draw: (plot) => draw_chart(plot, 'Variance of the principal components: ' + suite.components.slice(0, 4)
			.map((row) => row.component + ' ' + percent(row.share)).join(', '), () => describe_scree(suite)),
		table: () => table('Components', [{ key: 'component', title: 'Component' },
			{ key: 'variance', title: 'Variance', format: three_digits },
			{ key: 'share', title: 'Share', format: percent },
			{ key: 'sum_of_shares', title: 'With those before', format: percent }], suite.components),
	});
}

function loadings_of(suite, pc) {
	return suite.characteristics.slice().sort((a, b) => Math.abs(b[pc]) - Math.abs(a[pc])).slice(0, MOST_LOADINGS);
}

function draw_loadings(plot, suite, pc) {
	const rows = loadings_of(suite, pc);

	plot.replaceChildren();
	draw_changes(plot, 'Coefficients of ' + pc + ': ' + rows.slice(0, 4).map((row) => row.characteristic + ' ' +
		three_digits(row[pc])).join(', '), () => ({ names: rows.map((row) => row.characteristic),
		values: rows.map((row) => row[pc]), format: three_digits }));
}

function loadings_figure(suite) {
	const kept = kept_components(suite);
	let place;

	return figure({
		title: 'What a component consists of',
		definition: SUITE_LOADINGS_DEFINITION,
		height: 'high',
		controls: kept.length > 1 && [choice('Component:', kept.map((pc) => [pc, pc]),
			(pc) => draw_loadings(place, suite, pc), { id: 'suite-component' })],
		draw: (plot) => {
			place = plot;
			draw_loadings(plot, suite, kept[0]);
		},
		table: () => table('Characteristics', [{ key: 'characteristic', title: 'Characteristic' },
			{ key: 'mean', title: 'Mean', format: three_digits },
			{ key: 'standard_deviation', title: 'Standard deviation', format: three_digits },
			...kept.map((pc) => ({ key: pc, title: pc, format: three_digits }))], suite.characteristics),
	});
}

/* ---- clusters ---- */

function describe_bic(suite) {
	const rows = suite.numbers_of_clusters, blue = series_colour(0);

	return {
		type: 'line',
		data: { datasets: [{ label: 'BIC', borderColor: blue, backgroundColor: blue,
			radius: rows.map((row) => row.chosen ? 8 : 4),
			data: rows.map((row) => ({ x: row.clusters, y: row.bic })) }] },
		options: { scales: { x: { ...axis('clusters', count), type: 'linear', ticks: { stepSize: 1 } },
			y: axis('BIC', three_digits) },
		plugins: { legend: { display: false }, tooltip: { callbacks: {
			title: ([item]) => item ? item.parsed.x + plural(item.parsed.x, ' cluster', ' clusters') : '',
			label: (item) => 'BIC ' + three_digits(item.parsed.y) } } } },
	};
}

function bic_figure(suite) {
	return figure({
		title: 'Number of clusters',
		definition: SUITE_BIC_DEFINITION,
		draw: (plot) => draw_chart(plot, 'BIC by number of clusters; ' + suite.clusters_chosen + ' are chosen.',
			() => describe_bic(suite)),
		table: () => table('Numbers of clusters', [{ key: 'clusters', title: 'Clusters', format: count },
			{ key: 'bic', title: 'BIC', format: three_digits },
			{ key: 'mean_square', title: 'Mean squared distance', format: three_digits }], suite.numbers_of_clusters),
	});
}

function clusters_card(suite) {
	const rows = suite.clusters.map((row) => ({ ...row, role: row.representative ? 'represents it' : '' }))
		.sort((a, b) => a.cluster - b.cluster || a.distance_to_centre - b.distance_to_centre);

	return node('div', { class: 'card' }, node('h3', {}, 'Traces by cluster'),
		table('Traces by cluster', [{ key: 'trace', title: 'Trace' },
			{ key: 'cluster', title: 'Cluster', format: count },
			{ key: 'distance_to_centre', title: 'From its centre', format: three_digits },
			{ key: 'role', title: '' }], rows));
}

/* ---- sections ---- */

function suite_metrics_card(suite) {
	const keys = Object.keys((suite.metrics || [])[0] || {}), units = (suite.units || {}).metrics || {};

	return node('div', { class: 'card wide-names' }, table('Metrics', keys.map((key) => key === 'trace' ?
		{ key, title: 'Trace' } : { key, title: key + (units[key] ? ' [' + units[key] + ']' : ''),
			format: three_digits }), suite.metrics || []));
}

function with_statistics(title, draw) {
	return ({ suite }) => suite.traces_in_statistics > 1 ? draw(suite) : empty(title,
		'Fewer than two traces have enough characteristics that differ.');
}

const SUITE_SECTIONS = [
	['suite-map', 'Map', with_statistics('Traces by principal components', map_figure), null],
	['suite-tree', 'Tree', with_statistics('Tree of the traces', tree_figure),
		'A distance of 1 is one standard deviation in each characteristic.'],
	['suite-clusters', 'Clusters', with_statistics('Clusters', (suite) => node('div', { class: 'columns' },
		clusters_card(suite), bic_figure(suite))), null],
	['suite-components', 'Components', with_statistics('Components', (suite) => node('div', { class: 'columns' },
		loadings_figure(suite), scree_figure(suite))), null],
	['suite-distances', 'Distances', with_statistics('Distances', distances_figure), null],
	['suite-metrics', 'Metrics', ({ suite }) => suite_metrics_card(suite), null],
].map(([id, name, make, lead]) => [id, name, (report) => section(id, name, lead, make(report))]);
