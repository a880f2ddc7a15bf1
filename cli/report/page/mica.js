/* MICA's characteristics as a radar, against reference programs. */

const MICA_DEFINITION = 'Characteristics of this program that do not depend on a machine. Each axis ' +
	'goes from the least to the greatest value among the reference programs and this one; the ' +
	'grey area is the middle half of the reference programs.';

const FEWEST_AXES = 3;	/* of a radar that has an area */
const MICA_PARTS = ['ilp', 'itypes', 'ppm', 'reg', 'stride', 'footprint'];

/* Returns the axes with this program's place, and the quartiles' places, from 0 to 1. */
function radar_axes(reference) {
	return reference.axes.filter((one) => is_number(one.value)).map((one) => {
		const all = [...one.values, one.value].filter(is_number).sort((a, b) => a - b);
		const others = one.values.filter(is_number).sort((a, b) => a - b);
		const least = all[0], range = all[all.length - 1] - least || 1;
		const place = (value) => (value - least) / range;

		return { ...one, median: quantile(others, 0.5), place: place(one.value),
			low: place(quantile(others, 0.25)), high: place(quantile(others, 0.75)) };
	});
}

/* Returns the value below which a share of sorted numbers is, interpolated. */
function quantile(numbers, share) {
	const at = share * (numbers.length - 1), below = Math.floor(at);
	const next = numbers[Math.min(below + 1, numbers.length - 1)];

	return numbers[below] + (at - below) * (next - numbers[below]);
}

function describe_radar(axes) {
	const grey = style_colour('soft'), blue = series_colour(0);

	return {
		type: 'radar',
		data: { labels: axes.map((one) => one.name), datasets: [
			{ label: 'this program', data: axes.map((one) => one.place), borderColor: blue,
				backgroundColor: with_alpha(blue, 0.12), radius: 3, pointBackgroundColor: blue },
			{ label: 'upper quartile of the reference programs', borderWidth: 1,
				data: axes.map((one) => one.high), borderColor: grey,
				backgroundColor: with_alpha(grey, 0.25), fill: '+1' },
			{ label: 'lower quartile', data: axes.map((one) => one.low), borderWidth: 1,
				borderColor: grey, fill: false },
		] },
		options: {
			scales: { r: { min: 0, max: 1, ticks: { display: false, stepSize: 0.25 },
				grid: { color: style_colour('line') },
				angleLines: { color: style_colour('line') },
				pointLabels: { color: style_colour('ink'), font: { size: 12 } } } },
			plugins: { tooltip: { callbacks: {
				label: (item) => item.datasetIndex ? '' : axis_label(axes[item.dataIndex]) },
			filter: (item) => item.datasetIndex === 0 } },
		},
	};
}

function axis_label(one) {
	return three_digits(one.value) + ' ' + (one.unit || '') + ', median of the reference ' +
		three_digits(one.median);
}

function radar_figure(report) {
	const { reference } = report, found = result(report, 'mica');
	const axes = radar_axes(reference);

	return figure({
		title: 'Characteristics against the reference',
		definition: MICA_DEFINITION,
		command: found.command,
		exactness: found.exactness,
		height: 'high',
		draw: (plot) => draw_chart(plot, 'Characteristics: ' + axes.map((one) => one.name +
			' ' + three_digits(one.value)).join(', '), () => describe_radar(axes)),
		table: () => table('Characteristics', [
			{ key: 'name', title: 'Characteristic' },
			{ key: 'value', title: 'This program', format: three_digits },
			{ key: 'median', title: 'Median of the reference', format: three_digits },
			{ key: 'unit', title: 'Unit' },
		], axes),
	});
}

/* Returns rows of all numbers of a document of results, with the names of its parts. */
function number_rows(results, path = '') {
	return Object.entries(results).flatMap(([key, value]) => is_number(value) ?
		[{ name: (path + key).replace(/_/g, ' '), value }] :
		value && typeof value === 'object' && !Array.isArray(value) && key !== 'legend' ?
			number_rows(value, path + key + ': ') : []);
}

function mica_section(report) {
	const found = result(report, 'mica');
	const rows = found.data ? number_rows(found.data) : [];
	const has_reference = report.reference && radar_axes(report.reference).length >= FEWEST_AXES;

	if (!has_reference && !has_rows(rows))
		return section('mica', 'Characteristics (MICA)', null, empty('Characteristics',
			[found.reason, ...MICA_PARTS.map((part) => result(report, part).reason)].find(Boolean) ||
			'The report has none of MICA’s characteristics.', 'trace-mica TRACE'));
	return section('mica', 'Characteristics (MICA)', null, node('div', { class: 'columns' },
		has_reference && radar_figure(report),
		has_rows(rows) && node('div', { class: 'card' }, node('h3', {}, 'All characteristics'),
			table('All characteristics', [
				{ key: 'name', title: 'Characteristic' },
				{ key: 'value', title: 'Value', format: (value) => Number.isInteger(value) ?
					count(value) : three_digits(value) },
			], rows))));
}
