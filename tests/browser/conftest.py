"""Fixtures of the driver's tests: a server of pages, and a browser."""

from tests.browser.stage import site as site
from tests.browser.stage import stage as stage
