"""The words that compilers and shells use for severity, in their languages.

GCC is translated into many languages, Microsoft's tools into a dozen, and
logs come from machines of every locale. The tables hold what the programs
print; keys are lower case, without the colon behind them.
"""

from __future__ import annotations

SEVERITY_WORDS: dict[str, str] = {
    # English, of GCC, Clang, EDG, MSVC, ptxas
    "error": "error",
    "fatal error": "fatal error",
    "catastrophic error": "fatal error",
    "internal compiler error": "fatal error",
    "internal error": "fatal error",
    "command line error": "error",
    "command-line error": "error",
    "sorry, unimplemented": "error",
    "fatal": "fatal error",
    "permerror": "error",
    "warning": "warning",
    "pedwarn": "warning",
    "deprecation warning": "warning",
    "note": "note",
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
    "attention": "warning",
    "avertissement": "warning",
    "remarque": "note",
    # Spanish, Portuguese, Italian
    "error fatal": "fatal error",
    "error irrecuperable": "fatal error",
    "aviso": "warning",
    "advertencia": "warning",
    "nota": "note",
    "erro": "error",
    "erro fatal": "fatal error",
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
    "備考": "note",
    "注意": "note",
    "오류": "error",
    "심각한 오류": "fatal error",
    "치명적 오류": "fatal error",
    "경고": "warning",
    "참고": "note",
    # Polish, Turkish, Dutch, Swedish, Danish, Finnish, Czech
    "błąd": "error",
    "błąd krytyczny": "fatal error",
    "ostrzeżenie": "warning",
    "uwaga": "note",
    "hata": "error",
    "ölümcül hata": "fatal error",
    "önemli hata": "fatal error",
    "uyarı": "warning",
    "not": "note",
    "fout": "error",
    "fatale fout": "fatal error",
    "waarschuwing": "warning",
    "let op": "note",
    "fel": "error",
    "ödesdigert fel": "fatal error",
    "varning": "warning",
    "fejl": "error",
    "fatal fejl": "fatal error",
    "advarsel": "warning",
    "virhe": "error",
    "vakava virhe": "fatal error",
    "varoitus": "warning",
    "chyba": "error",
    "závažná chyba": "fatal error",
    "varování": "warning",
}

#: A word of severity, an optional number (EDG's ``#20012-D``) and the colon.
SEVERITY_PATTERN: str = (
    "(?:"
    + "|".join(sorted(SEVERITY_WORDS, key=len, reverse=True))
    + "|Internal Compiler Error)(?: #[\\w-]{1,20})?[ \u00a0\u202f]?[:：] ?"
)

#: ``cl`` was not found, as the command interpreters of Windows say it.
UNKNOWN_COMMAND_PATTERN: str = (
    r"(?P<message>"
    r"['\"«][^\n'\"]{1,300}['\"»] ?(?:is not recognized as an internal or external command"
    r"|n'est pas reconnu en tant que commande|no se reconoce como un comando|não é reconhecido como um comando"
    r"|non è riconosciuto come comando|не является внутренней или внешней|不是内部或外部命令|不是內部或外部命令"
    r"|は、内部コマンドまたは外部コマンド|은\(는\) 내부 또는 외부 명령|nie jest rozpoznawana?|iç ya da dış komut)[^\n]*"
    r"|Der Befehl \"[^\n\"]{1,300}\" ist entweder falsch geschrieben[^\n]*"
    r"|Nazwa '[^\n']{1,300}' nie jest rozpoznawana[^\n]*"
    r"|[\w.+-]{1,100} ?: The term '[^\n']{1,300}' is not recognized as [^\n]*)"
)
