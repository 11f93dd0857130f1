"""Signs of decoration: quick looks whether a text may have any of a kind.

Each is what the step of that kind asks first. Most logs show none, and then the
steps themselves are never imported.
"""

from __future__ import annotations

from tracelens.expressions import compiled
from tracelens.source.widths import may_be_cut, widths_of

#: Finds, fast, a line start that ``decorations`` may accept: its first character decides for most lines.
_AT_MARGIN = (
    r"[\[(](?:(?<=\[)(?:[rR](?:ank|ANK)|[a-z][a-z_-]{1,24}\d{1,5}\]:|\d{1,6},(?:mpirank:)?\d{1,5}[,\]]|pod/"
    r"|\d{4}-\d\d-\d\d(?:T|[^\]\n]{0,24} [DTPE]P\d| \d\d:\d\d:\d\d\.\d{3}\] \[(?:info|warn)\]  )"
    r"| {0,6}\d{1,7}\.\d{6}\])"
    r"|(?<=\()(?:[^\n]{0,160}?pid=|raylet|autoscaler|scheduler|gcs_|log_m))"
    r"|[0-9](?:\d\d\d-\d\d-\d\d(?:T\d\d:\d\d:| \d\d:\d\d:\d\d[.,]\d{3} \[[A-Z]{4,5} ?\] W-)"
    r"|\d:\d\d:\d\d(?: [\w-]{1,40}\.\d{1,4} |\.\d{3} (?:\| INFO {4}\| (?:Task|Flow) "
    r"|\[[A-Z][a-z]{3,6}\] \[[\w .-]{1,60}/STD)))"
    r"|[JFMASONDr](?:[aepuco][nbrylgptvc] [ \d]?\d \d\d:\d\d:|ank ?\d)"
    r"|[#<_|](?:(?<=#)#\[|(?<=#)\d{1,4} \d|(?<=<)\d|(?<=_)bk;t|(?<=\|)[ \t]?\[\d\d\d\d-)"
)
_LINE_STARTS = rf"\n(?:{_AT_MARGIN}|[ \t](?: ?\|[ \t]?\[\d\d\d\d-))"
_OTHER_STARTS = r'\{ ?"|E   |File "[^"\n]+", line \d|[│┃╭┌┏]|\+-{3,} Traceback'
_ODD_STARTS = rf"\n(?=[^ A-CGHIKLP-RT-Za-qs-z/~.*=\n-])(?:{_AT_MARGIN}|{_OTHER_STARTS})"


def may_start_lines(text: str) -> bool:
    """Tell whether a line of ``text``, which begins with a newline, may begin with a decoration."""
    return compiled(_LINE_STARTS).search(text) is not None


def starts_oddly(text: str) -> bool:
    """Tell, faster, whether a line at the margin may begin with a decoration, an object, a box or a mark."""
    return compiled(_ODD_STARTS).search(text) is not None


#: So many lines in a row that end in two blanks were filled up, whatever the others do.
RUN = 4
_IN_A_ROW = r"  \n(?:[^\n]+  \n){3}"


def may_be_filled_up(text: str) -> bool:
    """Tell whether half of the lines or several in a row end in two blanks, or each line in one."""
    if " \n" not in text:
        return False
    filled = text.count("  \n")
    return (
        2 * filled >= text.count("\n")
        or (filled >= RUN and compiled(_IN_A_ROW).search(text) is not None)
        or ends_blank(text.split("\n"))
    )


def ends_blank(texts: list[str]) -> bool:
    """Tell whether each line that holds something ends in a blank."""
    return all(text.endswith(" ") for text in texts if text)


#: Text that short may be padded as a whole with fewer lines.
_SHORT = 2048
_PADDED = r"\n\n(?:[^\n]+\n\n+){6}"
_PADDED_SHORT = r"\n[^\n]+\n\n(?:[^\n]+\n\n+){2}"


def may_be_padded(text: str) -> bool:
    """Tell whether lines are followed by an empty one each, somewhere."""
    return compiled(_PADDED if len(text) > _SHORT else _PADDED_SHORT).search(text) is not None


def may_be_wrapped(text: str) -> bool:
    """Tell whether the longest lines of a sample are of one length, as cut ones are."""
    texts = text.split("\n")
    widths = widths_of(texts) if may_be_cut(texts) else []
    if not widths:
        return False
    from tracelens.source.wrapping import has_cut_lines

    return has_cut_lines(texts, widths)


# A repeat is followed by a character that it cannot hold, which makes backing out of it cheap.
_TORN = r'\n[ \t]*File "(?:[^"\n]*\n|[^"\n]*",?(?: l?i?n?e?)?(?: \d{0,7},?(?: i?n?)?)? ?\n)(?=\S)'


def may_be_torn(text: str) -> bool:
    """Tell whether a frame breaks off at the end of a line."""
    return 'File "' in text and compiled(_TORN).search(text) is not None


_RECORD = r"\n(?:[VDIWEC]\d{4} \d\d:|\[\d{4}-\d\d-\d\d |(?:INFO|WARNING|ERROR)\b)"
#: No line of a mail is longer, and no line whose words were wrapped all shorter.
_LEAST_OF_MAIL, _MOST_OF_MAIL = 60, 132


def has_words_to_join(text: str) -> bool:
    """Tell whether frames are torn or there are records, and no line is longer than mail allows."""
    longest = max(map(len, text.split("\n")))
    return _LEAST_OF_MAIL <= longest <= _MOST_OF_MAIL and (
        may_be_torn(text) or ' File\n"' in text or compiled(_RECORD).search(text) is not None
    )


def may_be_reflowed(text: str) -> bool:
    """Tell whether words of lines were wrapped, in a sample."""
    if not has_words_to_join(text):
        return False
    from tracelens.source.word_wrapping import wrapped_rows

    return bool(wrapped_rows(text.split("\n")))


_STARTS = r'\n[ \t]{0,8}\{ ?"'


def may_unwrap(text: str) -> bool:
    """Tell whether a line of ``text`` begins like an object, or is the message of one that is spread over lines."""
    return compiled(_STARTS).search(text) is not None or may_be_spread(text)


#: As `aws logs` and `gcloud logging read` print objects.
_SPREAD = ('"message": "', '"textPayload": "')


def may_be_spread(text: str) -> bool:
    """Tell whether ``text`` may hold objects of a log that are spread over lines."""
    return any(member in text for member in _SPREAD)


def has_escaped_traceback(text: str) -> bool:
    """Tell whether a line of ``text`` holds a traceback whose line ends are spelled out."""
    return "recent call last):\\" in text


#: Text so short may have a column of one or two lines.
_FEW = 2048
#: Two lines of one family close to each other, which every column has somewhere.
_NEAR = r"[^\n]*\n(?:[^\n]*\n){0,3}?"
_PAIRS = (
    r"\n(?:>(?!>> )[^\n]*\n>| {0,8}\d{1,7}\t[^\n]*\n {0,8}\d{1,7}\t|\|(?: |\n)[^\n]*\n?\|"
    rf"|std(?:out|err):[^\n]*\nstd(?:out|err):"
    rf"| {{0,4}}\d{{1,4}}:[ \n]{_NEAR} {{0,4}}\d{{1,4}}:[ \n]|\[\d{{1,4}}\][ \n]{_NEAR}\[\d{{1,4}}\][ \n]"
    rf"|([A-Za-z][\w.-]{{0,63}} {{0,40}})\|[ \n]{_NEAR}\1\||([a-z][\w-]{{0,62}}\d[\w.-]{{0,63}}:)[ \n]{_NEAR}\2"
    rf"|(\d{{1,3}}(?:\.\d{{1,3}}){{3}}:) {_NEAR}\3|(\[[a-z][\w./-]{{1,63}}\]) {_NEAR}\4)"
)


#: A line that could be the only one of its column.
_ANY_START = (
    r"\n(?:[>|]|std(?:out|err):| {0,4}\d{1,4}:[ \n]|\[(?:\d{1,4}|[a-z][\w./-]*)\][ \n]| {0,8}\d{1,7}\t"
    r"|[a-z][\w.-]*[-_]\d+ {1,40}\||[a-z][\w-]*\d: )"
)


def may_have_column(text: str) -> bool:
    """Tell whether lines near each other begin alike in a way that a column would, or few lines at all do."""
    return compiled(_PAIRS).search(text) is not None or (
        len(text) < _FEW and compiled(_ANY_START).search(text) is not None
    )


#: So many rows with a stamp are a column.
MIN_STAMPED = 4
#: Of a sample from a part that has a column, so many of all lines at least begin like it.
_SELDOM = 6
DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day)?"
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"

STAMP_START = (
    r"(?!\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] )(?:[<\[(]?\d{1,4}[-/.:]\d|[<\[(][^\s\]\n]{0,60}[\d/]"
    rf"|\[[A-Za-z]+ \d|(?:{DAY}|{MONTH})[, ]|\d{{1,2}} {MONTH} |[\w.-]+ [\w/.@-]+\[\d+\]:"
    r"|[a-z][a-z.]*-[a-z0-9.-]*\d[a-z0-9.-]* [a-z][a-z0-9-]* )"
)
STAMPED = rf"\n(?=\S){STAMP_START}"


def may_have_stamps(text: str) -> bool:
    """Tell whether many lines of a sample begin like a stamp."""
    found = len(compiled(STAMPED).findall(text))
    lines = text.count("\n")
    return found * _SELDOM >= lines and (found >= MIN_STAMPED or (found > 0 and lines <= MIN_STAMPED + found))


#: A frame and what stands beside it, twice each.
_DOUBLED = r'\n([ \t]{0,8}File "[^\n]+)\n\1\n(?:([^\n]*)\n\2\n|\1\n)'


def may_be_doubled(text: str) -> bool:
    """Tell whether a frame of a traceback stands twice in a row, and so does what follows."""
    return 'File "' in text and compiled(_DOUBLED).search(text) is not None


_BOX = r"\n *(?:[╭┌┏+][─━-]{3,} Traceback \(most recent|[│┃|] [^\n]{1,400}:\d{1,7} in \S[^\n]{0,400}[│┃|]\s*\n)"


def may_be_boxed(text: str) -> bool:
    """Tell whether a box with a traceback, or its middle, stands in ``text``."""
    return ("│" in text or "┃" in text or "+-" in text) and compiled(_BOX).search(text) is not None


#: What is never indented by the program that prints it; the dashes are IPython's, the underscores pytest's.
NEVER_INDENTED = (
    r"Traceback \(most recent call last\)|[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ \S+:\d+\] |-{75}(?![^\n])"
    r"|_{3,} \S[^\n]{0,200} _{3,}(?![^\n])"
)
#: What stands around a text that is shown as it is, in Markdown and on pages.
FENCE = r"(?:```|</?(?:pre|code)\b)"


#: The first character is checked before all else, since hardly any indented line begins like that.
_MOVED = (
    rf"\n(?:[ \t]+(?=[TVDIWEC\-_╰])(?:{NEVER_INDENTED}|╰─> \[\d)|{FENCE}[^\n]{{0,20}}\n    "
    r'|File "[^"\n]+", line \d|E   )'
)
#: A paragraph of which each line begins with a tab, as far as it is there; most texts with tabs have none.
_TABBED = rf"\n(?:(?<=\A\n)|\n|{FENCE}[^\n]*\n)(?:(?:    )?\t[^\n]*\n)+(?:\n|{FENCE}|\Z)"


def may_be_indented(text: str) -> bool:
    """Tell whether lines do not stand where they were printed."""
    return compiled(_MOVED).search(text) is not None or ("\t" in text and compiled(_TABBED).search(text) is not None)


def is_all_moved(text: str) -> bool:
    """Tell whether no line of ``text`` stands at the margin."""
    return compiled(r"\n[^ \t\n]").search(text) is None


#: What a row of an exported table begins with: a time, in seconds or as people read it, but no record of Python's.
CSV_TIME = r'(?:\d{13}|"?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"?),(?!\d{3}[\] ])'


def may_be_csv(text: str) -> bool:
    """Tell whether a line begins like a row of a table with a time in front."""
    return compiled(rf"\n{CSV_TIME}").search(text) is not None


_LISTED = r"""\n {0,8}\[?b?['"][^\n]*['"],(?:\n {0,8}b?['"][^\n]*['"],){2}"""


def may_be_quoted(text: str) -> bool:
    """Tell whether some lines in a row are in quotes, with a comma behind."""
    return compiled(_LISTED).search(text) is not None
