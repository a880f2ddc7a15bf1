/*
 * The colors of pictures. The style sheet has them for light and for dark mode, so that text and
 * pictures change together.
 *
 * Colors of series are those of M. Okabe and K. Ito, Color Universal Design (2008), darkened for
 * white paper and lightened for dark mode.
 */

const SERIES = 7;

function style_colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/* Returns the colour of a series, from 0. */
function series_colour(index) {
	return style_colour('s' + (index % SERIES + 1));
}

function with_alpha(colour, alpha) {
	return colour + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

function is_dark() {
	const chosen = document.documentElement.dataset.theme;

	return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/*
 * Returns the colour of a point of the unit cube in OKLab (B. Ottosson 2020): the first component is
 * lightness, the second one blue to yellow, the third one green to red. Readers who do not tell red
 * from green see the first two.
 */
function cube_colour(first, second, third) {
	const lightness = 0.45 + 0.4 * first, a = 0.2 * (third - 0.5), b = 0.34 * (second - 0.5);
	const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;

	return '#' + [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
		-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
		-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s].map(channel).join('');
}

/* Returns a linear channel in sRGB, as two digits. */
function channel(linear) {
	const bounded = Math.min(1, Math.max(0, linear));
	const coded = bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055;

	return Math.round(255 * coded).toString(16).padStart(2, '0');
}
