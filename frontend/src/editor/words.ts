import { EDITOR_STRINGS } from "../generated/editorstrings";
import { learn } from "../shared/strings";

/** The editor's sentences; loaded before anything that says one. */
learn(EDITOR_STRINGS);
