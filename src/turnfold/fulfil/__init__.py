"""Writing the summaries that a plan asks for: with a caller's model, or without any.

`fulfil` has a caller's model write them, judges what it writes, and lets a digest stand in where
that fails; `fulfil_async` does so in an event loop. `render_prompt` makes a ready prompt of a job,
and `extractive` writes a digest without a model.
"""

from turnfold.fulfil._answer import Answer, Rejection
from turnfold.fulfil._job import Redactor, SummaryJob, jobs
from turnfold.fulfil._options import FulfilOptions
from turnfold.fulfil._tries import Fulfilment, InputTooLong
from turnfold.fulfil.extractive import extractive, fulfil_extractively
from turnfold.fulfil.prompts import PROMPTS, Prompt, prompt_of, render_prompt
from turnfold.fulfil.runner import Fulfilled, Writer, fulfil, fulfil_async

__all__ = [
    "PROMPTS",
    "Answer",
    "FulfilOptions",
    "Fulfilled",
    "Fulfilment",
    "InputTooLong",
    "Prompt",
    "Redactor",
    "Rejection",
    "SummaryJob",
    "Writer",
    "extractive",
    "fulfil",
    "fulfil_async",
    "fulfil_extractively",
    "jobs",
    "prompt_of",
    "render_prompt",
]
