import { Lexer, type Token } from "marked";

/** Deeper quotes and lists, or more emphasis, are no writing but an attempt to stall the parser. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){30}/m;
const MAX_EMPHASIS_MARKS = 600;

/** The blocks of a text with all that is in them; `undefined` when it has to be shown as it stands. */
export function lexDocument(text: string): Token[] | undefined {
  if ((text.match(/[*_~]+/g)?.length ?? 0) > MAX_EMPHASIS_MARKS) return undefined;
  return lexed(text, () => new Lexer({ gfm: true }).lex(text));
}

/** The blocks alone: cheap enough to be done for each piece of a stream. */
export function lexBlocks(text: string): readonly Token[] {
  const tokens = lexed(text, () => new Lexer({ gfm: true }).blockTokens(text, [])) ?? [];
  const covered = tokens.reduce((length, { raw }) => length + raw.length, 0);
  return covered === text.length ? tokens : [{ type: "unknown", raw: text }];
}

function lexed(text: string, lex: () => Token[]): Token[] | undefined {
  if (TOO_DEEP.test(text)) return undefined;
  try {
    return lex();
  } catch {
    return undefined;
  }
}
