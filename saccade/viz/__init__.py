"""See it: recordings of programs and of minds, and the page that shows them (docs/viz.md).

In: what the compiler, the runtime and experiments tell whoever watches them. Out: a recording (`file.py`,
`record.py`), its views as JSON (`views/`), and a page (`server.py`).
"""
