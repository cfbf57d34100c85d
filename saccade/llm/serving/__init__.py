"""Conversations and the OpenAI-compatible server: chat templates, tools, the engine behind it."""
