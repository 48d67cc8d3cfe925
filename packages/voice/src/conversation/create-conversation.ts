import type { AgentVoice } from '@outdial/contracts';
import { farewellAfterOptOut, phrasesFor } from './phrases.ts';
import type { ChatMessage, LanguageModel, ServerFields, ToolCall } from '../language-model/index.ts';
import { inOrder, runTool, type ToolEnd } from '../tools/run-tool.ts';
import type { CallNote, Tool } from '../tools/tool.ts';
import { extractAfterCall } from './after-call.ts';
import type { Conversation, ConversationStep } from './conversation.ts';
import { createHistory, type AnsweredCall, type OpenAnswer } from './history.ts';
import { prepareReply } from './prepared-reply.ts';
import { scriptedLines } from './scripted-lines.ts';
import { sentences, splitSentences } from './sentences.ts';
import { systemMessage, type SpokenPrompt } from './system-message.ts';
import { type Pause, untilSure } from './until-sure.ts';

export interface ConversationParts {
  agent: SpokenPrompt;
  voice: AgentVoice;
  promptParams: Readonly<Record<string, string>>;
  model: LanguageModel;
  /** In the order in which the model sees them. */
  tools: readonly Tool[];
  /** The text that the agent must say before the greeting, by law. */
  disclosure?: string | null;
  /** Takes entries for the call's record. */
  note: (note: CallNote) => void;
  /** A tool threw an error. The conversation continues. */
  onFault: (error: unknown) => void;
  onToolEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
  pause?: Pause;
}

/** After this many rounds of tools in one answer, the model gets no tools. */
export const toolRoundsAtMost = 6;
/** The result of a tool call that came after the end of the answer. */
export const notCalled = 'The tool was not run.';
const callsARoundAtMost = 8;

/** A dialogue with a chat model. Keeps its state only in memory. */
export function createConversation(parts: ConversationParts): Conversation {
  const { voice, model } = parts;
  const tools = new Map(parts.tools.map((tool) => [tool.declaration.name, tool]));
  const lines = scriptedLines(parts);
  const history = createHistory();
  let askedAt = -Infinity;
  let hasLeft = false;
  let hasOptedOut = false;
  let beginning: string | null = null;
  const system: ChatMessage = { role: 'system', content: systemMessage(parts) };

  /** Notes a scripted line in the history. */
  function said(line: string | null): string | null {
    if (line !== null) history.openAnswer().say(line);
    return line;
  }

  /** Yields the model's answer sentence by sentence, and returns the tools that it calls. */
  async function* speak(
    answer: OpenAnswer,
    offered: readonly Tool[],
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, { calls: ToolCall[]; own: ServerFields | null }> {
    const cutter = sentences(voice.language);
    const called: { calls: ToolCall[]; own: ServerFields | null } = { calls: [], own: null };
    const request = {
      messages: [system, ...history.messages()],
      tools: offered.map((tool) => tool.declaration),
      maxTokens: voice.llm.max_tokens,
    };
    for await (const part of model.answer(request, signal)) {
      if (part.kind === 'text') yield* say(answer, cutter.add(part.text));
      if (part.kind === 'tool_call_dropped') parts.note({ type: 'tool_call_dropped' });
      if (part.kind !== 'tool_calls') continue;
      called.calls = inOrder(part.calls, tools).slice(0, callsARoundAtMost);
      called.own = part.own ?? null;
    }
    if (signal.aborted) return { calls: [], own: null };
    yield* say(answer, cutter.rest());
    return called;
  }

  /** Runs the tools of one round. Returns true if one of them ends the answer. */
  async function* runTools(
    answer: OpenAnswer,
    { calls, own }: { calls: readonly ToolCall[]; own: ServerFields | null },
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, boolean> {
    const answered: AnsweredCall[] = [];
    try {
      for (const call of calls) {
        if (hasLeft && tools.get(call.name)?.runsFirst !== true) break;
        yield { kind: 'working', tool: call.name };
        await untilSure(tools.get(call.name), askedAt, { ...parts, signal });
        if (signal.aborted && tools.get(call.name)?.runsToEnd === true) return true;
        const outcome = await runTool(tools, call, { ...parts, signal });
        answered.push({ ...call, result: outcome.text });
        if (outcome.note !== undefined) parts.note(outcome.note);
        hasOptedOut ||= outcome.hasOptedOut === true;
        if (hasOptedOut || signal.aborted || hasLeft) return true;
        if (outcome.step === undefined) continue;
        yield outcome.step;
        if (outcome.step.kind !== 'send_dtmf') return true;
      }
      return hasLeft;
    } finally {
      // Models reject a history in which a call has no result.
      const left = calls.slice(answered.length).map((call) => ({ ...call, result: notCalled }));
      answer.called([...answered, ...left], own);
    }
  }

  async function* respond(signal: AbortSignal): AsyncGenerator<ConversationStep> {
    const answer = history.openAnswer();
    if (hasOptedOut) {
      yield* sayFarewell(answer);
      return;
    }
    if (beginning !== null) yield* say(answer, splitSentences(beginning, voice.language));
    beginning = null;
    for (let round = 0; !signal.aborted; round++) {
      const offered = round < toolRoundsAtMost ? parts.tools : [];
      const called = yield* speak(answer, offered, signal);
      if (called.calls.length === 0 || offered.length === 0) return;
      if (!(yield* runTools(answer, called, signal))) continue;
      if (hasOptedOut && !signal.aborted && !hasLeft) yield* sayFarewell(answer);
      return;
    }
  }

  function* sayFarewell(answer: OpenAnswer): Generator<ConversationStep> {
    for (const step of farewellAfterOptOut(voice.language)) {
      if (step.kind === 'say') answer.say(step.text);
      yield step;
    }
  }

  async function* reply(text: string, signal: AbortSignal): AsyncGenerator<ConversationStep> {
    history.person(text);
    askedAt = performance.now();
    let isSilent = true;
    for await (const step of respond(signal)) {
      isSilent = false;
      yield step;
    }
    // No model had an answer. The person must not wait in silence.
    if (isSilent && !signal.aborted && !hasLeft) {
      yield* say(history.openAnswer(), [phrasesFor(voice.language).pardon]);
    }
  }

  return {
    greeting: () => Promise.resolve(said(lines.greeting)),
    reply,
    prepare: (heard) => prepareReply({ reply: (signal) => reply(heard, signal), forget: history.mark() }),
    replyToEvent: reply,
    replyToKeys(digits, signal) {
      history.keys(digits);
      return respond(signal);
    },
    beginWith(text) {
      beginning = text;
    },
    heard: (text) => history.heard(text),
    goesOn: (rest) => void said(rest),
    idle: (nth) => said(lines.idle(nth)),
    voicemail: () => lines.voicemail,
    left() {
      hasLeft = true;
    },
    wrapUp: (signal) => extractAfterCall({ voice, model, said: history.said(), note: parts.note }, signal),
  };
}

function* say(answer: OpenAnswer, pieces: readonly string[]): Generator<ConversationStep> {
  for (const text of pieces) {
    answer.say(text);
    yield { kind: 'say', text };
  }
}
