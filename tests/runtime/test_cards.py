"""The card and its digest: everything shown and everything sent is in it, and any change of either shows."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime import canonical, cards, corrections

PLACE = cards.Place("w", "order-desk", "a" * 64, "run", "place#1", "place")
TERMS = cards.Terms("reviewers", True, datetime(2026, 12, 1, 9, tzinfo=UTC))
ORDER = {
    "customerId": "ALFKI",
    "note": "Ring twice\nthen leave it",
    "items": [{"productId": 1, "quantity": 2, "price": 18.0}, {"productId": 3, "quantity": 1, "price": 10.5}],
    "gift": False,
    "due": None,
}
STATE = {"order": ORDER, "customer": "Alfreds Futterkiste", "reasons": ["Asked for chai.", "In budget."], "secret": "x"}
TYPES = {"order": "object", "customer": "string", "reasons": "list", "secret": "string"}
APPROVAL = cards.Approval(
    "Place this order for {{customer}}?", ("customer", "order"), ("order",), "reasons", ("invoice",)
)
INVOICE = {
    "channel": "invoice", "label": "Invoice", "id": "1", "name": "a.pdf", "type": "application/pdf", "size": 9,
    "sha256": "c" * 64, "readable": True,
}  # fmt: skip
DEED = cards.Deed(
    "tool",
    "placeOrder",
    {"customer": "{{order.customerId}}", "items": "{{order.items}}", "text": "For {{customer}}"},
    "b" * 64,
    {
        "customer": {"type": "string", "required": True, "maxLength": 5, "label": "Customer id"},
        "items": {
            "type": "list",
            "required": True,
            "of": {
                "productId": {"type": "number", "required": True},
                "quantity": {"type": "number", "required": True},
                "price": {"type": "number"},
            },
        },
    },
)


def card(state: dict[str, Any] = STATE, **changed: Any) -> cards.Payload:
    parts: dict[str, Any] = {"place": PLACE, "approval": APPROVAL, "deed": DEED, "terms": TERMS, **changed}
    return cards.approval_payload(
        parts["place"], parts["approval"], parts["deed"], parts["terms"], types=TYPES, state=state, exhibits=[INVOICE]
    )


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
            | st.sampled_from(["$number", "$object", "lc", "__class__", "$ref"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def same_json(a: Any, b: Any) -> bool:
    """Equal with types: 1, 1.0 and true are three values, and so are 0.0 and -0.0."""
    return type(a) is type(b) and (
        (a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a))
        if isinstance(a, dict)
        else (len(a) == len(b) and all(map(same_json, a, b)))
        if isinstance(a, list)
        else repr(a) == repr(b)
    )


@given(json_values)
def test_bytes_give_the_value_back(value: Any) -> None:
    assert same_json(canonical.decode(canonical.encode(value)), value)
    kept = canonical.decode(canonical.keep(value))
    assert same_json(kept, value)
    assert repr(kept) == repr(value)


@given(json_values, json_values)
def test_different_values_have_different_bytes(a: Any, b: Any) -> None:
    assert (canonical.encode(a) == canonical.encode(b)) == same_json(a, b)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: 2}, {"a": {1}}, Decimal("NaN"), object()])
def test_what_is_no_json_is_not_signed(value: Any) -> None:
    with pytest.raises(canonical.NotCanonical):
        canonical.encode({"x": value})


def test_deep_nesting_is_refused_and_does_not_crash() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(canonical.NotCanonical):
        canonical.encode(value)


def test_decimals_keep_their_digits() -> None:
    value = {"amount": Decimal("10.50"), "big": 2**53 + 1}
    assert canonical.decode(canonical.encode(value)) == value
    assert canonical.for_page(value) == {"amount": "10.50", "big": str(2**53 + 1)}


# LG-approval-04, LG-approval-22, LG-approval-24, LG-views-13
def test_the_card_shows_the_named_channels_the_account_apart_and_what_is_sent() -> None:
    made = card()
    assert made["ask"] == "Place this order for Alfreds Futterkiste?"
    assert [(row["label"], row["channel"]) for row in made["show"]] == [("Customer", "customer"), ("Order", "order")]
    assert made["why"] == {"channel": "reasons", "lines": ["Asked for chai.", "In budget."]}
    assert made["does"]["args"] == {
        "customer": "ALFKI",
        "items": ORDER["items"],
        "text": "For Alfreds Futterkiste",
    }
    assert "secret" not in json.dumps(made)


# LG-approval-26
@pytest.mark.parametrize("why", [None, "", "  ", [], [""], 12, {"a": "b"}, ["words", 3]])
def test_an_account_that_is_no_words_draws_nothing(why: Any) -> None:
    assert card({**STATE, "reasons": why})["why"] is None


def leaves(value: Any, path: tuple = ()) -> list[tuple]:
    if isinstance(value, dict) and value:
        return [found for key, one in value.items() for found in leaves(one, (*path, key))]
    if isinstance(value, list) and value:
        return [found for n, one in enumerate(value) for found in leaves(one, (*path, n))]
    return [path]


def put(value: Any, path: tuple, new: Any) -> Any:
    made = copy.deepcopy(value)
    here = made
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = new
    return made


def get(value: Any, path: tuple) -> Any:
    for part in path:
        value = value[part]
    return value


# LG-approval-29; reliability A11
@settings(max_examples=400)
@given(st.data())
def test_changing_any_one_leaf_changes_the_digest_and_is_named(data: st.DataObject) -> None:
    made = card()
    path = data.draw(st.sampled_from(leaves(made)))
    new = data.draw(json_values)
    if same_json(get(made, path), new):
        return
    changed = put(made, path, new)
    assert cards.seal(changed).digest != cards.seal(made).digest
    assert cards.differs(made, changed)


def test_the_engine_builds_the_same_card_again() -> None:
    stored = cards.seal(card())
    assert cards.differs(cards.read(stored.payload), card()) == []
    assert cards.digest(cards.read(stored.payload)) == stored.digest


def test_what_is_shown_keeps_its_order_and_the_digest_does_not_depend_on_it() -> None:
    """A form is drawn in its author's order; a database that sorts keys must not void what was approved."""
    fields = {"quantity": {"type": "number"}, "customer": {"type": "string"}, "a": {"type": "date"}}
    form = cards.form_payload(PLACE, TERMS, title="Order", fields=fields, values={})
    assert list(cards.read(cards.seal(form).payload)["fields"]) == ["quantity", "customer", "a"]
    sorted_form = json.loads(json.dumps(form, sort_keys=True))
    assert cards.seal(sorted_form).digest == cards.seal(form).digest
    assert cards.differs(form, sorted_form) == []
    edits = {"order": dict(sorted(ORDER.items()))}
    assert cards.seal(cards.with_edits(card(), edits)).digest == cards.seal(card()).digest


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"state": {**STATE, "order": {**ORDER, "customerId": "OTHER"}}}, "does.args.customer"),
        ({"state": {**STATE, "reasons": ["Something else."]}}, "why.lines"),
        ({"deed": cards.Deed(DEED.kind, "cancelOrder", DEED.args, DEED.unit, DEED.inputs)}, "does.tool"),
        ({"deed": cards.Deed(DEED.kind, DEED.tool, DEED.args, "c" * 64, DEED.inputs)}, "does.unit"),
        ({"place": cards.Place("w", "order-desk", "f" * 64, "run", "place#1", "place")}, "version"),
        ({"terms": cards.Terms("starter", False, TERMS.expires_at)}, "decider.who"),
    ],
)
def test_what_changed_before_acting_is_found(changed: dict[str, Any], where: str) -> None:
    assert where in cards.differs(card(), card(**changed))


# LG-approval-05, LG-approval-07, LG-forms-05, LG-forms-06
def test_a_record_is_corrected_by_its_fields_and_never_as_json() -> None:
    edit = card()["edit"]
    assert {name: field["type"] for name, field in edit["fields"].items()} == {
        "order.customerId": "string",
        "order.note": "text",
        "order.items": "list",
        "order.gift": "boolean",
        "order.due": "string",
    }
    assert edit["fields"]["order.customerId"]["maxLength"] == 5
    assert list(edit["fields"]["order.items"]["of"]) == ["productId", "quantity", "price"]


def correct(payload: cards.Payload, **values: Any) -> tuple[dict[str, Any], dict[str, str]]:
    names = {name.replace("order_", "order."): value for name, value in values.items()}
    checked, errors = corrections.corrected(payload["edit"], names)
    return corrections.channels(payload["edit"], payload["from"]["state"], checked) if not errors else {}, errors


# LG-approval-07
def test_what_comes_back_as_it_was_shown_changes_nothing() -> None:
    made = card()
    shown = json.loads(json.dumps(canonical.for_page(made["edit"]["values"])))
    edits, errors = correct(made, **{name.replace(".", "_", 1): value for name, value in shown.items()})
    assert (edits, errors) == ({}, {})
    assert cards.with_edits(made, edits) is made


# LG-approval-05
def test_a_correction_makes_another_card_with_other_arguments() -> None:
    made = card()
    edits, errors = correct(made, order_customerId="BLAUS", order_items=[{"productId": 7, "quantity": "4", "price": 3}])
    assert errors == {}
    corrected = cards.with_edits(made, edits)
    assert corrected["does"]["args"]["customer"] == "BLAUS"
    assert corrected["does"]["args"]["items"] == [{"productId": 7, "quantity": 4, "price": 3}]
    assert corrected["show"][1]["value"]["customerId"] == "BLAUS"
    assert cards.seal(corrected).digest != cards.seal(made).digest
    assert cards.differs(corrected, card({**STATE, **edits})) == []
    assert STATE["order"]["customerId"] == "ALFKI"


def test_a_wrong_correction_is_refused_beside_its_field_all_at_once() -> None:
    _, errors = correct(
        card(),
        order_customerId="TOO LONG",
        order_items=[{"productId": 1, "quantity": "many", "price": 1}],
        order_gift="perhaps",
        order_unknown=1,
    )
    assert set(errors) == {"order.customerId", "order.items[0].quantity", "order.gift", "order.unknown"}


def test_only_the_offered_channels_can_be_corrected() -> None:
    with pytest.raises(KeyError):
        cards.with_edits(card(), {"customer": "Somebody else"})


def test_a_list_of_unlike_entries_is_shown_and_not_offered() -> None:
    order = {"mixed": [1, {"a": 1}], "deep": {"a": {"b": {"c": {"d": {"e": 1}}}}}}
    made = card({**STATE, "order": order}, deed=cards.Deed("handler", unit="b" * 64))
    assert made["edit"]["fields"] == {}


# LG-approval-07
@pytest.mark.parametrize(
    ("value", "type"), [("one line", "string"), ("two\nlines", "text"), ("", "string"), (None, "string")]
)
def test_a_text_channel_with_lines_gets_a_box_with_lines(value: Any, type: str) -> None:
    made = card({**STATE, "customer": value}, approval=cards.Approval("Go?", (), ("customer",)))
    assert made["edit"]["fields"]["customer"]["type"] == type
