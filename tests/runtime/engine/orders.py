"""A flow that places one order at the demo's office, and the code of its tool."""

from __future__ import annotations

from tests.runtime.engine.conftest import flow

PLACE = """async def place(args, *, services, settings, env):
    reply = await services.http.post(settings.url + "/orders", json={
        "customerId": args["customerId"], "lines": [{"productId": 101, "quantity": args["quantity"]}],
        "shipTo": "Here", "deliverOn": None, "note": args.get("note", ""),
    })
    if reply.status >= 400:
        raise ValueError(f"The office answered {reply.status}: {reply.text}")
    return reply.json()
"""


def desk_flow(office: str, **node: object) -> dict:
    """Places one order after an approval."""
    return flow(
        [
            {"id": "place", "type": "tool", "tool": "place", "output": "result",
             "args": {"customerId": "{{customer}}", "quantity": "{{quantity}}", "note": "{{note}}"}, **node},
        ],
        inputs=["customer", "quantity", "note"],
        outputs=["result"],
        state={
            "customer": {"type": "string", "description": "Who orders."},
            "quantity": {"type": "number", "description": "How many."},
            "note": {"type": "string", "description": "A note."},
            "result": {"type": "object", "description": "The order."},
            "said": {"type": "string", "description": "What was said."},
        },
        tools=[{
            "name": "place", "description": "Posts an order to the office through services.http. RETURNS the order.",
            "inputs": {"customerId": {"type": "string", "required": True, "label": "Customer"},
                       "quantity": {"type": "number", "required": True}},
        }],
        requires={"settings": {"url": {"default": office, "description": "The office."}}},
    )  # fmt: skip


APPROVAL = {"ask": "Place {{quantity}} for {{customer}}?", "show": ["quantity"], "edit": ["quantity", "note"]}
UNITS = {"tool:place": PLACE}
