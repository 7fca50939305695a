"""LangChain and LangGraph: messages as the framework writes them to JSON."""

from turnfold.formats.langchain._format import LINES, NAME, check, matches, parse, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
