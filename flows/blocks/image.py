"""An image shows one file of the flow, at the size of the file, no wider than the conversation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.blocks.base import View
from flows.words.base import Dsl


class Image(View):
    """A picture with words under it."""

    type: Annotated[Literal["image"], Dsl(topic="views")] = Field(description='"image"')
    file: Annotated[str, Field(min_length=1, max_length=500), Dsl(ref="template", widget="line", since="0.11")] = Field(
        description="One template that names a file channel: {{picture}}."
    )
    caption: Annotated[str, Field(max_length=1000), Dsl(ref="template", widget="line", since="0.11")] = Field(
        "", description="The words under the picture."
    )
