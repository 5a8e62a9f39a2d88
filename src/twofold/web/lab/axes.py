"""The axes of plots in the languages of the page; those of reports are English."""

import re
from typing import Final

from twofold.errors import InvalidInput
from twofold.notation import shown

WORDS: Final[dict[str, dict[str, str]]] = {
    "de": {
        "ended in the band, %": "im Bereich beendet, %",
        "going on, %": "noch im Spiel, %",
        "mean score, points": "Ø Punkte",
        "reached, % of games": "erreicht, % der Spiele",
        "score, points": "Punkte",
        "tile": "Kachel",
        "tile sum": "Summe der Kacheln",
        "time a move, log axis": "Zeit je Zug, logarithmisch",
    },
    "en": {},
    "es": {
        "ended in the band, %": "terminaron en la franja, %",
        "going on, %": "siguen, %",
        "mean score, points": "puntuación media",
        "reached, % of games": "alcanzada, % de partidas",
        "score, points": "puntuación",
        "tile": "ficha",
        "tile sum": "suma de fichas",
        "time a move, log axis": "tiempo por jugada, eje logarítmico",
    },
    "zh": {
        "ended in the band, %": "在区段内结束（%）",
        "going on, %": "仍在进行（%）",
        "mean score, points": "平均分",
        "reached, % of games": "达到（占局数 %）",
        "score, points": "分数",
        "tile": "方块",
        "tile sum": "方块总和",
        "time a move, log axis": "每步用时（对数轴）",
    },
}
"""Labels by language and English label; the table headings of the page have the same words."""

_GROUPED: Final = {"de": ".", "es": "."}
"""The sign between thousands where a comma would begin decimals, as on the page."""

_TEXT: Final = re.compile(r"(?<=>)[^<>]+(?=</text>)")
_NUMBER: Final = re.compile(r"\d{1,3}(,\d{3})+")


def translated(svg: str, language: str) -> str:
    """A plot with its labels and numbers in a language. Raises InvalidInput.

    >>> translated("<text>tile</text><text>2,048</text>", "zh")
    '<text>方块</text><text>2,048</text>'
    >>> translated("<text>tile sum</text><text>20,000</text>", "de")
    '<text>Summe der Kacheln</text><text>20.000</text>'
    """
    words, comma = WORDS.get(language), _GROUPED.get(language, ",")
    if words is None:
        raise InvalidInput(f"expected a language of {', '.join(WORDS)}, got {shown(language)}")

    def translate(found: re.Match[str]) -> str:
        text = found[0]
        return text.replace(",", comma) if _NUMBER.fullmatch(text) else words.get(text, text)

    return _TEXT.sub(translate, svg)
