import { extractAfterCall } from '../conversation/after-call.ts';
import type { ConversationStep, RealtimeConversation, SpokenItem } from '../conversation/conversation.ts';
import { type ConversationParts, notCalled, toolRoundsAtMost } from '../conversation/create-conversation.ts';
import { createHistory, type OpenAnswer } from '../conversation/history.ts';
import { farewellAfterOptOut } from '../conversation/phrases.ts';
import { scriptedLines } from '../conversation/scripted-lines.ts';
import { untilSure } from '../conversation/until-sure.ts';
import {
  type ChatMessage,
  type LanguageModel,
  ModelFailedError,
  type ToolCall,
} from '../language-model/index.ts';
import { withoutMarks } from '../models/transcript-marks.ts';
import { inOrder, runTool } from '../tools/run-tool.ts';
import { untranscribed } from '../turn/words.ts';
import type { RealtimeSession } from './realtime-session.ts';

/** A shorter unheard rest is not worth a correction that the server may reject. */
const leastCutMs = 20;

/**
 * Uses the tools, history and record of a text conversation. The words of an item are known only once it was spoken.
 * @param open opens the connection when it is first needed
 */
export function createRealtimeConversation(
  parts: Omit<ConversationParts, 'model'>,
  open: () => RealtimeSession,
): RealtimeConversation {
  const { voice } = parts;
  const tools = new Map(parts.tools.map((tool) => [tool.declaration.name, tool]));
  const lines = scriptedLines(parts);
  const history = createHistory();
  let session: RealtimeSession | null = null;
  let isClosed = false;
  let askedAt = -Infinity;
  let hasLeft = false;
  let hasOptedOut = false;
  let beginning: string | null = null;
  let answer: OpenAnswer = history.openAnswer();
  /** The items that the model has spoken in the current answer, in order. */
  let items: SpokenItem[] = [];
  /** Items whose words are not in the history yet. */
  let unwritten = new Set<SpokenItem>();
  /** The model's last rendering of each scripted line. There are few of them. */
  const scripted = new Map<string, SpokenItem>();

  function connected(): RealtimeSession {
    if (isClosed) throw new Error('the call is over');
    session ??= open();
    return session;
  }

  /** Begins an answer to the words that `listen` adds to the history. */
  function beginAnswer(listen?: () => void): void {
    writeWords();
    items = [];
    listen?.();
    answer = history.openAnswer();
  }

  function writeWords(): void {
    for (const item of unwritten) if (item.text().trim() !== '') answer.say(item.text().trim());
    unwritten = new Set();
  }

  function said(line: string | null): string | null {
    if (line === null) return null;
    beginAnswer();
    answer.say(line);
    return line;
  }

  async function* respond(signal: AbortSignal): AsyncGenerator<ConversationStep> {
    if (hasOptedOut) {
      yield* sayFarewell();
      return;
    }
    if (beginning !== null) {
      answer.say(beginning);
      yield { kind: 'say', text: beginning };
      beginning = null;
    }
    for (let round = 0; !signal.aborted; round += 1) {
      let calls: ToolCall[] = [];
      const options = round < toolRoundsAtMost ? {} : { tool_choice: 'none' };
      for await (const part of connected().respond(signal, options)) {
        if (part.kind === 'tool_calls') calls = inOrder(part.calls, tools);
        if (part.kind !== 'item') continue;
        items.push(part.item);
        unwritten.add(part.item);
        yield { kind: 'say', text: part.item.text(), sound: part.item };
      }
      if (signal.aborted || calls.length === 0) return;
      writeWords();
      if (!(yield* runTools(calls, signal))) continue;
      if (hasOptedOut && !signal.aborted && !hasLeft) yield* sayFarewell();
      return;
    }
  }

  function* sayFarewell(): Generator<ConversationStep> {
    for (const step of farewellAfterOptOut(voice.language)) {
      if (step.kind === 'say') answer.say(step.text);
      yield step;
    }
  }

  /** Runs the tools of one round. Returns true if one of them ends the answer. */
  async function* runTools(
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, boolean> {
    let isEnd = false;
    for (const call of calls) {
      const tool = tools.get(call.name);
      const isVoid = isEnd || (hasLeft && tool?.runsFirst !== true);
      if (!isVoid && !signal.aborted) {
        yield { kind: 'working', tool: call.name };
        await untilSure(tool, askedAt, { ...parts, signal });
      }
      if (isVoid || signal.aborted) {
        await connected().sendToolResult(call.id, notCalled);
        continue;
      }
      const outcome = await runTool(tools, call, { ...parts, signal });
      answer.called([{ ...call, result: outcome.text }]);
      await connected().sendToolResult(call.id, outcome.text);
      if (outcome.note !== undefined) parts.note(outcome.note);
      hasOptedOut ||= outcome.hasOptedOut === true;
      isEnd = hasOptedOut;
      if (hasOptedOut || outcome.step === undefined || signal.aborted) continue;
      yield outcome.step;
      isEnd = outcome.step.kind !== 'send_dtmf';
    }
    return isEnd || hasLeft || signal.aborted;
  }

  /** Writes the extract and the summary with the same model, outside the conversation. */
  const writer: LanguageModel = {
    async *answer({ messages }, signal) {
      const options = {
        conversation: 'none',
        output_modalities: ['text'],
        tool_choice: 'none',
        ...inputOf(messages),
      };
      try {
        for await (const part of connected().respond(signal, options)) if (part.kind === 'text') yield part;
      } catch (error) {
        throw new ModelFailedError(voice.llm.endpoint, 'broke_off', { cause: error });
      }
    },
  };

  return {
    greeting: () => Promise.resolve(said(lines.greeting)),
    reply(heard, signal) {
      beginAnswer(() => history.person(heard));
      askedAt = performance.now();
      return respond(signal);
    },
    async *replyToEvent(text, signal) {
      beginAnswer(() => history.person(text));
      await connected().sendText(text);
      yield* respond(signal);
    },
    async *replyToKeys(digits, signal) {
      beginAnswer(() => history.keys(digits));
      await connected().sendText(`[pressed ${digits.split('').join(' ')}]`);
      yield* respond(signal);
    },
    beginWith(text) {
      beginning = text;
    },
    heard(text, playedMs = 0) {
      writeWords();
      history.heard(text);
      let from = 0;
      for (const item of items) {
        const heardMs = playedMs - from;
        if (heardMs < item.ms() - leastCutMs) session?.truncate(item.id, heardMs);
        from += item.ms();
      }
    },
    goesOn: (rest) => void said(rest),
    idle: (nth) => said(lines.idle(nth)),
    voicemail: () => lines.voicemail,
    left() {
      hasLeft = true;
      session?.left();
    },
    wrapUp(signal) {
      writeWords();
      return extractAfterCall({ voice, model: writer, said: history.said(), note: parts.note }, signal);
    },
    async transcribe(samples, signal, late) {
      const text = await connected().sendSpeech(samples, signal, late);
      return text === null ? untranscribed : withoutMarks(text);
    },
    async *speak(text, signal) {
      const options = {
        instructions: `Say exactly the following, word for word, and nothing before or after it: ${text}`,
        tool_choice: 'none',
      };
      for await (const part of connected().respond(signal, options)) {
        if (part.kind !== 'item') continue;
        items.push(part.item);
        scripted.set(text, part.item);
        yield* part.item.samples(signal);
      }
    },
    wordsSaid(text) {
      const words = scripted.get(text)?.text().trim() ?? '';
      return words === '' ? null : words;
    },
    close() {
      isClosed = true;
      session?.close();
    },
  };
}

function inputOf(messages: readonly ChatMessage[]): object {
  const [system, ...others] = messages;
  return {
    instructions: system?.content ?? '',
    input: others.map(({ role, content }) => ({
      type: 'message',
      role: role === 'assistant' ? 'assistant' : 'user',
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }],
    })),
  };
}
