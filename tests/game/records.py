"""Records for tests."""

SHORT = """\
[Twofold "1"]
[Rules "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"]
[Seed "1"]
[Player "me"]
[Score "12"]
[Result "8 going"]
[Final "0121/0003/0100/0001"]

drdlur
"""


FOREIGN = """\
[Twofold "1"]
[Rules "2x2 spawn=2:0.9,4:0.1 start=2 goal=8 stop=goal"]
[Board "2x2:11/00"]
[StartScore "100"]
[StartMove "7"]
[Date "2048-01-31"]
[Undos "3"]
[Hints "2"]
[Score "112"]
[Result "8 stopped"]
[Final "2x2:11/23"]
[Event "home"]

{so far so good}
r@2:4 d@0:2 {a \\{lucky\\} \\\\ one} u@3:4 {x} d@1:2
"""
