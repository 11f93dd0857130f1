"""Messages of compilers, shells and Windows in the languages of other machines."""

# ruff: noqa: RUF001  # these languages have letters that look like Latin ones
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from random import Random

from tests.disguise.disguise import Disguise

_COMPILER_LINE = re.compile(
    r"^\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning): |^\S*\bld(?:\.\w+)?: |^\S*\b(?:bash|sh): "
)
#: What gcc, binutils, glibc and the shells print, by the language of LANG.
_LANGUAGES: Mapping[str, Mapping[str, str]] = {
    "German": {
        "fatal error: ": "schwerwiegender Fehler: ",
        ": error: ": ": Fehler: ",
        ": warning: ": ": Warnung: ",
        "No such file or directory": "Datei oder Verzeichnis nicht gefunden",
        "command not found": "Kommando nicht gefunden.",
        "Permission denied": "Keine Berechtigung",
        "No space left on device": "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
        "[WinError 5] Access is denied": "[WinError 5] Zugriff verweigert",
    },
    "French": {
        "fatal error: ": "erreur fatale: ",
        ": error: ": ": erreur: ",
        ": warning: ": ": attention: ",
        "No such file or directory": "Aucun fichier ou dossier de ce type",
        "command not found": "commande introuvable",
        "Permission denied": "Permission non accordée",
        "No space left on device": "Aucun espace disponible sur le périphérique",
        "[WinError 5] Access is denied": "[WinError 5] Accès refusé",
    },
    "Chinese": {
        "fatal error: ": "致命错误：",
        ": error: ": ": 错误：",
        ": warning: ": ": 警告：",
        "No such file or directory": "没有那个文件或目录",
        "command not found": "未找到命令",
        "Permission denied": "权限不够",
        "No space left on device": "设备上没有空间",
        "[WinError 5] Access is denied": "[WinError 5] 拒绝访问。",
    },
    "Russian": {
        "fatal error: ": "фатальная ошибка: ",
        ": error: ": ": ошибка: ",
        ": warning: ": ": предупреждение: ",
        "No such file or directory": "Нет такого файла или каталога",
        "command not found": "команда не найдена",
        "Permission denied": "Отказано в доступе",
        "No space left on device": "На устройстве не осталось свободного места",
        "[WinError 5] Access is denied": "[WinError 5] Отказано в доступе",
    },
    "Japanese": {
        "fatal error: ": "致命的エラー: ",
        ": error: ": ": エラー: ",
        ": warning: ": ": 警告: ",
        "No such file or directory": "そのようなファイルやディレクトリはありません",
        "command not found": "コマンドが見つかりません",
        "Permission denied": "許可がありません",
        "No space left on device": "デバイスに空き領域がありません",
        "[WinError 5] Access is denied": "[WinError 5] アクセスが拒否されました。",
    },
}


def _translated(words: Mapping[str, str], lines: Sequence[str], _random: Random) -> list[str]:
    translated = []
    for line in lines:
        result = line
        if _COMPILER_LINE.match(line) or "[WinError" in line:
            for english, foreign in words.items():
                result = result.replace(english, foreign)
        translated.append(result)
    return translated


DISGUISES: tuple[Disguise, ...] = tuple(
    Disguise(name=f"in {language}", change=partial(_translated, words)) for language, words in _LANGUAGES.items()
)
