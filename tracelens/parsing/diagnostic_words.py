"""The words that compilers and shells use for severity, in their languages.

GCC is translated into many languages, Microsoft's tools into a dozen, and
logs come from machines of every locale. The tables hold what the programs
print; keys are lower case, without the colon behind them.
"""

from __future__ import annotations

SEVERITY_WORDS: dict[str, str] = {
    # English: GCC, Clang, EDG (nvcc, icc), MSVC, GNU as, ptxas, CMake
    "error": "error",
    "fatal error": "fatal error",
    "catastrophic error": "fatal error",
    "internal compiler error": "fatal error",
    "internal error": "fatal error",
    "command line error": "error",
    "command-line error": "error",
    "sorry, unimplemented": "error",
    "fatal": "fatal error",
    "warning": "warning",
    "command line warning": "warning",
    "command-line warning": "warning",
    "deprecation warning": "warning",
    "deprecation error": "error",
    "internal warning": "warning",
    "note": "note",
    "message": "note",
    "remark": "info",
    "info": "info",
    # German
    "fehler": "error",
    "schwerwiegender fehler": "fatal error",
    "fataler fehler": "fatal error",
    "interner compiler-fehler": "fatal error",
    "warnung": "warning",
    "anmerkung": "note",
    "hinweis": "note",
    # French
    "erreur": "error",
    "erreur fatale": "fatal error",
    "erreur interne du compilateur": "fatal error",
    "attention": "warning",
    "avertissement": "warning",
    "remarque": "note",
    # Spanish, Portuguese, Italian
    "error fatal": "fatal error",
    "error grave": "fatal error",
    "error irrecuperable": "fatal error",
    "error interno del compilador": "fatal error",
    "aviso": "warning",
    "advertencia": "warning",
    "nota": "note",
    "erro": "error",  # codespell:ignore
    "erro fatal": "fatal error",  # codespell:ignore
    "errore": "error",
    "errore fatale": "fatal error",
    "errore irreversibile": "fatal error",
    "attenzione": "warning",
    "avviso": "warning",
    # Russian, Ukrainian
    "ошибка": "error",
    "фатальная ошибка": "fatal error",
    "неустранимая ошибка": "fatal error",
    "критическая ошибка": "fatal error",
    "внутренняя ошибка компилятора": "fatal error",
    "предупреждение": "warning",
    "замечание": "note",
    "примечание": "note",
    "помилка": "error",
    "критична помилка": "fatal error",
    "попередження": "warning",
    "зауваження": "note",
    # Chinese, simplified and traditional
    "错误": "error",
    "致命错误": "fatal error",
    "严重错误": "fatal error",
    "编译器内部错误": "fatal error",
    "警告": "warning",
    "附注": "note",
    "錯誤": "error",
    "嚴重錯誤": "fatal error",
    "致命錯誤": "fatal error",
    "附註": "note",
    # Japanese, Korean
    "エラー": "error",
    "致命的エラー": "fatal error",
    "致命的なエラー": "fatal error",
    "コンパイラ内部エラー": "fatal error",
    "備考": "note",
    "注意": "note",
    "오류": "error",
    "심각한 오류": "fatal error",
    "치명적 오류": "fatal error",
    "치명적인 오류": "fatal error",
    "경고": "warning",
    "참고": "note",
    # Polish, Turkish, Dutch, Swedish, Danish, Finnish, Czech, Vietnamese
    "błąd": "error",
    "błąd krytyczny": "fatal error",
    "ostrzeżenie": "warning",
    "uwaga": "note",
    "hata": "error",
    "ölümcül hata": "fatal error",
    "önemli hata": "fatal error",
    "uyar\u0131": "warning",
    "not": "note",
    "fout": "error",
    "fatale fout": "fatal error",
    "waarschuwing": "warning",
    "let op": "note",
    "fel": "error",
    "ödesdigert fel": "fatal error",
    "varning": "warning",  # codespell:ignore
    "fejl": "error",
    "fatal fejl": "fatal error",
    "advarsel": "warning",
    "virhe": "error",
    "vakava virhe": "fatal error",
    "varoitus": "warning",
    "chyba": "error",
    "závažná chyba": "fatal error",
    "varování": "warning",
    "lỗi": "error",
    "lỗi nghiêm trọng": "fatal error",
    "cảnh báo": "warning",
}

#: ``cl`` was not found, as the command interpreters of Windows say it.
UNKNOWN_COMMAND: tuple[str, ...] = (
    "is not recognized as an internal or external command",
    "ist entweder falsch geschrieben oder",  # codespell:ignore
    "n'est pas reconnu en tant que commande",
    "no se reconoce como un comando",  # codespell:ignore
    "não é reconhecido como um comando",  # codespell:ignore
    "non è riconosciuto come comando",  # codespell:ignore
    "не является внутренней или внешней",
    "不是内部或外部命令",
    "不是內部或外部命令",
    "は、内部コマンドまたは外部コマンド",
    "내부 또는 외부 명령",
    "nie jest rozpoznawana jako polecenie",
    "iç ya da d\u0131\u015f komut",
    "is not recognized as the name of a cmdlet",
    "is not recognized as a name of a cmdlet",
)


def severity_of(word: str) -> str | None:
    """Return the severity that a word of any of these languages names."""
    key = word.strip(" :\uff1a\u00a0\u202f").lower()
    known = SEVERITY_WORDS.get(key)
    if known is None and "#" in key:
        # EDG numbers its messages: "error #20012-D:".
        known = SEVERITY_WORDS.get(key.partition("#")[0].strip())
    return known


def severity_of_code(code: str) -> str:
    """Return how grave Microsoft's numbered message is; numbers are not translated."""
    prefix = code.rstrip("0123456789")
    first = code[len(prefix) : len(prefix) + 1]
    if prefix == "C":
        return {"1": "fatal error", "4": "warning", "5": "warning"}.get(first, "error")
    if prefix in {"LNK", "CVT", "U", "RC"}:
        return {"1": "fatal error", "4": "warning"}.get(first, "error")
    return "warning" if (prefix, first) == ("D", "9") else "error"
