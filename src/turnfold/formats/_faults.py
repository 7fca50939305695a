"""What a provider would refuse in a history: a fault with its place, and the provider's words."""

from dataclasses import dataclass

from turnfold._record import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Fault:
    """One rule that one message breaks.

    Args:
        place: A path like `messages[3].content[1]`.
        rule: A stable word for the rule.
        message: One sentence for a person.
        provider_error: What the provider answers, in its own words as far as they are known.
    """

    place: str
    rule: str
    message: str
    provider_error: str = ""
