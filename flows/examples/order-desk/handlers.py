"""The order desk's code. Each function does exactly what its description in flow.json says."""

from datetime import date


def answered(reply):
    """What the back office answered. Raises when its status says that it did not do what it was asked."""
    if reply.status >= 400:
        raise RuntimeError(f"The back office answered with status {reply.status}.")
    return reply.json()


def is_whole(quantity):
    """Is it a whole number of at least 1?"""
    is_number = isinstance(quantity, int | float) and not isinstance(quantity, bool)
    return is_number and quantity >= 1 and quantity == int(quantity)


def is_day(text):
    """Is it a day of the calendar, written YYYY-MM-DD?"""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


async def findCustomers(args, *, services, settings, env):
    wanted = args["wanted"].strip()
    reply = await services.http.get(f"{settings.officeUrl}/customers", params={"name": wanted})
    customers = answered(reply)["customers"]
    exact = [one for one in customers if wanted.casefold() in (one["id"].casefold(), one["name"].casefold())]
    return exact[:1] or customers


async def listOrders(args, *, services, settings, env):
    reply = await services.http.get(f"{settings.officeUrl}/orders", params={"customer": args["customerId"]})
    return [
        {
            "order": order["id"],
            "placed": order["placedAt"][:10],
            "items": ", ".join(f"{line['quantity']} × {line['product']}" for line in order["lines"]),
            "total": f"{order['total']:.2f} {order['currency']}",
            "status": order["status"],
        }
        for order in answered(reply)["orders"][:10]
    ]


async def listProducts(args, *, services, settings, env):
    reply = await services.http.get(f"{settings.officeUrl}/products")
    return answered(reply)["products"]


async def placeOrder(args, *, services, settings, env):
    product_id, quantity = args["productId"], args["quantity"]
    line = {
        "productId": int(product_id) if product_id == int(product_id) else product_id,
        "quantity": int(quantity) if quantity == int(quantity) else quantity,
    }
    order = {
        "customerId": args["customerId"],
        "lines": [line],
        "shipTo": args["shipTo"],
        "deliverOn": args["deliverOn"] or None,
        "note": args["note"],
    }
    reply = await services.http.post(f"{settings.officeUrl}/orders", json=order)
    if reply.status == 422:
        return {"order": None, "refused": reply.json()["error"]["message"]}
    return {"order": answered(reply), "refused": ""}


async def pickCustomer(state, *, services, settings, env):
    named = (state["request"].get("customer") or "").strip()
    return {"wanted": named or state["customer"].get("id") or ""}


async def takeCustomer(state, *, services, settings, env):
    found = state["found"]
    if len(found) < 2:
        return {"customer": found[0] if found else {}, "choices": ""}
    rows = [f"| {one['id']} | {one['name']} | {one['city']} |" for one in found[:10]]
    return {"customer": {}, "choices": "\n".join(["| Id | Name | City |", "| --- | --- | --- |", *rows])}


async def prepareOrder(state, *, services, settings, env):
    request, customer, products = state["request"], state["customer"], state["products"]
    asked = (request.get("product") or "").strip()
    words = [word.removesuffix("s") for word in asked.casefold().split()]
    fitting = [one for one in products if words and all(word in one["name"].casefold() for word in words)]
    fitting = [one for one in fitting if one["name"].casefold() == asked.casefold()] or fitting
    known = fitting[0] if len(fitting) == 1 else None

    quantity, too_many = request.get("quantity"), False
    if not is_whole(quantity):
        quantity = None
    elif known and quantity > known["largestOrder"]:
        quantity, too_many = None, True
    else:
        quantity = int(quantity)

    wanted_day = request.get("deliverOn") or ""
    details = {
        "product": known["name"] if known else "",
        "quantity": quantity,
        "shipTo": customer.get("address") or "",
        "deliverOn": wanted_day,
        "note": "",
    }
    product = {
        "type": "string",
        "required": True,
        "label": "Product",
        "options": [one["name"] for one in (fitting if len(fitting) > 1 else products)],
    }
    if known:
        product["default"] = known["name"]
    elif asked and not fitting:
        product["description"] = f'We do not sell "{asked}". Choose what comes closest.'
    amount = {"type": "number", "required": True, "label": "Quantity"}
    if quantity is not None:
        amount["default"] = quantity
    if known and too_many:
        amount["description"] = f"At most {known['largestOrder']} in one order."
    ship_to = {"type": "text", "required": True, "label": "Ship to", "maxLength": 300}
    if details["shipTo"]:
        ship_to["default"] = details["shipTo"]
    deliver_on = {"type": "date", "label": "Deliver on", "description": "Leave empty for as soon as possible."}
    if is_day(wanted_day):
        deliver_on["default"] = wanted_day
    return {
        "details": details,
        "missing": [name for name in ("product", "quantity", "shipTo") if not details[name]],
        "order_form": {
            "product": product,
            "quantity": amount,
            "shipTo": ship_to,
            "deliverOn": deliver_on,
            "note": {"type": "text", "label": "Note for the back office", "maxLength": 500},
        },
        "account": [
            f"The message asks for {request.get('quantity') or 'some'} × {asked or 'goods'} "
            f"for {customer['name']} ({customer['id']})."
        ],
    }


async def priceOrder(state, *, services, settings, env):
    details, customer = state["details"], state["customer"]
    product = next((one for one in state["products"] if one["name"] == details["product"]), None)
    quantity = details["quantity"]
    if product is None:
        return {"problem": f'We do not sell "{details["product"]}".'}
    if not is_whole(quantity):
        return {"problem": "A quantity is a whole number of at least 1."}
    if quantity > product["largestOrder"]:
        return {"problem": f"We can send at most {product['largestOrder']} of {product['name']} in one order."}
    quantity = int(quantity)
    unit_price = f"{product['price']:,.2f} EUR"
    total = f"{round(product['price'] * 100) * quantity / 100:,.2f} EUR"
    return {
        "problem": "",
        "product_id": product["id"],
        "customer_name": f"{customer['name']} ({customer['id']})",
        "product": f"{product['name']}, {product['unit']}",
        "quantity": quantity,
        "unit_price": unit_price,
        "total": total,
        "ship_to": details["shipTo"],
        "deliver_on": details.get("deliverOn") or "",
        "note": details.get("note") or "",
        "account": [
            f"{customer['name']} has been a customer since {customer['since']} and pays: {customer['terms']}.",
            f"{product['name']} costs {unit_price} for a {product['unit']}; {quantity} of them come to {total}.",
        ],
    }
