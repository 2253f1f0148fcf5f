"""What an author's style sheet may say. Everything that is not here is refused by name."""

from __future__ import annotations

PARTS = ("bubble", "msg", "question-text", "question-action", "view-card", "answer-table", "composer")
"""Classes of the chat page that may be styled. They are a public contract."""

STATES = ("user",)
"""Classes that tell a part from its like: `.msg.user .bubble` is a person's message."""

ELEMENTS = (
    "header", "a", "b", "blockquote", "button", "caption", "code", "div", "em", "figcaption", "figure", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "label", "li", "ol", "p", "pre", "small", "span", "strong",
    "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr", "ul",
)  # fmt: skip
"""Elements that may be named inside a part; `header` is a part itself."""

PSEUDO_CLASSES = (
    "active", "checked", "disabled", "empty", "enabled", "first-child", "first-of-type", "focus", "focus-visible",
    "focus-within", "hover", "last-child", "last-of-type", "link", "only-child", "only-of-type", "placeholder-shown",
    "visited",
)  # fmt: skip
PSEUDO_FUNCTIONS = ("is", "not", "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "where")
PSEUDO_ELEMENTS = ("first-letter", "first-line", "marker", "placeholder", "selection")

AT_RULES = ("media", "supports", "keyframes", "layer")

VARIABLES = ("--accent", "--paper", "--panel", "--ink", "--text")
"""The page's own colours and its base size."""

FUNCTIONS = (
    "blur", "brightness", "calc", "clamp", "color", "color-mix", "conic-gradient", "contrast", "cubic-bezier",
    "drop-shadow", "fit-content", "grayscale", "hsl", "hsla", "hue-rotate", "hwb", "invert", "lab", "lch", "light-dark",
    "linear", "linear-gradient", "max", "min", "minmax", "oklab", "oklch", "opacity", "radial-gradient", "repeat",
    "repeating-conic-gradient", "repeating-linear-gradient", "repeating-radial-gradient", "rgb", "rgba", "saturate",
    "sepia", "steps", "var",
)  # fmt: skip

CONDITIONS = ("selector", "not", "and", "or")
"""Functions of a media or supports condition."""

LOADERS = (
    "cross-fade", "-webkit-cross-fade", "element", "-moz-element", "image", "image-set", "-webkit-image-set", "paint",
    "src", "url", "url-prefix", "domain", "expression", "attr", "env", "if", "path",
)  # fmt: skip
"""What fetches something, or reads what the page did not give."""

_SIDES = ("top", "right", "bottom", "left", "block", "block-start", "block-end", "inline", "inline-start", "inline-end")
_CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right", "start-start", "start-end", "end-start", "end-end")

PROPERTIES: frozenset[str] = frozenset(
    (
        "accent-color", "align-content", "align-items", "align-self", "animation", "animation-delay",
        "animation-direction", "animation-duration", "animation-fill-mode", "animation-iteration-count",
        "animation-name", "animation-play-state", "animation-timing-function", "aspect-ratio", "backdrop-filter",
        "background", "background-attachment", "background-blend-mode", "background-clip", "background-color",
        "background-image", "background-origin", "background-position", "background-repeat", "background-size",
        "block-size", "border", "border-collapse", "border-color", "border-radius", "border-spacing", "border-style",
        "border-width", "box-decoration-break", "box-shadow", "box-sizing", "caption-side", "caret-color", "color",
        "color-scheme", "column-gap", "cursor", "display", "empty-cells", "filter", "flex", "flex-basis",
        "flex-direction", "flex-flow", "flex-grow", "flex-shrink", "flex-wrap", "font", "font-family",
        "font-feature-settings", "font-kerning", "font-optical-sizing", "font-size", "font-size-adjust", "font-stretch",
        "font-style", "font-synthesis", "font-variant", "font-variant-caps", "font-variant-ligatures",
        "font-variant-numeric", "font-variation-settings", "font-weight", "gap", "height", "hyphens", "inline-size",
        "justify-content", "justify-items", "justify-self", "letter-spacing", "line-break", "line-height", "list-style",
        "list-style-position", "list-style-type", "margin", "max-block-size", "max-height", "max-inline-size",
        "max-width", "min-block-size", "min-height", "min-inline-size", "min-width", "mix-blend-mode", "object-fit",
        "object-position", "opacity", "order", "outline", "outline-color", "outline-offset", "outline-style",
        "outline-width", "overflow", "overflow-wrap", "overflow-x", "overflow-y", "padding", "place-content",
        "place-items", "place-self", "row-gap", "scrollbar-color", "scrollbar-width", "tab-size", "table-layout",
        "text-align", "text-align-last", "text-decoration", "text-decoration-color", "text-decoration-line",
        "text-decoration-style", "text-decoration-thickness", "text-indent", "text-overflow", "text-rendering",
        "text-shadow", "text-transform", "text-underline-offset", "text-wrap", "transition", "transition-delay",
        "transition-duration", "transition-property", "transition-timing-function", "vertical-align", "visibility",
        "white-space", "width", "word-break", "word-spacing", "-webkit-backdrop-filter", "-webkit-font-smoothing",
        *(f"{name}-{side}" for name in ("margin", "padding") for side in _SIDES),
        *(f"border-{side}" for side in _SIDES),
        *(f"border-{side}-{what}" for side in _SIDES for what in ("color", "style", "width")),
        *(f"border-{corner}-radius" for corner in _CORNERS),
    )
)  # fmt: skip
"""How things look, not where they are: no position, inset, transform, z-index, content or pointer-events."""
