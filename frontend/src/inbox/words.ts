import { INBOX_STRINGS } from "../generated/inboxstrings";
import { learn } from "../shared/strings";

/** The inbox's sentences; loaded before anything that says one. */
learn(INBOX_STRINGS);
