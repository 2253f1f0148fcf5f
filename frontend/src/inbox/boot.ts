import type { InboxPage, InboxTab, QuestionDetail } from "../generated/wire";

export interface InboxBoot {
  tab: InboxTab;
  page: InboxPage;
  question: string | null;
  workspace: string;
}

export interface DecideBoot {
  detail: QuestionDetail;
  inboxUrl: string | null;
}
