import type { Frame, Json } from "../generated/frames";

/** What the server prints into the chat page; README.md beside package.json says what each word means. */
export interface ChatBoot {
  agent: {
    slug: string;
    name: string;
    description: string;
    suggestions: string[];
    textInput: string | null;
    inputs: { [channel: string]: Json };
    opensByItself: boolean;
    welcome: string;
    /** The operator's sentence while the agent takes no messages. */
    paused: string | null;
  };
  person: { name: string; signedIn: boolean };
  conversation: string | null;
  title: string;
  frames: Frame[];
  seq: number;
  hide: string[];
  inboxUrl: string | null;
}
