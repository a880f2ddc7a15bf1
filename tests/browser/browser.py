"""A headless browser: one process for all checks of a test."""
import base64
import json
import os
import pathlib

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# The sandbox needs rights that neither root nor a container has; the only page is our own.
ARGUMENTS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
             '--no-first-run', '--disable-extensions', '--disable-background-networking',
             '--force-color-profile=srgb', '--window-size=1400,900']


class Browser:
    def __init__(self, folder):
        options = Options()
        options.binary_location = '/usr/bin/chromium'
        for argument in ARGUMENTS + [f'--user-data-dir={folder}/profile']:
            options.add_argument(argument)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
        os.environ.setdefault('XDG_CONFIG_HOME', folder)
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        self.size(1400, 900)

    def quit(self):
        self.driver.quit()

    def open(self, path):
        self.driver.get(pathlib.Path(path).as_uri())

    def run(self, script, *arguments):
        """Returns the value of a script's return statement."""
        return self.driver.execute_script(script, *arguments)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height):
        self.command('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                     mobile=False)
        self.settle()

    def media(self, kind='', **features):
        self.command('Emulation.setEmulatedMedia', media=kind, features=[
            dict(name=name.replace('_', '-'), value=value) for name, value in features.items()])
        self.settle()

    def settle(self):
        """Waits until the page has been laid out and drawn: two frames."""
        self.driver.execute_async_script(
            'const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));')

    def messages(self):
        """Returns what the console has said since the last call, but for advice about the tests' reading of pixels."""
        return [entry['message'] for entry in self.driver.get_log('browser')
                if 'willReadFrequently' not in entry['message']]

    def press(self, key, text=None):
        """Presses a key of the keyboard, for the focused element."""
        event = dict(key=key, code=key)
        if text or len(key) == 1:
            event['text'] = text or key
        codes = dict(Enter=13, Escape=27, Tab=9, ArrowLeft=37, ArrowUp=38, ArrowRight=39, ArrowDown=40, Home=36)
        event['windowsVirtualKeyCode'] = codes.get(key, ord(key[0]))
        if key == 'Enter':
            event['text'] = '\r'
        self.command('Input.dispatchKeyEvent', type='keyDown', **event)
        self.command('Input.dispatchKeyEvent', type='keyUp', key=key, code=key)

    def mouse(self, kind, x, y):
        self.command('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='none' if kind == 'mouseMoved' else 'left',
                     clickCount=1)

    def click_at(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.mouse('mousePressed', x, y)
        self.mouse('mouseReleased', x, y)

    def picture(self, path, **clip):
        """Saves the window, or a part of the page, as PNG."""
        parameters = dict(format='png')
        if clip:
            parameters.update(captureBeyondViewport=True, clip=dict(clip, scale=1))
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.command('Page.captureScreenshot', **parameters)['data']))

    def print_to(self, path):
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.command('Page.printToPDF', printBackground=True)['data']))


def fill_page(template, document, path):
    """Writes the page with the document, as trace-report does."""
    data = json.dumps(document).replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026')
    with open(template) as page:
        before, behind = page.read().split('\n@DATA@\n')
    with open(path, 'w') as out:
        out.write(before + '\n' + data + '\n' + behind)
