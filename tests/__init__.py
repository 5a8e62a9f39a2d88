"""Tests of twofold."""
