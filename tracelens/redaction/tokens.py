"""Tokens and keys that can be told by their looks, whatever stands around them.

Each pattern comes with a literal that every such token holds, so that texts
without it cost nothing. Repeats that could start anywhere are bounded, or
their class excludes what starts them: no text takes more than linear time.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.record import Record
from tracelens.redaction.boundaries import END, RUN_START, START
from tracelens.redaction.ledger import Kind, Ledger


class TokenShape(Record, kw_only=False):
    """How the tokens of one issuer look; ``literals`` of which each token holds one."""

    issuer: str
    literals: tuple[str, ...]
    pattern: str


_WORD = "[A-Za-z0-9_-]"

SHAPES: tuple[TokenShape, ...] = (
    TokenShape("Hugging Face", ("hf_", "api_org_"), r"(?:hf_|api_org_)[A-Za-z0-9]{20,200}"),
    # Anthropic, OpenAI, OpenRouter, Langfuse and others.
    TokenShape("sk keys", ("sk-",), rf"{START}sk-{_WORD}{{20,400}}"),
    TokenShape("AWS", ("A",), rf"{START}(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|ANPA|AROA)[A-Z0-9]{{16}}{END}"),
    TokenShape(
        "AWS session", ("IQoJb3JpZ2lu", "FwoGZXIv", "FQoGZXIv"), r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIv)[A-Za-z0-9+/=]{40,4000}"
    ),
    TokenShape("Google key", ("AIza",), rf"AIza{_WORD}{{35}}"),
    TokenShape("Google access", ("ya29.",), r"ya29\.[A-Za-z0-9_.-]{20,2000}"),
    TokenShape("Google client", ("GOCSPX-",), rf"GOCSPX-{_WORD}{{20,60}}"),
    TokenShape("Google refresh", ("1//0",), rf"1//0{_WORD}{{30,300}}"),
    TokenShape("Azure client", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,40}"),
    TokenShape("Azure account", ("==",), rf"{RUN_START}[A-Za-z0-9+/]{{86}}=="),
    TokenShape("Azure services", ("JQQJ99",), r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}"),
    TokenShape("Azure DevOps", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    TokenShape("GitHub", ("gh", "github_pat_"), r"(?:gh[oprsu]_[A-Za-z0-9]{30,300}|github_pat_[A-Za-z0-9_]{22,300})"),
    TokenShape(
        "GitLab",
        ("gl", "GR1348941"),
        rf"{START}(?:gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_.=-]{{16,300}}"
        rf"|GR1348941{_WORD}{{20,60}})",
    ),
    TokenShape("Slack", ("xox", "xapp-"), r"(?:xox[abcdeoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,400}"),
    TokenShape("Weights & Biases", ("wandb_v",), r"wandb_v[0-9]_[A-Za-z0-9_]{20,300}"),
    TokenShape(
        "JSON web token",
        ("eyJ",),
        rf"{RUN_START}eyJ{_WORD}{{8,8000}}(?:\.{_WORD}{{0,8000}}){{1,4}}|{RUN_START}eyJ[A-Za-z0-9_+/-]{{60,8000}}={{0,2}}",
    ),
    TokenShape("npm", ("npm_",), rf"{START}npm_[A-Za-z0-9]{{36}}"),
    TokenShape("PyPI", ("pypi-",), rf"pypi-AgE{_WORD}{{50,1000}}"),
    TokenShape("Docker", ("dckr_",), rf"dckr_(?:pat|oat)_{_WORD}{{20,100}}"),
    TokenShape("SendGrid", ("SG.",), rf"{START}SG\.{_WORD}{{16,32}}\.{_WORD}{{16,64}}"),
    TokenShape("NVIDIA", ("nvapi-",), rf"nvapi-{_WORD}{{40,120}}"),
    TokenShape("Databricks", ("dapi", "dose", "dkea"), rf"{START}d(?:api|ose|kea)[0-9a-f]{{32}}(?:-[0-9])?{END}"),
    TokenShape(
        "model services",
        ("r8_", "gsk_", "xai-", "pplx-", "csk-", "tgp_v1_", "jina_", "rpa_", "fw_", "lsv2_", "pcsk_"),
        rf"{START}(?:r8_|gsk_|xai-|pplx-|csk-|tgp_v1_|jina_|rpa_|fw_|lsv2_(?:pt|sk)_|pcsk_){_WORD}{{20,200}}",
    ),
    TokenShape("Modal", ("ak-", "as-"), rf"{START}a[ks]-[A-Za-z0-9]{{22}}{END}"),
    TokenShape(
        "infrastructure",
        (
            "hvs.",
            "hvb.",
            "hvr.",
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "tskey-",
            "pul-",
            "glc_",
            "glsa_",
            "NRAK-",
            "atlasv1.",
        ),
        rf"(?:hv[bsr]\.|do[opr]_v1_|tskey-[a-z]+-|{START}pul-|glc_|glsa_|NRAK-|atlasv1\.){_WORD}{{20,400}}={{0,2}}",
    ),
    TokenShape(
        "offices",
        ("lin_api_", "PMAK-", "ATATT3", "shpat_", "shpss_", "whsec_", "ntn_", "figd_", "sntrys_", "dt0c01."),
        rf"(?:lin_api_|PMAK-|ATATT3|shp(?:at|ss)_|whsec_|{START}ntn_|figd_|sntrys_|dt0c01\.)[A-Za-z0-9_.=-]{{20,400}}",
    ),
    TokenShape("Stripe", ("_live_", "_test_"), rf"{START}[prs]k_(?:live|test)_[A-Za-z0-9]{{16,200}}"),
    TokenShape("Telegram", (":AA",), rf"{START}[0-9]{{8,10}}:AA{_WORD}{{30,40}}{END}"),
    TokenShape("Discord", (".",), rf"{START}[MNO][A-Za-z0-9]{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}{END}"),
    TokenShape("age", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{50,70}"),
)


def redact_tokens(text: str, ledger: Ledger) -> str:
    """Return the text without the tokens that can be told by their looks."""
    for shape in SHAPES:
        if any(literal in text for literal in shape.literals):
            text = _compiled(shape.pattern).sub(lambda match: ledger.secret(Kind.TOKEN, match.group()), text)
    return text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return expression(pattern)
