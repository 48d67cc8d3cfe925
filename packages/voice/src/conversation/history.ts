import type { ChatMessage, ServerFields, ToolCall } from '../language-model/index.ts';
import { splitWords } from '../split-words.ts';

/** About six thousand tokens. The model gets them with every request. */
const lettersAtMost = 24_000;
/** In characters, for a turn of the person and for the result of a tool. */
const entryAtMost = 4_000;
const transcriptAtMost = 60_000;
const keysBegin = '[pressed';
const keysAtMost = 200;

export interface Said {
  role: 'agent' | 'person';
  text: string;
}

interface AgentEntry {
  kind: 'agent';
  text: string;
  calls: readonly AnsweredCall[];
  own: ServerFields | null;
}

type Entry = { kind: 'person'; text: string } | AgentEntry;

export interface AnsweredCall extends ToolCall {
  result: string;
}

export interface OpenAnswer {
  /** Does nothing once the answer was cut. */
  say(sentence: string): void;
  /** Adds the results of tools, even if the answer was cut, because the tools have run. */
  called(calls: readonly AnsweredCall[], own?: ServerFields | null): void;
}

/** The words of both sides of a call, for the model and for the extract. */
export function createHistory() {
  const entries: Entry[] = [];
  let answer: { entries: AgentEntry[]; isCut: boolean } = { entries: [], isCut: true };

  return {
    person(text: string) {
      entries.push({ kind: 'person', text: text.slice(0, entryAtMost) });
    },
    /** Adds keys. Consecutive keys are one turn. */
    keys(digits: string) {
      const keys = digits.split('').join(' ');
      const last = entries.at(-1);
      if (last?.kind !== 'person' || !last.text.startsWith(keysBegin)) {
        entries.push({ kind: 'person', text: `${keysBegin} ${keys}]` });
        return;
      }
      last.text = `${last.text.slice(0, -1)} ${keys}]`.slice(-keysAtMost);
    },
    openAnswer(): OpenAnswer {
      const own: typeof answer = { entries: [], isCut: false };
      answer = own;
      const begin = () => {
        const entry: AgentEntry = { kind: 'agent', text: '', calls: [], own: null };
        own.entries.push(entry);
        entries.push(entry);
        return entry;
      };
      let entry: AgentEntry | null = null;
      return {
        say(sentence) {
          if (own.isCut) return;
          entry ??= begin();
          entry.text = entry.text === '' ? sentence : `${entry.text} ${sentence}`;
        },
        called(calls, serverFields = null) {
          entry ??= begin();
          entry.own = serverFields;
          entry.calls = calls.map((call) => ({ ...call, result: call.result.slice(0, entryAtMost) }));
          entry = null;
        },
      };
    },
    /** Returns a function that removes everything that was added since, and closes the last answer. */
    mark(): () => void {
      const { length } = entries;
      return () => {
        answer.isCut = true;
        entries.length = length;
      };
    },
    /** Cuts the last answer to the words that were heard, and closes it. */
    heard(text: string) {
      answer.isCut = true;
      let left = splitWords(text).length;
      for (const entry of answer.entries) {
        const words = splitWords(entry.text);
        if (words.length > left) entry.text = words.slice(0, left).join(' ');
        left -= Math.min(left, words.length);
      }
    },
    /** The newest turns within the limit. Never begins in the middle of a turn. */
    messages(): ChatMessage[] {
      const turns: ChatMessage[][] = [];
      let letters = 0;
      for (const turn of turnsOf(entries).toReversed()) {
        const isCurrent = turns.length === 0;
        const messages = turn.flatMap((entry) => messagesOf(entry, isCurrent));
        letters += messages.reduce((sum, message) => sum + sizeOf(message), 0);
        if (letters > lettersAtMost && turns.length > 0) break;
        turns.unshift(messages);
      }
      return turns.flat();
    },
    /** All that was said, oldest first. Drops the beginning of a very long conversation. */
    said(): Said[] {
      const said = entries
        .map(({ kind, text }): Said => ({ role: kind, text }))
        .filter(({ text }) => text !== '');
      let letters = 0;
      const from = said.findLastIndex(({ text }) => (letters += text.length) > transcriptAtMost);
      return said.slice(from + 1);
    },
  };
}

/** Groups entries into turns that begin with the person. The first one may be a greeting. */
function turnsOf(entries: readonly Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    const turn = turns.at(-1);
    if (turn === undefined || entry.kind === 'person') turns.push([entry]);
    else turn.push(entry);
  }
  return turns;
}

/** @param isCurrent servers want their own fields back within a turn only */
function messagesOf(entry: Entry, isCurrent: boolean): ChatMessage[] {
  if (entry.kind === 'person') return [{ role: 'user', content: entry.text }];
  const { text, calls, own } = entry;
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  const toolCalls = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  return [
    { role: 'assistant', content: text, toolCalls, own: isCurrent ? own : null },
    ...calls.map((call): ChatMessage => ({ role: 'tool', toolCallId: call.id, content: call.result })),
  ];
}

function sizeOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return message.content.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);
}
