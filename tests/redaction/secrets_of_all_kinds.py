"""Makes secrets as their issuers do, and the places where logs show them."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from random import Random

ALPHANUMERIC = string.ascii_letters + string.digits
BASE64 = ALPHANUMERIC + "+/"
URL_SAFE = ALPHANUMERIC + "-_"
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + string.digits


def some(random: Random, alphabet: str, length: int) -> str:
    """Return letters of an alphabet."""
    return "".join(random.choices(alphabet, k=length))


def web_token(random: Random) -> str:
    """Return a signed JSON web token."""
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": some(random, HEX, 12), "exp": random.randrange(2**31)})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*encoded, some(random, URL_SAFE, 43)))


#: Tokens that show by themselves what they are.
TOKENS: dict[str, Callable[[Random], str]] = {
    "hugging face": lambda r: "hf_" + some(r, string.ascii_letters, 34),
    "openai": lambda r: "sk-" + some(r, ALPHANUMERIC, 48),
    "openai project": lambda r: "sk-proj-" + some(r, URL_SAFE, 74) + "T3BlbkFJ" + some(r, URL_SAFE, 74),
    "anthropic": lambda r: "sk-ant-api03-" + some(r, URL_SAFE, 93) + "AA",
    "aws key id": lambda r: r.choice(("AKIA", "ASIA")) + some(r, CAPITALS, 16),
    "google api key": lambda r: "AIza" + some(r, URL_SAFE, 35),
    "google access": lambda r: "ya29." + some(r, URL_SAFE, 120),
    "google client": lambda r: "GOCSPX-" + some(r, URL_SAFE, 28),
    "azure client": lambda r: some(r, ALPHANUMERIC, 3) + "8Q~" + some(r, ALPHANUMERIC + "_~.-", 33) + "z",
    "azure storage": lambda r: some(r, BASE64, 86) + "==",
    "github": lambda r: "gh" + r.choice("pousr") + "_" + some(r, ALPHANUMERIC, 36),
    "github fine-grained": lambda r: "github_pat_" + some(r, ALPHANUMERIC, 22) + "_" + some(r, ALPHANUMERIC, 59),
    "gitlab": lambda r: "glpat-" + some(r, URL_SAFE, 20),
    "slack bot": lambda r: (
        f"xoxb-{some(r, string.digits, 12)}-{some(r, string.digits, 12)}-{some(r, ALPHANUMERIC, 24)}"
    ),
    "slack app": lambda r: f"xapp-1-A{some(r, CAPITALS, 10)}-{some(r, string.digits, 13)}-{some(r, HEX, 64)}",
    "wandb": lambda r: "wandb_v1_" + some(r, ALPHANUMERIC, 77),
    "jwt": web_token,
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + some(r, URL_SAFE, 130),
    "npm": lambda r: "npm_" + some(r, ALPHANUMERIC, 36),
    "nvidia": lambda r: "nvapi-" + some(r, URL_SAFE, 64),
}
#: Secrets that only what stands around them gives away.
NAMELESS: dict[str, Callable[[Random], str]] = {
    "wandb key": lambda r: some(r, HEX, 40),
    "aws secret": lambda r: some(r, BASE64, 40),
    "azure key": lambda r: some(r, HEX, 32),
    "password": lambda r: some(r, ALPHANUMERIC + "!#%*+-_.", 14),
    "short password": lambda r: some(r, string.ascii_lowercase, 8),
}
#: How logs show a token of either sort.
NAMED_PLACES: tuple[str, ...] = (
    "WANDB_API_KEY={}",
    "export AWS_SECRET_ACCESS_KEY='{}'",
    "AZURE_OPENAI_API_KEY: {}",
    "DB_PASSWORD={} python train.py",
    '{{"password": "{}", "retries": 3}}',
    "{{'api_key': '{}', 'model': 'm'}}",
    "Namespace(lr=0.1, hub_token='{}', steps=10)",
    "python serve.py --api-key {} --port 8000",
    "['python', 'train.py', '--password', '{}', '--epochs', '3']",
    "Server=tcp:db,1433;User Id=app;Password={};Encrypt=True",
    "AccountName=store;AccountKey={};EndpointSuffix=core.windows.net",
    "client_secret={}",
    "secret_key: {}",
    "docker run -e MYSQL_ROOT_PASSWORD={} image",
)
PLACES: tuple[str, ...] = (
    "{}",
    "using {} for the hub",
    "HF_TOKEN={}",
    "token={}",
    "Authorization: Bearer {}",
    "-H 'Authorization: token {}' https://api.github.com/user",
    "{{'Authorization': 'Bearer {}'}}",
    'header "x-api-key: {}"',
    "GET /v1/models?access_token={}&page=2 HTTP/1.1",
    "https://oauth2:{}@gitlab.com/team/repo.git",
    "https://{}@github.com/team/repo.git",
    '{{"level": "error", "message": "login failed\\n{}\\n"}}',
    "\x1b[31m{}\x1b[0m",
    "huggingface-cli login --token {}",
    "[rank3]: ValueError: invalid token {}",
    "(EngineCore_DP0 pid=71) token {}",
)


def private_key(random: Random, *, decoration: str = "") -> tuple[str, list[str]]:
    """Return a PEM block over several lines, and each line of the key."""
    kind = random.choice(("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""))
    material = [some(random, BASE64, 64) for _ in range(random.randrange(3, 27))]
    material.append(some(random, BASE64, random.randrange(20, 60)) + "==")
    lines = [f"-----BEGIN {kind}PRIVATE KEY-----", *material, f"-----END {kind}PRIVATE KEY-----"]
    return "\n".join(decoration + line for line in lines), material


def connection(random: Random) -> tuple[str, list[str]]:
    """Return a URL with user information, and its password."""
    scheme = random.choice(("postgresql", "mysql+pymysql", "mongodb+srv", "redis", "amqp", "https", "ftp"))
    password = some(random, ALPHANUMERIC + "!$%*-_.", 12)
    return f"{scheme}://{random.choice(('app', 'admin', ''))}:{password}@db-7.corp.internal:5432/runs", [password]


def service_account(random: Random) -> tuple[str, list[str]]:
    """Return a key of Google's on one line of JSON, and what is secret in it."""
    block, material = private_key(random)
    key_id = some(random, HEX, 40)
    account = json.dumps({"type": "service_account", "private_key_id": key_id, "private_key": block + "\n"})
    return account, [key_id, *material]


def webhook(random: Random) -> tuple[str, list[str]]:
    """Return a webhook, and the part that is secret."""
    secret = f"T{some(random, CAPITALS, 8)}/B{some(random, CAPITALS, 10)}/{some(random, ALPHANUMERIC, 24)}"
    return f"posting to https://hooks.slack.com/services/{secret}", [secret]


def planted(random: Random) -> tuple[str, list[str]]:
    """Return lines that hold a secret, and what of them must never be seen again."""
    choice = random.randrange(20)
    if choice == 0:
        return private_key(random, decoration=random.choice(("", "", "[rank0]: ", "2026-03-24T06:51:01.1234567Z ")))
    if choice == 1:
        return random.choice((service_account, webhook))(random)
    if choice <= 3:
        return connection(random)
    if choice <= 9:
        secret = random.choice(tuple(NAMELESS.values()))(random)
        return random.choice(NAMED_PLACES).format(secret), [secret]
    secret = random.choice(tuple(TOKENS.values()))(random)
    return random.choice((*PLACES, *PLACES, *NAMED_PLACES)).format(secret), [secret]
