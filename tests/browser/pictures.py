"""Saves pictures of a report's page: pictures.py REPORT FOLDER. Those in examples/pictures/ are of examples/sort-words.c,
built by `gcc -O2 -g`, with the arguments and input

    ./sort-words 20 <TEXT        # TEXT: cat $(git ls-files '*.md' cli/man), at the top of the checkout
    trace-report --source=. -o report.html sort-words.trace

and made smaller by `pngquant --quality 70-95`. They need the Debian packages pngquant, fonts-inter and fonts-dejavu-core."""
import sys
import tempfile

from browser import Browser

SECTIONS = ('flame', 'phases', 'locality')
MARGIN = 12


def main(report, folder):
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        try:
            browser.open(report)
            browser.settle()
            browser.picture(f'{folder}/report.png')
            for section in SECTIONS:
                # Charts are drawn when they come into sight.
                browser.run('document.getElementById(arguments[0]).scrollIntoView()', section)
                browser.settle()
                browser.settle()
                x, y, width, height = browser.run('''const at = document.getElementById(arguments[0])
                    .getBoundingClientRect(); return [at.x + scrollX, at.y + scrollY, at.width, at.height];''', section)
                browser.picture(f'{folder}/{section}.png', x=x - MARGIN, y=y, width=width + 2 * MARGIN,
                                height=min(height + MARGIN, 900))
            browser.media(prefers_color_scheme='dark')
            browser.run('scrollTo(0, 0)')
            browser.settle()
            browser.picture(f'{folder}/report-dark.png')
        finally:
            browser.quit()


main(*sys.argv[1:])
