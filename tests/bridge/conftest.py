"""What the tests of the driver share: a server of pages, and a browser."""

from tests.bridge.stage import site as site
from tests.bridge.stage import stage as stage
