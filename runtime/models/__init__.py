"""Everything the runtime stores. The fenced writes to these tables live in runtime/journal.py and runtime/engine."""

from runtime.models.checkpoint import Checkpoint, CheckpointBlob, CheckpointWrite
from runtime.models.deployment import Deployment, ModelChoice, ModelEntry, Publication, Secret
from runtime.models.files import StoredFile
from runtime.models.ledger import ModelCall, ToolCall
from runtime.models.notices import Delivery, NoticePlace, Retention, TraceDue, Trouble
from runtime.models.question import Question
from runtime.models.run import Conversation, Leader, Outbox, Run, RunEvent, RunStream
from runtime.models.servers import McpLink, McpServer, McpTool

__all__ = [
    "Checkpoint", "CheckpointBlob", "CheckpointWrite", "Conversation", "Delivery", "Deployment", "Leader", "McpLink",
    "McpServer", "McpTool", "ModelCall", "ModelChoice", "ModelEntry", "NoticePlace", "Outbox", "Publication",
    "Question", "Retention", "Run", "RunEvent", "RunStream", "Secret", "StoredFile", "ToolCall", "TraceDue", "Trouble",
]  # fmt: skip
