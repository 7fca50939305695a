"""Writing the summaries that a plan asks for: with a caller's model, or without any.

`jobs` hands out what a writer needs; `render_prompt` makes a ready prompt of a job; `extractive`
writes a digest without a model.
"""

from turnfold.fulfil._job import Redactor, SummaryJob, jobs
from turnfold.fulfil.extractive import extractive, fulfil_extractively
from turnfold.fulfil.prompts import PROMPTS, Prompt, prompt_of, render_prompt

__all__ = [
    "PROMPTS",
    "Prompt",
    "Redactor",
    "SummaryJob",
    "extractive",
    "fulfil_extractively",
    "jobs",
    "prompt_of",
    "render_prompt",
]
