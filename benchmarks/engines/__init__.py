"""Other 2048 programs as engines of twofold: `docs/benchmarks.md` says how to build and run them.

No code of theirs is here. The user builds each from its own sources.
"""
