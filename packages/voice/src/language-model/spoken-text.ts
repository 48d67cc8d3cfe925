import type { ToolCall } from './language-model.ts';
import { endOfJson, isToolCall, toolCallsIn } from './text-tool-calls.ts';

interface Mark {
  kind: 'thought' | 'end_of_thought' | 'tool_calls';
  open: string;
  /** Null: until the end of the answer. */
  close: string | null;
}

const thoughtTags = ['think', 'thinking', 'thought', 'reasoning', 'seed:think'];
const toolTags = ['tool_call', 'tool_calls', 'function_call', 'function_calls', 'tool_use', 'tools'];
/** How models mark what is not meant to be spoken. In lower case. */
const marks: readonly Mark[] = [
  ...thoughtTags.map((tag) => ({ kind: 'thought' as const, open: `<${tag}>`, close: `</${tag}>` })),
  ...thoughtTags.map((tag) => ({ kind: 'end_of_thought' as const, open: `</${tag}>`, close: null })),
  { kind: 'thought', open: '[think]', close: '[/think]' },
  ...toolTags.map((tag) => ({ kind: 'tool_calls' as const, open: `<${tag}>`, close: `</${tag}>` })),
  { kind: 'tool_calls', open: '<function=', close: '</function>' },
  { kind: 'tool_calls', open: '<|tool_call|>', close: null },
  { kind: 'tool_calls', open: '[tool_calls]', close: null },
  { kind: 'tool_calls', open: '<|python_tag|>', close: null },
  { kind: 'tool_calls', open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
];
const longestMark = Math.max(...marks.map(({ open, close }) => Math.max(open.length, close?.length ?? 0)));
/** Nobody says a brace before a quotation mark. */
const jsonBegin = /(?:```\w*\s*)?(?:\[\s*)?\{\s*"/;
/** Text at the end that may become one of these. */
const mayBegin = /(?:`{1,3}\w*\s*)?(?:\[\s*)?(?:\{\s*)?$/;
/** A longer piece of JSON, or of thoughts without their first tag, is cut. */
const heldAtMost = 65_536;

/**
 * Takes thoughts, and tool calls that the server did not recognize, out of the text of an answer.
 * @param options `tools`: the names of the tools that the model was offered; null if the answer itself is JSON. `thinksFirst`: the answer begins with
 * thoughts, because the tag that opens them is part of the server's prompt
 */
export function createSpokenText(options: { tools: readonly string[] | null; thinksFirst: boolean }) {
  const tools = options.tools ?? [];
  const readsJson = options.tools !== null;
  let waiting = '';
  let open: Mark | null = null;
  let isThinking = options.thinksFirst;
  let hasThoughtFirst = false;
  let dropped = 0;
  const calls: ToolCall[] = [];

  function hideToolCalls(text: string): void {
    const found = toolCallsIn(text, tools);
    const known = found.filter(({ name }) => tools.includes(name));
    dropped += Math.max(1, found.length) - known.length;
    for (const call of known) calls.push({ ...call, id: `text_${calls.length}` });
  }

  /** Drops hidden text up to its end. False if its end has not come yet. */
  function closeMark({ kind, open: begin, close }: Mark, isLast: boolean): boolean {
    const at = close === null ? -1 : waiting.toLowerCase().indexOf(close);
    if (at < 0 && !isLast && (kind === 'thought' || waiting.length < heldAtMost)) {
      if (kind === 'thought') waiting = waiting.slice(-longestMark);
      return false;
    }
    const text = at < 0 ? waiting : waiting.slice(0, at);
    if (kind === 'tool_calls') hideToolCalls(begin.endsWith('=') ? `${begin}${text}` : text);
    waiting = at < 0 ? '' : waiting.slice(at + (close ?? '').length);
    return true;
  }

  /** Takes the JSON at the front. Returns it if it is not a tool call; null if its end has not come yet. */
  function takeJson(isLast: boolean): string | null {
    const end = endOfJson(waiting, waiting.search(/[[{]/));
    if (end === null && !isLast && waiting.length < heldAtMost) return null;
    const text = waiting.slice(0, end ?? waiting.length);
    waiting = waiting.slice(text.length);
    if (end === null ? toolCallsIn(text, tools).length === 0 : !isToolCall(text, tools)) return text;
    waiting = waiting.replace(/^\s*```/, '');
    hideToolCalls(text);
    return '';
  }

  /** Waits for the end of thoughts that no tag has opened. False if it has not come yet. */
  function endThinking(isLast: boolean): boolean {
    const closing = firstMark(waiting, ({ kind }) => kind === 'end_of_thought');
    waiting =
      closing === null ? waiting.slice(-heldAtMost) : waiting.slice(closing.at + closing.mark.open.length);
    hasThoughtFirst ||= closing !== null;
    return closing !== null || isLast;
  }

  function take(isLast: boolean): string {
    let spoken = '';
    for (;;) {
      if (isThinking && !endThinking(isLast)) return '';
      isThinking = false;
      if (open !== null && !closeMark(open, isLast)) return spoken;
      open = null;
      const found = firstMark(waiting, () => true);
      const json = readsJson ? jsonBegin.exec(waiting) : null;
      if (json !== null && json.index < (found?.at ?? Infinity)) {
        spoken += waiting.slice(0, json.index);
        waiting = waiting.slice(json.index);
        const text = takeJson(isLast);
        if (text === null) return spoken;
        spoken += text;
      } else if (found !== null) {
        spoken += waiting.slice(0, found.at);
        waiting = waiting.slice(found.at + found.mark.open.length);
        if (found.mark.kind !== 'end_of_thought') {
          open = found.mark;
          continue;
        }
        spoken = '';
        hasThoughtFirst = true;
      } else {
        const until = isLast ? waiting.length : certainLength(waiting, readsJson);
        spoken += waiting.slice(0, until);
        waiting = waiting.slice(until);
        return spoken;
      }
    }
  }

  return {
    /** Returns what is spoken, as far as that is certain. */
    add(text: string): string {
      waiting += text;
      return take(false);
    },
    /** The end of the answer. `dropped`: how many tool calls could not be read, or name no tool that was offered. */
    end(): { text: string; calls: ToolCall[]; dropped: number } {
      return { text: take(true), calls, dropped };
    },
    /** The answer began with thoughts that no tag has opened. */
    hasThoughtFirst: () => hasThoughtFirst,
  };
}

function firstMark(text: string, isWanted: (mark: Mark) => boolean): { mark: Mark; at: number } | null {
  const lower = text.toLowerCase();
  let first: { mark: Mark; at: number } | null = null;
  for (const mark of marks.filter(isWanted)) {
    const at = lower.indexOf(mark.open);
    if (at >= 0 && at < (first?.at ?? Infinity)) first = { mark, at };
  }
  return first;
}

/** The length of the text before anything that more text may turn into a mark. */
function certainLength(text: string, readsJson: boolean): number {
  const until = readsJson ? text.search(mayBegin) : text.length;
  const lower = text.toLowerCase();
  for (let at = Math.max(0, text.length - longestMark); at < until; at += 1) {
    const end = lower.slice(at);
    if (marks.some(({ open }) => open.startsWith(end))) return at;
  }
  return until;
}
