"""The relations of Re-DocRED: Wikidata's property in words, and the question it is asked by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Relation(NamedTuple):
    """A property of Wikidata."""

    words: str
    question: str
    """With `{}` where the head's label goes; the tail answers it."""


def _table(rows: str) -> dict[str, Relation]:
    cells = ([c.strip() for c in row.split("|")] for row in rows.strip().splitlines())
    return {name: Relation(words, question) for name, words, question in cells}


RELATIONS: Mapping[str, Relation] = _table("""
P6    | head of government            | Who is the head of government of {}?
P17   | country                       | Which country does {} belong to?
P19   | place of birth                | Where was {} born?
P20   | place of death                | Where did {} die?
P22   | father                        | Who is the father of {}?
P25   | mother                        | Who is the mother of {}?
P26   | spouse                        | Who is {} married to?
P27   | country of citizenship        | What is the nationality of {}?
P30   | continent                     | Which continent does {} belong to?
P31   | instance of                   | What kind of thing is {}?
P35   | head of state                 | Who is the head of state of {}?
P36   | capital                       | What is the capital of {}?
P37   | official language             | What is the official language of {}?
P39   | position held                 | Which position did {} hold?
P40   | child                         | Who is a child of {}?
P50   | author                        | Who wrote {}?
P54   | member of sports team         | Which sports team did {} play for?
P57   | director                      | Who directed {}?
P58   | screenwriter                  | Who wrote the screenplay of {}?
P69   | educated at                   | Where was {} educated?
P86   | composer                      | Who composed the music of {}?
P102  | member of political party     | Which political party does {} belong to?
P108  | employer                      | Who does {} work for?
P112  | founded by                    | Who founded {}?
P118  | league                        | Which league does {} play in?
P123  | publisher                     | Who published {}?
P127  | owned by                      | Who owns {}?
P131  | located in the administrative territorial entity | Which administrative region is {} located in?
P136  | genre                         | What is the genre of {}?
P137  | operator                      | Who operates {}?
P140  | religion                      | What is the religion of {}?
P150  | contains administrative territorial entity | Which administrative region does {} contain?
P155  | follows                       | What comes before {}?
P156  | followed by                   | What comes after {}?
P159  | headquarters location         | Where are the headquarters of {}?
P161  | cast member                   | Who is in the cast of {}?
P162  | producer                      | Who produced {}?
P166  | award received                | Which award did {} receive?
P170  | creator                       | Who created {}?
P171  | parent taxon                  | What is the parent taxon of {}?
P172  | ethnic group                  | What is the ethnic group of {}?
P175  | performer                     | Who performed {}?
P176  | manufacturer                  | Who manufactures {}?
P178  | developer                     | Who developed {}?
P179  | part of the series            | Which series is {} part of?
P190  | twinned administrative body   | Which is a twin town of {}?
P194  | legislative body              | What is the legislative body of {}?
P205  | basin country                 | Which country is in the basin of {}?
P206  | located in or next to body of water | Which body of water is {} next to?
P241  | military branch               | Which military branch does {} belong to?
P264  | record label                  | What is the record label of {}?
P272  | production company            | Which company produced {}?
P276  | location                      | What is the location of {}?
P279  | subclass of                   | What is {} a subclass of?
P355  | has subsidiary                | What is a subsidiary of {}?
P361  | part of                       | What is {} part of?
P364  | original language of film or TV show | What is the original language of {}?
P400  | platform                      | Which platform is {} for?
P403  | mouth of the watercourse      | What does {} flow into?
P449  | original broadcaster          | Which network first broadcast {}?
P463  | member of                     | What is {} a member of?
P488  | chairperson                   | Who chairs {}?
P495  | country of origin             | What is the country of origin of {}?
P527  | has part                      | What is a part of {}?
P551  | residence                     | Where does {} live?
P569  | date of birth                 | When was {} born?
P570  | date of death                 | When did {} die?
P571  | inception                     | When was {} founded or created?
P576  | dissolved, abolished or demolished date | When did {} cease to exist?
P577  | publication date              | When was {} published or released?
P580  | start time                    | When did {} start?
P582  | end time                      | When did {} end?
P585  | point in time                 | When did {} take place?
P607  | conflict                      | Which conflict did {} take part in?
P674  | characters                    | Who is a character in {}?
P676  | lyrics by                     | Who wrote the lyrics of {}?
P706  | located in or on physical feature | Which physical feature is {} located on?
P710  | participant                   | Who took part in {}?
P737  | influenced by                 | Who influenced {}?
P740  | location of formation         | Where was {} formed?
P749  | parent organization           | What is the parent organization of {}?
P800  | notable work                  | What is a notable work of {}?
P807  | separated from                | What did {} separate from?
P840  | narrative location            | Where is {} set?
P937  | work location                 | Where did {} work?
P1001 | applies to jurisdiction       | Which jurisdiction does {} apply to?
P1056 | product or material produced  | What does {} produce?
P1336 | territory claimed by          | Who claims the territory of {}?
P1344 | participant in                | What did {} take part in?
P1365 | replaces                      | What did {} replace?
P1366 | replaced by                   | What replaced {}?
P1376 | capital of                    | What is {} the capital of?
P1412 | languages spoken, written or signed | Which language does {} speak?
P1441 | present in work               | Which work does {} appear in?
P3373 | sibling                       | Who is a sibling of {}?
""")
"""By Wikidata's property id: every relation of the file."""
