/* Charts by Chart.js in the look of the page: light or dark, on screen and on paper. */

const drawings = new Set();	/* {canvas, describe, chart}, where no chart is one that nobody has seen */
const SMALLEST_FONT = 12;

/* Draws the line of a mark. */
function draw_mark_line({ ctx: context, chartArea: area }, x) {
	context.setLineDash([4, 3]);
	context.beginPath();
	context.moveTo(x, area.top);
	context.lineTo(x, area.bottom);
	context.stroke();
}

/* Draws the name of a mark on the chart's ground, so that no line crosses the name. */
function draw_mark_name({ ctx: context, chartArea: area }, x, name, row) {
	const MARGIN = 3, right = x > (area.left + area.right) / 2;
	const width = context.measureText(name).width;
	const left = right ? x - 5 - width : x + 5, base = area.top + 11 + 14 * row;

	context.fillStyle = style_colour('paper');
	context.fillRect(left - MARGIN, base - 10, width + 2 * MARGIN, 13);
	context.fillStyle = style_colour('soft');
	context.fillText(name, left, base);
}

/* Draws vertical lines with names at pixels of the x axis; rows of names keep them apart. */
function draw_marks(chart, list) {
	const { ctx: context, chartArea: area } = chart;
	const seen = list.map(({ x, name }, i) => ({ x, name, row: i % 3 }))
		.filter(({ x }) => x > area.left - 0.5 && x < area.right + 0.5);

	context.save();
	context.strokeStyle = style_colour('soft');
	context.font = '11px ' + Chart.defaults.font.family;
	context.textAlign = 'left';
	seen.forEach(({ x }) => draw_mark_line(chart, x));
	seen.forEach(({ x, name, row }) => draw_mark_name(chart, x, name, row));
	context.restore();
}

/* Marks of the x axis, such as the sizes of caches. */
const marks = {
	id: 'marks',
	afterDatasetsDraw: (chart, _, options) => draw_marks(chart, (options.at || []).map(
		({ x, name }) => ({ x: chart.scales.x.getPixelForValue(x), name }))),
};

/*
 * Pictures show the characters of names as they are, as the style sheet says for text: some fonts
 * make 0×10 of 0x10.
 */
const set_plain_text = ({ ctx: context }) => {
	context.textRendering = 'optimizeSpeed';
};
const plain_text = { id: 'plain_text', beforeLayout: set_plain_text, beforeDraw: set_plain_text };

function set_defaults() {
	const defaults = Chart.defaults;

	defaults.animation = false;
	defaults.maintainAspectRatio = false;
	defaults.color = style_colour('soft');
	defaults.borderColor = style_colour('line');
	defaults.font.family = getComputedStyle(document.body).fontFamily;
	defaults.font.size = SMALLEST_FONT;
	defaults.plugins.legend.labels.boxWidth = 12;
	defaults.plugins.legend.labels.boxHeight = 12;
	defaults.plugins.legend.labels.color = style_colour('ink');
	defaults.plugins.legend.align = 'start';
	defaults.plugins.tooltip.backgroundColor = style_colour('ink');
	defaults.plugins.tooltip.titleColor = style_colour('paper');
	defaults.plugins.tooltip.bodyColor = style_colour('paper');
	defaults.plugins.tooltip.cornerRadius = 4;
	defaults.plugins.tooltip.padding = 8;
	defaults.plugins.tooltip.boxPadding = 4;
	defaults.interaction.mode = 'index';
	defaults.interaction.intersect = false;
	defaults.elements.line.borderWidth = 2;
	defaults.elements.point.radius = 0;
	defaults.elements.point.hoverRadius = 4;
}

/*
 * Returns an axis. `format` makes the text of a tick from its value; `more` overrides options of
 * Chart.js.
 */
function axis(title, format, more) {
	return {
		title: { display: !!title, text: title, color: style_colour('soft') },
		border: { display: false },
		grid: { color: style_colour('line'), drawBorder: false, tickLength: 4 },
		ticks: { callback: (value) => format(value), maxRotation: 0, autoSkipPadding: 12 },
		...more,
	};
}

/* An axis whose values are logarithms of base 2; the ticks show the numbers. */
function log2_axis(title, format, more) {
	const base = axis(title, (value) => format(2 ** value), more);

	return { ...base, type: 'linear',
		ticks: { ...base.ticks, precision: 0, includeBounds: false } };
}

/* An axis of bytes, with ticks at round numbers of KiB, MiB, ... */
function size_axis(title, largest) {
	const step = 2 ** Math.max(0, Math.ceil(Math.log2((largest || 1) / 6)));

	return axis(title, size, { min: 0, ticks: { callback: (value) => size(value), stepSize: step } });
}

function without_grid(scale) {
	return { ...scale, grid: { ...scale.grid, display: false } };
}

/*
 * Makes a canvas in `plot`, on which a chart is drawn when the canvas comes near the window. describe()
 * returns the configuration of Chart.js, anew for each look; `label` is the sentence that a screen reader
 * speaks.
 */
function draw_chart(plot, label, describe) {
	const canvas = node('canvas', { role: 'img', 'aria-label': label, tabindex: 0 });
	const drawing = { canvas, describe, chart: null };

	plot.append(canvas);
	drawings.add(drawing);
	when_near(canvas, () => draw_once(drawing));
	canvas.addEventListener('focus', () => do_now(canvas));
	canvas.addEventListener('keydown', (event) => walk_points(drawing.chart, event));
	canvas.addEventListener('blur', () => point_at(drawing.chart, -1));
	return drawing;
}

function draw(drawing) {
	const configuration = drawing.describe();

	if (drawing.chart)
		drawing.chart.destroy();
	drawing.chart = new Chart(drawing.canvas,
		{ ...configuration, plugins: [plain_text, marks, ...configuration.plugins || []] });
}

function draw_once(drawing) {
	if (!drawing.chart)
		draw(drawing);
}

/* Draws the charts that are seen anew, in the colors of today's look. */
function redraw_charts() {
	set_defaults();
	for (const drawing of drawings)
		if (drawing.chart)
			draw(drawing);
}

/* Sizes of charts on paper, in pixels of the style sheet. */
const PAPER_WIDTH = 660, PAPER_HALF = 300;
const PAPER_HEIGHTS = { low: 120, middle: 200, high: 280 };

/* Paper has another width than the window, and is always white. */
function print_charts() {
	const { dataset } = document.documentElement;
	let theme;

	addEventListener('beforeprint', () => {
		theme = dataset.theme;
		dataset.theme = 'light';
		set_defaults();
		drawings.forEach(draw);
		for (const { chart, canvas } of drawings)
			if (canvas.offsetParent)
				chart.resize(canvas.closest('.half') ? PAPER_HALF : PAPER_WIDTH,
					PAPER_HEIGHTS[canvas.parentElement.dataset.height]);
	});
	addEventListener('afterprint', () => {
		if (theme)
			dataset.theme = theme;
		else
			delete dataset.theme;
		redraw_charts();
	});
}
