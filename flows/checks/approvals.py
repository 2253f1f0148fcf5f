"""Approvals: what a card may hold. The figures, the account and the documents are three kinds and kept apart."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.problem import Finding, at, quoted, rule


@rule("EXHIBIT_NOT_FILE")
def exhibits_are_documents(draft: Draft) -> Iterator[Finding]:
    """A row saying that there is a document where there is none is worst on an approval."""
    for index, node in draft.nodes:
        for position, name in enumerate(node.approval.exhibits if node.approval else ()):
            channel = draft.channel(name)
            if channel is not None and channel.type != "file":
                yield (
                    at("nodes", index, "approval", "exhibits", position),
                    f"The exhibit {quoted(name)} of node {quoted(node.id)} is a channel of type "
                    f"{quoted(channel.type)}, and an exhibit is a document.",
                    'Name a channel of type "file"; figures belong in "show", and the account in "why".',
                )


@rule("WHY_NOT_WORDS", "warning")
def accounts_are_words(draft: Draft) -> Iterator[Finding]:
    """why is drawn as a paragraph, or as one line for each step; what is no words draws nothing."""
    for index, node in draft.nodes:
        channel = draft.channel(node.approval.why) if node.approval and node.approval.why else None
        if channel is None or channel.type in ("string", "any") or channel.appends:
            continue
        yield (
            at("nodes", index, "approval", "why"),
            f"The account {quoted(channel.name)} of node {quoted(node.id)} is a channel of type "
            f"{quoted(channel.type)}, so nothing is drawn.",
            'Name a string channel, or a list with the reducer "append": one line for each step.',
        )


RULES = (exhibits_are_documents, accounts_are_words)
