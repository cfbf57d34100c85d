"""`saccade serve` and `saccade embed`: language models for OpenAI's clients, and vectors of texts.

saccade serve model.gguf --port 8080
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.commands.chat import (
    CHAT_EXAMPLES,
    Context,
    Model,
    On,
    Rounding,
    bar,
    chat,
    loaded_model,
    text_from_input,
)
from saccade.cli.common import print_json, reporting, tell_note
from saccade.cli.flags import Json
from saccade.cli.marks import for_typer

if TYPE_CHECKING:
    from saccade.llm.model.embeddings import TextEncoder

SERVE_EXAMPLES = """Examples:\n
\b
saccade serve model.gguf --port 8080          then open http://127.0.0.1:8080/ or ask:
curl http://127.0.0.1:8080/v1/chat/completions -H 'content-type: application/json' \\
  -d '{"messages": [{"role": "user", "content": "Hello"}], "stream": true}'"""
EMBED_EXAMPLES = """Examples:\n
\b
saccade embed all-MiniLM-L6-v2 "a cat" "a kitten"       how near their meanings are
cat lines.txt | saccade embed all-MiniLM-L6-v2 --json   a vector for each line"""


def add_to(app: typer.Typer) -> None:
    """Register the commands of language models."""
    app.command("chat", epilog=CHAT_EXAMPLES)(for_typer(chat))
    app.command("serve", epilog=SERVE_EXAMPLES)(for_typer(serve))
    app.command("embed", epilog=EMBED_EXAMPLES)(embed)


# --- a server ----------------------------------------------------------------------------------------------


def serve(
    model: Model,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8080,
    api_key: Annotated[
        str | None, typer.Option(envvar="SACCADE_API_KEY", help="What clients must send as a bearer token.")
    ] = None,
    slots: Annotated[int, typer.Option(min=1, max=256, help="Texts that are made at once.")] = 4,
    max_queue: Annotated[int, typer.Option(min=0, help="Requests that may wait; more get 429.")] = 64,
    context: Context = None,
    activations: Rounding = None,
    device: On = "cpu",
    encoder: Annotated[
        Path | None,
        typer.Option(help="Folder of a BERT encoder for /v1/embeddings, which else are the model's own."),
    ] = None,
) -> None:
    """Serve a language model over HTTP as OpenAI's clients expect it, with a page to chat on.

    /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models, /health, /metrics, / for a browser.
    """
    with reporting(False):
        from saccade.llm.model.bert import Encoder
        from saccade.llm.serving.serve import (
            LOOPBACK,
            Limits,
            check_installed,
            make_app,
            make_engine,
            run_server,
        )
        from saccade.runtime.process.collection import made_to_stay

        if api_key is not None and not api_key.strip():  # as of a variable that is not set
            raise ValueError("the API key is empty: give one, or leave --api-key out to ask for none")
        check_installed()
        limits = Limits(slots=slots, queue=max_queue, capacity=context)
        with bar() as tell, made_to_stay():
            loaded = loaded_model(model, tell, activations, device)
            encodes = None if encoder is None else Encoder.from_folder(encoder)
            engine = make_engine(loaded, limits, tell)
        hosts = LOOPBACK if host in ("127.0.0.1", "localhost", "::1") else None
        if hosts is None and api_key is None:
            tell_note("other machines can reach this server, and no --api-key is asked of them")
        try:
            app = make_app(loaded, engine, limits, api_key, hosts, encodes)
            run_server(app, host, port, _tell_address, engine)
        finally:
            engine.close()


def _tell_address(address: str) -> None:
    typer.echo(f"listening at {address}")
    sys.stdout.flush()


# --- vectors -----------------------------------------------------------------------------------------------


def embed(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="The folder of a BERT encoder, or the GGUF file of a model."),
    ],
    texts: Annotated[list[str] | None, typer.Argument(help="Without: each line of standard input.")] = None,
    json_output: Json = False,
) -> None:
    """Embed texts: a vector for each, by an encoder such as MiniLM, and how near their meanings are."""
    with reporting(json_output):
        given = texts or [line for line in text_from_input().splitlines() if line.strip()]
        if not given:
            raise ValueError("there is nothing to embed: give texts, or lines on standard input")
        encoder = _encoder(model)
        vectors = encoder.embed_ids([encoder.ids(text) for text in given])
        if json_output:
            told = [{"text": text, "vector": row.tolist()} for text, row in zip(given, vectors, strict=True)]
            print_json({"model": encoder.name, "width": encoder.width, "texts": told})
            return
        for row in vectors @ vectors.T:
            typer.echo(" ".join(f"{value:6.3f}" for value in row))


def _encoder(path: Path) -> TextEncoder:
    """What embeds texts: a BERT encoder in a folder, or a language model in a file."""
    if path.is_dir():
        from saccade.llm.model.bert import Encoder

        return Encoder.from_folder(path)
    from saccade.llm.files.load import load
    from saccade.llm.serving.text_vectors import TextVectors

    return TextVectors(load(path, activations="int8"))
