"""The shapes of lines that compilers, linkers, loaders and shells print.

``DIAGNOSTIC_PATTERN`` and ``INVOCATION_PATTERN`` are tried on every line of a
log: they are short, fail at the first characters of ordinary lines and have no
groups. ``SHAPES`` takes a line apart once it is known to be one of them.
"""

from __future__ import annotations

from tracelens.parsing.diagnostic_words import UNKNOWN_COMMAND
from tracelens.typed import NamedTuple

# Compilers by any name: x86_64-conda-linux-gnu-c++, g++-12, clang-cl.exe.
_COMPILER = (
    r"(?:g\+\+|gcc|cc1plus|cc1|clang\+\+|clang-cl|clang|icpx|icpc|hipcc|amdclang\+\+|dpcpp|collect2|lto1|lto-wrapper"
    r"|f951|ld(?:\.[a-z]{2,5})?|ld64(?:\.lld)?|lld-link|wasm-ld)"
)
# These are also words, so what they say must look like a message.
_COMPILER_OR_WORD = r"(?:c\+\+|cc|icx|icc|as|ar|ranlib|mold|lld)"
_VERSION = r"(?:-\d{1,2}(?:\.\d{1,2})?)?(?:\.exe)?"
_TRIPLET = r"(?:[\w.]{1,60}-){0,5}"
_DIRECTORY = r"(?:[A-Za-z]:)?[\\/.~][^\s:'\"]{0,300}[\\/]"
_NVIDIA = r"(?:ptxas|nvcc|nvlink|fatbinary|cicc|cudafe\+\+|nvc\+\+)"
_WORD = r"[^\W\d_][^\n:\uff1a]{1,40}[:\uff1a]"
_FIRST_WORDS = r"(?![ \d(]|version\b|NVIDIA\b|Apple\b|Could not|not found\Z)\S"
_PLACE = r"(?:[A-Za-z]:[\\/])?[^\s:'\"(\[{=][^:\n'\"=]{0,400}"
_ENGLISH = r"(?:[Ff]atal error|[Ee]rror|[Ww]arning|note|remark|catastrophic error|internal error)"
#: What pip, which prints like a compiler, says of the programs that it ran.
_OF_PIP = (
    r"(?:(?:subprocess-exited|metadata-gen|legacy-inst|externally-man|uninstall-)|This (?:error orig|is an issue with))"
)
_CODE = r"(?:C|D|LNK|CVT|RC|U|MSB)\d{4,5}"

#: Matches the beginning of a diagnostic; the caller writes ``^`` before it. A
#: few lines match that ``read_diagnostic`` then refuses.
DIAGNOSTIC_PATTERN: str = (
    # file:1:2: error: | file:12: error: | file(12): error: | LINK : fatal error LNK1181:
    rf"(?:{_PLACE}:(?:\d{{1,9}}(?::\d{{1,9}}: {_WORD}"
    rf"|: (?:{_ENGLISH}|undefined reference|[^\x00-\x7f]{{1,12}}[:\uff1a]|(?:schwerwiegender )?Fehler|Warnung|erreur))"
    rf"|(?:(?<=\d\):)|(?<=\d\) :)) ?(?:{_ENGLISH}|message|[^\n:]{{0,60}}{_CODE} ?[:\uff1a])"
    rf"|(?<= :) [^\n:]{{0,60}}{_CODE} ?[:\uff1a])"
    rf"|{_NVIDIA}(?:\.exe)?(?: [^\n,]{{1,500}}, line \d{{1,9}};)? {{0,3}}(?:fatal|error|warning|info) {{0,4}}:"
    # g++: error: | /bin/sh: 1: g++: not found | a.out: lib.so: version `GLIBC_2.34' not found
    r"|(?=(?:[A-Za-z]:)?[^\s:'\"]{1,300} ?:[ (])(?:"
    rf"{_TRIPLET}(?:{_COMPILER}{_VERSION}: {_FIRST_WORDS}|{_COMPILER_OR_WORD}{_VERSION}: (?:{_WORD}|BFD |un|out ))"
    rf"|{_DIRECTORY}{_TRIPLET}(?:{_COMPILER}|{_COMPILER_OR_WORD}){_VERSION}: {_FIRST_WORDS}"
    r"|-?(?:/(?:usr/)?bin/)?(?:env|(?:ba|da|z|k|c|tc|a)?sh|make|sudo|timeout): [^\n]{1,300}"
    r"(?:not found|No such file or directory|Permission denied|cannot execute|Exec format error)"
    r"|[^\s:'\"]{1,300}: (?:[^\s:]{1,300}: (?:/\S{1,300}: )?(?:version|no version information)"
    r"|error while loading shared|symbol lookup error|relocation error"
    r"|[^\s:]{1,400}:\d{1,9}: [^\n]{0,2000}?Assertion [`'(]"
    r"|line \d{1,6}: [^\n]{1,300}?: (?:command not found|No such file or directory|Permission denied))"
    r"|[^\s:'\"]{1,300}:\([^\s)]{1,200}\): undefined reference"
    r"|[\w.+-]{1,100} ?: The term '[^\n]{1,300} is not recognized)"
    r"|['\"\u00ab][^\n'\"]{1,300}['\"\u00bb]\S{0,5} ?(?:is not rec|n'est pas reconnu|no se recon|não é recon"
    r"|non è ricon|не явл|不是[内內]部|は、内部|내부 또는|nie jest rozp|iç ya da)"
    r"|(?:Der Befehl \"|Nazwa ')[^\n]{1,300}(?:ist entweder|nie jest)"  # codespell:ignore
    r"|CMake (?:Error|Warning|Deprecation)|LLVM ERROR: |PLEASE submit a bug report|dyld(?:\[\d{1,9}\])?: "
    r"|Undefined symbols for architecture|Error (?:loading shared library|relocating) |loc\([^\n]{0,1000}\): [ewnr]"
    r"|Assertion failed: |Error: Internal Compiler Error|<(?:command-line|built-in|stdin)>: "
    rf"|(?:fatal error|error|warning|note|remark|catastrophic error|internal compiler error): (?!{_OF_PIP})\S)"
)

_PROGRAM_NAME = (
    r"(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang-cl|clang|icpx|icx|icpc|icc|nvcc|hipcc|amdclang\+\+|dpcpp|ptxas|ninja"
    rf"|ld(?:\.[a-z]{{2,5}})?|ar|cl|link|lib){_VERSION}"
)

#: What stands in front of a compiler, to keep its objects or to send its work elsewhere.
LAUNCHER: str = (
    rf"(?:(?:{_DIRECTORY})?(?:sccache|ccache|icecc|icerun|distcc|buildcache|cachepot|gomacc|rewrapper)(?:\.exe)? )"
)

#: Matches a command of a compiler or linker, or the ``Command '[…]'`` of a
#: failed subprocess; the caller writes ``^`` before it.
INVOCATION_PATTERN: str = (
    r"(?:(?:[\[+#][\d/]{0,13}\]? {1,3}|Repro command: )?"
    rf"{LAUNCHER}?"
    rf"(?:\"[^\"\n]{{0,300}}[\\/]{_PROGRAM_NAME}\"|(?:{_DIRECTORY})?{_TRIPLET}{_PROGRAM_NAME})"
    r"(?= )(?=[^\n]{0,4000}?(?: [-/][\w#]|\.(?:cpp|cc|cxx|c|cu|o|obj|s)\b))"
    r"|(?:[\w.]{1,100}: )?Command ['\"][^\n]*?['\"] (?:returned non-zero exit status|died with) )"
)


class Shape(NamedTuple):
    """One shape: what a line must hold to be tried, and what each part means.

    ``gates`` are texts of which the line holds one, or the shape is not even
    compiled. ``tool`` and ``severity`` are ``None`` where the line tells them.
    """

    gates: tuple[str, ...]
    pattern: str
    tool: str | None = None
    severity: str | None = None


#: Order counts: the first shape that matches reads the line.
SHAPES: tuple[Shape, ...] = (
    # file:1:2: error: text; by far the most frequent, and no other shape reads such a line differently
    Shape(
        gates=(": ",),
        pattern=rf"(?P<path>{_PLACE}):(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?: "
        r"(?P<word>[^\W\d_][^\n:\uff1a]{1,40}[:\uff1a]) ?(?P<message>.*)",
    ),
    Shape(
        gates=("ptxas", "nvcc", "nvlink", "fatbinary", "cicc", "cudafe", "nvc++"),
        pattern=rf"(?P<nvidia>{_NVIDIA})(?:\.exe)?(?: (?P<path>[^\n,]{{1,500}}), line (?P<line>\d{{1,9}});)? {{0,3}}"
        r"(?P<word>fatal|error|warning|info) {0,4}: ?(?P<message>.*)",
    ),
    # ninja: /lib/libc.so.6: version `GLIBC_2.34' not found (required by ninja)
    Shape(
        gates=("version",),
        pattern=r"[^\s:]{1,300}: (?P<path>[^\s:]{1,500}): (?:/\S{1,300}: )?(?P<message>version .*)",
        tool="loader",
        severity="error",
    ),
    Shape(
        gates=("no version information",),
        pattern=r"[^\s:]{1,300}: (?P<path>[^\s:]{1,500}): (?P<message>no version information.*)",
        tool="loader",
        severity="warning",
    ),
    Shape(
        gates=("error while loading", "lookup error", "relocation error"),
        pattern=r"(?P<path>[^\s:]{1,300}): "
        r"(?P<message>(?:error while loading shared|symbol lookup error|relocation error).*)",
        tool="loader",
        severity="error",
    ),
    Shape(
        gates=("dyld", "Error loading shared library", "Error relocating"),
        pattern=r"(?:dyld(?:\[\d{1,9}\])?: )?(?P<message>(?<=: ).*|Error (?:loading|relocating) .*)",
        tool="loader",
        severity="error",
    ),
    # python3: /source/llvm-project/mlir/lib/IR/Value.cpp:12: void f(): Assertion `x' failed.
    Shape(
        gates=("Assertion",),
        pattern=r"(?:[^\s:]{1,300}: (?P<path>[^\s:]{1,400}):(?P<line>\d{1,9}): )?"
        r"(?P<message>(?(path).{0,2000}?Assertion [`'(]|Assertion failed: ).*)",
        severity="fatal error",
    ),
    # /bin/sh: 1: g++: not found
    Shape(
        gates=("not found", "No such file", "Permission denied", "cannot execute", "Exec format"),
        pattern=r"(?:-?(?:/(?:usr/)?bin/)?(?:env|(?:ba|da|z|k|c|tc|a)?sh|make|sudo|timeout): (?:(?:line )?\d{1,6}: )?"
        r"|[^\s:'\"]{1,300}: line \d{1,6}: )(?P<message>.{1,500}?"
        r"(?:not found|No such file or directory|Permission denied|cannot execute|Exec format error).*)",
        tool="shell",
        severity="error",
    ),
    Shape(
        gates=UNKNOWN_COMMAND,
        pattern=r"(?P<message>(?:['\"\u00ab]|Der Befehl|Nazwa|[\w.+-]{1,100} ?: The term).*)",
        tool="shell",
        severity="error",
    ),
    Shape(
        gates=("undefined reference", "Undefined symbols"),
        pattern=rf"(?:{_DIRECTORY}\S{{1,60}}: |ld: )?"
        r"(?:(?P<path>[^\s:]{1,500}):(?:(?P<line>\d{1,9})|\([^\s)]{1,200}\)): )?"
        r"(?:in function `[^\n]{1,2000}?': ?(?:[^\s:]{1,500}:(?:\d{1,9}|\([^\s)]{1,200}\)): )?)?"
        r"(?P<message>(?:more )?undefined reference.*|Undefined symbols for.*)",
        tool="ld",
        severity="error",
    ),
    Shape(
        gates=(":",),
        pattern=rf"(?P<program>(?:{_DIRECTORY})?{_TRIPLET}{_COMPILER}{_VERSION}|<(?:command-line|built-in|stdin)>"
        rf"|{_DIRECTORY}{_TRIPLET}{_COMPILER_OR_WORD}{_VERSION}"
        rf"|{_TRIPLET}{_COMPILER_OR_WORD}{_VERSION}(?=: (?:{_WORD}|BFD |un|out ))): "
        rf"(?P<rest>{_FIRST_WORDS}.*)",
    ),
    # file.cpp(12): error C2039: text, LINK : fatal error LNK1181: text
    Shape(
        gates=("C", "D", "LNK", "CVT", "RC", "U", "MSB"),
        pattern=rf"(?P<path>{_PLACE}?) ?(?:\((?P<line>\d{{1,9}})(?:[,-](?P<column>\d{{1,9}}))?\) ?|(?<= )): ?"
        rf"(?P<word>[^\n:]{{0,60}}?)(?P<code>{_CODE}) ?[:\uff1a] ?(?P<message>.*)",
        tool="msvc",
    ),
    Shape(
        gates=(") :", "): "),
        pattern=rf"(?P<parenthesised>{_PLACE})\((?P<line>\d{{1,9}})(?:,(?P<column>\d{{1,9}}))?\)"
        r"(?: \(col\. \d{1,7}\))? ?: ?"
        r"(?P<word>[^\W\d_][^\n:]{1,40}:) ?(?P<message>.*)",
    ),
    Shape(
        gates=("loc(",),
        pattern=r"loc\((?:\"(?P<path>[^\"\n]{0,1000})\":(?P<line>\d{1,9}):(?P<column>\d{1,9})|[^\n]{0,1000}?)\): "
        r"(?P<word>error|warning|note|remark): (?P<message>.*)",
        tool="mlir",
    ),
    Shape(
        gates=("CMake",),
        pattern=r"CMake (?P<word>Error|Warning|Deprecation Warning|Deprecation Error)(?: \(dev\))?"
        r"(?: (?:at|in) (?P<path>[^\n:]{1,500}):(?P<line>\d{1,9})(?: \([^\n)]{0,200}\))?)?: ?(?P<message>.*)",
        tool="cmake",
    ),
    Shape(
        gates=("LLVM ERROR", "PLEASE submit"),
        pattern=r"(?:LLVM ERROR: )?(?P<message>(?:(?<=: )|PLEASE submit).*)",
        tool="llvm",
        severity="fatal error",
    ),
    Shape(
        gates=("Internal Compiler Error",),
        pattern=r"Error: (?P<message>Internal Compiler Error.*)",
        tool="nvcc",
        severity="fatal error",
    ),
    Shape(
        gates=(": ",),
        pattern=r"(?P<word>fatal error|error|warning|note|remark|catastrophic error|internal compiler error): "
        rf"(?!{_OF_PIP})(?P<message>\S.*)",
    ),
)
