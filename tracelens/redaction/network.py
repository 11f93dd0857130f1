"""Hosts and addresses: where a log names them, and wherever the name recurs."""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.redaction.ledger import PLACEHOLDER, Kind, Ledger
from tracelens.redaction.vocabulary import ORDINARY_WORDS

_LABEL = "[A-Za-z0-9_-]{1,63}"
_HOST = rf"(?P<host>[A-Za-z0-9]{_LABEL}(?:\.{_LABEL}){{0,8}})"
_VARIABLES = (
    "HOSTNAME|HOST|NODENAME|COMPUTERNAME|MASTER_ADDR|PET_MASTER_ADDR|PET_RDZV_ENDPOINT|SLURMD_NODENAME|SLURM_SUBMIT_HOST"
    "|SLURM_LAUNCH_NODE_IPADDR|SLURM_TOPOLOGY_ADDR|SLURM_CLUSTER_NAME|NODE_NAME|POD_NAME|K8S_NODE_NAME|RAY_HEAD_NODE"
    "|VLLM_HOST_IP|USERDNSDOMAIN|LOGONSERVER|SSH_CLIENT|SSH_CONNECTION"
)
_NODE_LIST = expression(
    r"(?P<head>\b(?:SLURM_(?:JOB_|STEP_)?NODELIST|NodeList|ReqNodeList|BatchHost|nodelist)"
    r"[\"']?[ ]{0,2}[=:][ ]{0,2}[\"']?)"
    r"(?P<list>[A-Za-z][A-Za-z0-9_.,\[\]-]{0,500})"
)
_NAMED: tuple[str, ...] = (
    # ``user@host:~$``, ``[user@host dir]$``, ``ssh user@host``.
    rf"(?<![\w.@/+-])[A-Za-z_][\w.-]{{1,31}}@{_HOST}(?=:[~/]|[ ][^\n\]\[@]{{1,64}}\][$#%])",
    rf"\b(?:ssh|scp|sftp|rsync)[ \t][^\n@]{{0,80}}@{_HOST}",
    rf"\b(?:{_VARIABLES})[\"']?[ ]{{0,2}}[=:][ ]{{0,2}}[\"']?{_HOST}",
    # The summary of torchelastic, and what programs print of themselves.
    rf"(?mi)^.{{0,80}}?\b(?:host|host_?name|node ?name|computer name)[ \t]{{0,12}}[=:][ \t]{{1,12}}[\"']?{_HOST}",
    rf"(?i)\bhostname[\"']?[ ]?[=:][ ]?[\"']?{_HOST}",
    rf"(?i)\b(?:on|to|from|at) (?:host|machine|server) [\"'`]?{_HOST}",
    rf"(?i)\bconnect to (?:host )?\[?{_HOST}\]?(?: port |:)\d",
    rf"\baddress(?:es)? of \({_HOST}, \d",
    rf"(?i)\bcould not resolve host(?:name)?:? {_HOST}",
    rf"\bJOB \d+(?:\.\d+)? ON {_HOST}",
    rf"\bSTEP \d+\.\w+ ON {_HOST}",
    rf"(?m)^(?:srun|slurmstepd|slurmstepd-\w+): error: {_HOST}: ",
    rf"(?m)^(?:\[[^\]\n]{{0,40}}\][: ]{{0,2}})?{_HOST}:\d+:\d+ \[\d+\] NCCL ",
    rf"(?m)^(?:<\d+>)?[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d {_HOST} [\w./-]+(?:\[\d+\])?: ",
    rf"(?m)^<\d+>1 [\d:.TZ+-]{{10,40}} {_HOST} ",
    rf"(?m)^Linux {_HOST} \d+\.\d+",
    # An endpoint of a rendezvous.
    rf"\[{_HOST}\]:\d{{4,5}}\b(?![-/:])",
    rf"(?i)\b(?:tcp|grpc|nats|etcd|c10d|zmq|redis|ray)://(?:[^\s/@]{{1,64}}@)?{_HOST}:\d",
    rf"(?i)\b(?:rdzv[_-]endpoint|master[_-]addr|host[_-]?ip|init[_-]method)[ =:\"']{{1,4}}(?:tcp://)?{_HOST}(?=[:\s\"',)]|$)",
    # Names that are given to private networks only.
    rf"(?<![\w./@-])(?P<host>[A-Za-z0-9]{_LABEL}[0-9-]{_LABEL}(?:\.{_LABEL}){{0,6}}\.(?:local|lan|internal|corp|intranet|intra|localdomain))\b(?!\.\w)",
    # A machine of an institution, not a site: there is a number in its name.
    rf"(?<![\w./@-])(?P<host>[A-Za-z]{{1,30}}[A-Za-z-]{{0,30}}\d{_LABEL}?(?:\.{_LABEL}){{1,6}}\.(?:com|net|org|edu|gov|cloud))\b(?!\.\w)",
    r"(?i)\b(?:host|node:)[ ](?P<host>[a-z][a-z0-9]{0,30}-[a-z0-9-]{0,40}\d[a-z0-9-]{0,20})\b",
    # ``host:dir user$`` and ``user@host dir % `` of macOS.
    rf"(?m)^(?:\([\w.-]{{1,40}}\) )?{_HOST}:[^\s:]{{1,64}} [a-z_][\w.-]{{1,31}}\$ ",
    rf"(?m)^(?:\([\w.-]{{1,40}}\) )?[a-z_][\w.-]{{1,31}}@{_HOST} [^\n]{{1,64}} % ",
    rf"(?<![\w./@-])(?P<host>[A-Za-z0-9]{_LABEL}(?:\.{_LABEL}){{1,6}}\.(?:local|lan|internal|corp|intranet|intra|localdomain))(?=:\d|/)",
    r"(?<![\w-])(?P<host>ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[A-Za-z0-9-]{1,63}){0,6})",
    r"(?<![\w.-])(?P<host>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.(?:compute|ec2)[\w.-]{0,40}\.amazonaws\.com)",
)
_URL = expression(
    rf"(?i)\b(?:https?|wss?|ssh|git|s?ftp)://(?:[^\s/@\"']{{1,128}}@)?{_HOST}(?P<port>:\d{{2,5}})?(?=[/\s\"'`)>\],?#]|$)"
)
_SCP = expression(rf"\bgit@{_HOST}(?=:[\w~/-])")
#: Everybody's: documentation, code and packages.
_PUBLIC = expression(
    r"(?i)(?:^|\.)(?:(?:github|githubusercontent|gitlab|bitbucket|google|googleapis|nvidia|amd|intel|microsoft|apple|amazon"
    r"|openai|anthropic|stackoverflow|stackexchange|docker|anaconda|ubuntu|slack|discord|telegram|reddit|medium|cloudflare|sentry"
    r"|wandb|kaggle|visualstudio|azure|windows|mozilla|redhat|lambdalabs|notion|zapier|office|office365|live)\.(?:com|net|io|ai|org)"
    r"|huggingface\.co|hf\.co|wandb\.ai|aka\.ms|goo\.gl|bit\.ly|t\.co|x\.com|git\.io|docker\.io|quay\.io|ghcr\.io|gcr\.io|nvcr\.io"
    r"|arxiv\.org|readthedocs\.io|github\.io|vllm\.ai|ray\.io|pydantic\.dev|anyscale\.com|python\.org|pytorch\.org|pypi\.org|pythonhosted\.org"
    r"|[a-z0-9-]+\.(?:org|dev|edu)|example\.(?:com|net)|w3\.org|localhost|localtest\.me)$"
)
_NOT_HOSTS = expression(
    r"(?i)(?:(?:rank|default|local|worker|host|server|gpu|cuda)?\d{0,2}|master|head|node|tcp|none|null|unknown|torch|env)$"
    r"|localhost(?:\.localdomain)?$|localhost[46]$|ip6-localhost$|(?:\d{1,3}\.){3}\d{1,3}$|\d+$|v?\d+(?:\.\d+)+\w*$"
)
_ADDRESS_4 = expression(
    r"(?<![A-Za-z0-9_.+~^-])(?P<address>(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})(?![A-Za-z0-9_+=-]|\.\d)"
)
#: In such words, four numbers are a version.
_VERSION_BEFORE = expression(
    r"(?i)(?:version|release|driver|firmware|build|revision|tag|cudnn|cublas|cuda|nvidia[a-z0-9_-]*|cu1[123]|nccl|lib[a-z0-9_-]+|\.so"
    r"|rocm|onnx\w*|requires?|satisfied|pip|conda|[<>=!~]=|[\w-]+==|\bv|msvc|windows)[ \t:='\"(\[,|-]{0,24}v?$"
)
_ADDRESS_6 = expression(
    r"(?<![A-Za-z0-9_:.])(?P<address>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:(?:\.\d{1,3}){3})?)(?P<zone>%[A-Za-z0-9_.-]{1,16})?(?![A-Za-z0-9_:])"
)
#: The address of a network card: six pairs, and not the last of something longer such as a digest.
_CARD = expression(
    r"(?<![A-Za-z0-9:-])(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5})(?![A-Za-z0-9:-])"
)
_GLOBAL_6 = expression(r"(?i)(?:[23][0-9a-f]{3}|f[cdef][0-9a-f]{2}|64:ff9b|::ffff):")
_FULL_6 = 8
_MAX_OF_LIST = 64
_SHORTEST = 4


class Network:
    """The machines that a text names."""

    def __init__(self, ledger: Ledger) -> None:
        """Know no machine yet."""
        self._ledger = ledger
        self._hosts: set[str] = set()
        self._patterns = tuple(expression(pattern) for pattern in _NAMED)
        self._recurring: re.Pattern[str] | None = None

    def learn(self, text: str) -> None:
        """Note which machines are named, so that they are known wherever they stand."""
        self._recurring = None
        for pattern in self._patterns:
            self._add(*(match["host"] for match in pattern.finditer(text)))
        for match in _URL.finditer(text):
            if not _PUBLIC.search(match["host"]):
                self._add(match["host"])
        self._add(*(match["host"] for match in _SCP.finditer(text) if not _PUBLIC.search(match["host"])))
        for match in _NODE_LIST.finditer(text):
            self._add(*_nodes(match["list"]))

    def redact(self, text: str) -> str:
        """Return the text without hosts and addresses."""
        text = _NODE_LIST.sub(lambda match: match["head"] + self._list(match["list"]), text)
        text = (self._recurring or self._compile()).sub(lambda match: self._ledger.name(Kind.HOST, match.group()), text)
        text = _ADDRESS_6.sub(self._address_6, text) if ":" in text else text
        text = _CARD.sub(self._card, text)
        if text.count(".") >= 3:
            text = _ADDRESS_4.sub(self._address_4, text)
        return text

    def _add(self, *hosts: str) -> None:
        for written in hosts:
            host = written.strip(".-_")
            if len(host) < 3 or _NOT_HOSTS.match(host):
                continue
            if host.lower() in ORDINARY_WORDS or not re.search("[A-Za-z]", host):
                continue
            self._hosts.add(host)
            short = host.partition(".")[0]
            if short != host and len(short) >= _SHORTEST and re.search("[0-9-]", short) and not _NOT_HOSTS.match(short):
                self._hosts.add(short)

    def _list(self, written: str) -> str:
        return written if PLACEHOLDER.match(written) else self._ledger.name(Kind.HOST, written)

    def _compile(self) -> re.Pattern[str]:
        known = sorted(self._hosts, key=lambda host: (-len(host), host))
        # Matches nothing where no machine is known.
        names = "|".join(map(re.escape, known)) or r"(?!)"
        self._recurring = re.compile(rf"(?i)(?<![A-Za-z0-9<])(?:{names})(?![A-Za-z0-9])")
        return self._recurring

    def _address_4(self, match: re.Match[str]) -> str:
        address = match["address"]
        if address.startswith("127.") or address in ("0.0.0.0", "255.255.255.255"):  # noqa: S104 - compared
            return address
        before = match.string[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
        if _VERSION_BEFORE.search(before):
            return address
        return self._ledger.name(Kind.ADDRESS, address)

    def _card(self, match: re.Match[str]) -> str:
        # Six pairs of digits alone are a date with its time.
        return self._ledger.name(Kind.ADDRESS, match[0]) if re.search("[A-Fa-f]", match[0]) else match[0]

    def _address_6(self, match: re.Match[str]) -> str:
        address = match["address"]
        groups = address.split(":")
        if address.count("::") != (len(groups) < _FULL_6 or "" in groups) or ":::" in address:
            return match.group()
        is_full = len(groups) == _FULL_6 and "" not in groups and any(len(group) > 2 for group in groups)
        if not is_full and not (_GLOBAL_6.match(address) and "::" in address):
            return match.group()
        return self._ledger.name(Kind.ADDRESS, address)


def _nodes(written: str) -> list[str]:
    """Return the machines of ``gpu[01-03,07],cpu1``, as far as they can be counted."""
    found: list[str] = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", written):
        prefix, _, ranges = part.strip(",").partition("[")
        if not ranges:
            found.append(prefix)
        for span in ranges.rstrip("]").split(",") if ranges else ():
            first, _, last = span.partition("-")
            if first.isdecimal() and (last or first).isdecimal():
                numbers = range(int(first), min(int(last or first), int(first) + _MAX_OF_LIST) + 1)
                found += [f"{prefix}{number:0{len(first)}d}" for number in numbers]
    return found
