"""The rules: boards, dice, whole games."""
