"""A curl command or an API's description, read into a tool for the editor to show. It changes and calls nothing."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows import identity
from studio.api.json import read
from studio.api.wire_pasted import PastedBody, PastedOperation, PastedReply, PastedSecret, PastedTool
from studio.drafts import find
from studio.pasted import tool
from studio.pasted.request import PastedRefused
from studio.refusal import Refusal


class Pasted(APIView):
    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID) -> Response:
        """The tool that the paste describes, or the operations of which one is to be chosen."""
        flow = find(id)
        body = read(PastedBody, request.data)
        document = identity.read(flow.draft)
        tools = document.get("tools") if isinstance(document, dict) else None
        taken = [each.get("name") for each in tools if isinstance(each, dict)] if isinstance(tools, list) else []
        try:
            found = tool.read(body.text, body.operation, frozenset(name for name in taken if isinstance(name, str)))
        except PastedRefused as refused:
            raise Refusal(refused.code, refused.message, 422, fields={"text": refused.message}) from refused
        made = found.tool and PastedTool(
            tool=found.tool.tool,
            code=found.tool.code,
            secrets=[PastedSecret(name=one.name, host=one.host, value=one.value) for one in found.tool.secrets],
            notes=found.tool.notes,
        )
        listed = [PastedOperation(id=one.id, summary=one.summary) for one in found.operations]
        return Response(PastedReply(tool=made, operations=listed).wire())
