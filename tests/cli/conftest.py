"""The fixture of all tests of commands."""

from tests.support.commands import cli as cli
