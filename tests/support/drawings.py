"""SVG text taken apart."""

import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(SVG + name))


def numbers(svg: str) -> list[str]:
    """The texts of a picture, in order."""
    return [one.text or "" for one in elements(svg, "text")]
