import type { Token, Tokens } from "marked";
import { Fragment, type ComponentChildren, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { memo } from "./memo";
import { CopyButton } from "./CopyButton";
import { isAmount } from "./shape";
import { blocksOf, decodeReferences, GrowingBlocks, safeAddress } from "./markdown";
import { t } from "./strings";

/** Deeper than this, the source is written out instead. */
const DEEPEST = 24;

function inline(tokens: Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((token, index) => <Fragment key={index}>{inlineToken(token, depth)}</Fragment>);
}

function inlineToken(token: Token, depth: number): ComponentChildren {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens, depth + 1) : decodeReferences(token.text as string);
    case "escape":
      return token.text as string;
    case "strong":
      return <strong>{inline(token.tokens, depth + 1)}</strong>;
    case "em":
      return <em>{inline(token.tokens, depth + 1)}</em>;
    case "del":
      return <del>{inline(token.tokens, depth + 1)}</del>;
    case "codespan":
      return <code>{token.text as string}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑ " : "☐ ";
    case "link": {
      const address = safeAddress((token as Tokens.Link).href);
      const words = inline(token.tokens, depth + 1);
      if (!address) return words;
      const where = address.protocol === "mailto:" ? address.pathname : address.host;
      return (
        <a href={address.href} target="_blank" rel="noopener noreferrer nofollow" title={t("shared.opensOutside", { host: where })}>
          {words}
        </a>
      );
    }
    case "image":
      return (token as Tokens.Image).text || null;
    default:
      // HTML and everything unknown is text.
      return token.raw;
  }
}

function blocks(tokens: Token[], depth: number): ComponentChildren {
  return tokens.map((token, index) => <Fragment key={index}>{blockToken(token, depth)}</Fragment>);
}

function blockToken(token: Token, depth: number): ComponentChildren {
  if (depth > DEEPEST) return <p>{token.raw}</p>;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Tag = (["h3", "h3", "h4", "h5", "h6", "h6"] as const)[(token as Tokens.Heading).depth - 1] ?? "h6";
      return <Tag dir="auto">{inline(token.tokens, depth + 1)}</Tag>;
    }
    case "paragraph":
      return <p dir="auto">{inline(token.tokens, depth + 1)}</p>;
    case "text":
      return "tokens" in token && token.tokens ? <>{inline(token.tokens, depth + 1)}</> : <>{decodeReferences(token.text as string)}</>;
    case "blockquote":
      return <blockquote dir="auto">{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case "hr":
      return <hr />;
    case "code":
      return <Code text={token.text as string} language={(token as Tokens.Code).lang ?? ""} />;
    case "list": {
      const list = token as Tokens.List;
      const entries = list.items.map((item, index) => (
        <li key={index} class={item.task ? "task" : undefined} dir="auto">
          {blocks(item.tokens, depth + 1)}
        </li>
      ));
      return list.ordered ? <ol start={list.start === "" || list.start === 1 ? undefined : list.start}>{entries}</ol> : <ul>{entries}</ul>;
    }
    case "table":
      return <MarkdownTable table={token as Tokens.Table} depth={depth} />;
    case "html":
      return <p dir="auto">{token.raw.trim()}</p>;
    default:
      return <>{inlineToken(token, depth + 1)}</>;
  }
}

function MarkdownTable({ table, depth }: { table: Tokens.Table; depth: number }): JSX.Element {
  const kinds = table.header.map((_, index) => {
    const side = table.align[index];
    if (side) return side === "right" ? "number" : side === "center" ? "center" : undefined;
    const cells = table.rows.map((row) => row[index]?.text.trim() ?? "").filter(Boolean);
    const amounts = cells.length > 0 && cells.every((cell) => isAmount(cell)) && cells.some((cell) => /[.,]\d|\p{Sc}|%/u.test(cell));
    return amounts ? "number" : undefined;
  });
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("shared.table")}>
      <table class="answer-table" dir="auto">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" class={kinds[index]}>
                <span class="cell">{inline(cell.tokens, depth + 1)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={kinds[index] ?? (cell.text.length <= 14 ? "tight" : undefined)}>
                  <span class="cell">{inline(cell.tokens, depth + 1)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ text, language }: { text: string; language: string }): JSX.Element {
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{/^[\w+#.-]{1,20}/.exec(language)?.[0] ?? ""}</span>
        <CopyButton text={text} />
      </div>
      <pre dir="ltr" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** One block; while an answer streams only the last one changes. */
const Block = memo(
  ({ token }: { token: Token }) => <>{blockToken(token, 0)}</>,
  (before, after) => before.token.type === after.token.type && before.token.raw === after.token.raw,
);

/** Markdown as nodes: HTML in it is text, pictures are their words, links lead out of the page only. */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }): JSX.Element {
  const growing = useRef<GrowingBlocks | null>(null);
  const tokens = streaming ? (growing.current ??= new GrowingBlocks()).read(text) : blocksOf(text);
  return (
    <div class="markdown" dir="auto">
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
}
