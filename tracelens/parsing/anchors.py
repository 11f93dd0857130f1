"""The lines that make a place in a log worth reading, for the scan.

One regular expression for every kind of line that begins something, in the
words that make the line what it is, wherever in the line a decoration has
pushed them. Lines that healthy runs print by the thousand are not among them,
and neither are lines that only go on with something, such as stack frames: the
scan grows a place by itself. All keep to what Hyperscan, RE2 and ``re``
understand alike.
"""

from __future__ import annotations

_TRACEBACKS: tuple[str, ...] = (
    r"Traceback \(most recent call last\)",
    r"\(most recent call first\)",
    r"(?:Cell|Input) In ?\[\d+\], ",
    r"Exception has occurred: ",
    r"(?:During handling of the|The) above exception(?:, another| was the direct)",
    r"\w(?:Error|Exception|Interrupt|Failure|Violation)(?:: |\(|$)",
    r"\b(?:BackendCompilerFailed|InvalidCxxCompiler|InvalidBackend|FailOnRecompileLimitHit|TritonMissing)\b",
    r"\b(?:Unsupported|OutOfResources|GPUTooOldForTriton|BrokenProcessPool|RecompileLimitExceeded|SystemExit): ",
    r"terminated with the following error:",
    r"^E   +\S",
    # What JSON logs tell as fields, under names of which any may be the only sign of it.
    r'"(?:error\.?[Tt]ype|error\.kind|exception\.?[Tt]ype|ex(?:c|ception)_type|error_type)"',
    r': ?"(?:error|fatal|critical)"',
    r'"level": ?[56]0,',
)

_COMPILERS: tuple[str, ...] = (
    r":\d+: (?:fatal error|error|Fehler|erreur|错误|エラー)",
    r"\(\d+\) ?: (?:fatal error|error|catastrophic error)",
    r"\b(?:fatal error|fatal   |internal compiler error)[ :]",
    r"\b(?:error|fatal error) [A-Z]{1,5}\d{4}:",
    r"(?:ptxas|nvcc|nvlink|cc1plus|collect2|clang|g\+\+|gcc|lto1): ?(?:fatal|error|warning)",
    r"(?:ptxas|nvcc) (?:fatal|error|warning)",
    r"\bld(?:\.lld|\.gold|\.bfd)?: (?:cannot|error|final link|skipping|undefined|symbol)",
    r"undefined reference to ",
    r"cannot find -l",
    r"\b(?:command )?not found$",
    r"is not recognized as ",
    r"\b(?:CppCompileError|CUDACompileError)\b",
    r"ninja: (?:build stopped|error|fatal)",
    r"\bFAILED: \S",
    r"returned non-zero exit status",
    r"CMake Error",
    r"LLVM ERROR: ",
    r"Error (?:building|compiling|checking compiler)",
)

_SYSTEM: tuple[str, ...] = (
    r"(?:No such file or directory|Permission denied|Read-only file system|No space left on device)",
    r"(?:Disk quota exceeded|Stale file handle|Device or resource busy|Text file busy|Too many open files)",
    r"cannot open shared object file",
    r"(?:file too short|invalid ELF header|failed to map segment|cannot read file data)",
    r"undefined symbol",
    r"version [`'](?:GLIBC|GLIBCXX|CXXABI|CUDA)",
    r"symbol lookup error",
    r"DLL load failed",
    r"(?:Segmentation fault|Bus error|core dumped|Illegal instruction)",
    r"Fatal Python error",
    r"\bKilled\b",
    r"(?:[Oo]ut of memory|oom-kill|oom_kill|OOM)",
    r"(?:slurmstepd|srun): error",
    r"terminate called ",
    r"CUDA (?:error|driver error|out of memory|initialization)",
    r"(?:Watchdog caught|NCCL (?:WARN|error|operation))",
    r"Root Cause \(first observed failure\)",
    r"could not be acquired",
)

_ENDS: tuple[str, ...] = (
    r"(?:exitcode|[Ee]xit (?:code|status)|[Rr]eturn code|(?:exit|return)_?code ?[=:]|EXIT_(?:CODE|STATUS))",
    r"(?:[Ee]xit(?:ed|s)?|inished|erminated|eturned) with (?:a )?(?:non-zero )?(?:exit |return )?(?:code|status)",
    r"\bSIG(?:SEGV|BUS|ABRT|KILL|TERM|ILL|FPE|INT|HUP|QUIT|TRAP|PIPE|SYS|XCPU)\b",
    r"(?:Aborted|Abort trap|Terminated|Hangup|Bad system call|Trace(?:/breakpoint)? trap| limit exceeded)",
    r"(?:[Ff]loating[ -]point exception|zsh: (?:abort|killed|terminated|segmentation fault|bus error|illegal))",
    r"\[\d{1,4}\][+-]?[+\d -]* (?:abort|killed|terminated|segmentation fault|bus error|illegal hardware)",
    r"(?:Speicherzugriffsfehler|Getötet|Abgebrochen|Erreur de segmentation|Processus arrêté)",  # codespell:ignore
    r"(?:Violación de segmento|Errore di segmentazione|Falha de segmentação|Ошибка сегментирования|Убито)",
    r"(?:段错误|已杀死|已终止|已放弃)",
    r"(?:\b(?:free|malloc|realloc)\(\): |munmap_chunk\(\): |double free or|corrupted (?:size|double)|stack smashing)",
    r"(?:tcache_thread_shutdown|Windows fatal exception: |=>> PBS: |\bTERM_[A-Z]{3}|!!!!! Segfault|\*\*\* Aborted at)",
    r"make(?:\[\d{1,3}\])?: \*\*\* ",
    r"DataLoader worker \(pid",
    r" (?:died|crashed)\b",
)

_TORCH: tuple[str, ...] = (
    r"hit config\.\w+",
    r"Recompiling function ",
    r"(?:recompile_limit|cache_size_limit)",
    r"Graph break(?: in user code|: | from )",
    r"skipping cudagraphs? ",
    r"CUDAGraph supports dynamic shapes by recording",
    r"(?:for|to) benchmark choice ",
    r"error during autotuning",
    r"WON'T CONVERT ",
    r"cache unable to ",
    r"Bypassing \w+ \w*cache",
    r"Writing minified repro",
    r"debug trace: ",
    r"(?:Set TORCH|TORCH_LOGS=|TORCHDYNAMO_VERBOSE)",
    r"from user code:",
    r"(?:PyTorch version|Python version|CUDA used to build PyTorch|GCC version): ",
)

_RECORDS: tuple[str, ...] = (
    # Without any text to look for. For [WEC][01] hyperscan looks for six texts of two characters, and for three in the
    # other: that is quick, but would not be if it found the digit behind them worth thirty.
    r"\b[WEC][01]\d{3} \d\d:",
    r"\[[WEF]\w\d{2,3} \d\d:",
    r"\b(?:ERROR|CRITICAL|FATAL)\b",
    r"\[(?:WARNING|WARN)\]|WARNING[: ]",
    r"\w+Warning: ",
)

ANCHORS: tuple[str, ...] = (*_TRACEBACKS, *_COMPILERS, *_SYSTEM, *_ENDS, *_TORCH, *_RECORDS)
