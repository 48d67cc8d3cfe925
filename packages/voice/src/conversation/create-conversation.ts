import type { AgentVoice } from '@outdial/contracts';
import { renderPrompt } from '@outdial/core';
import type { ChatMessage, LanguageModel, ToolCall } from '../language-model/index.ts';
import { runTool, type ToolEnd } from '../tools/run-tool.ts';
import type { CallNote, Tool } from '../tools/tool.ts';
import { readAfterwards } from './after-call.ts';
import type { Conversation, ConversationStep } from './conversation.ts';
import { createHistory, type AnsweredCall, type OpenAnswer } from './history.ts';
import { sentences } from './sentences.ts';
import { systemMessage, type SpokenPrompt } from './system-message.ts';

export interface ConversationParts {
  agent: SpokenPrompt;
  voice: AgentVoice;
  promptParams: Readonly<Record<string, string>>;
  model: LanguageModel;
  /** In the order in which the model is told of them. */
  tools: readonly Tool[];
  /** What the law has the call say before the greeting; null for nothing. */
  disclosure?: string | null;
  /** An entry for the call's record. */
  note: (note: CallNote) => void;
  /** A fault of this service; the conversation goes on. */
  onFault: (error: unknown) => void;
  onToolEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
}

/** After this many rounds of tools in one answer, the model has to speak. */
const toolRoundsAtMost = 6;
const callsARoundAtMost = 8;

/** A dialogue with a chat model. Everything about it is in memory: it ends with the process that holds the call. */
export function createConversation(parts: ConversationParts): Conversation {
  const { voice, promptParams, model } = parts;
  const tools = new Map(parts.tools.map((tool) => [tool.declaration.name, tool]));
  const history = createHistory();
  const system: ChatMessage = {
    role: 'system',
    content: systemMessage(parts.agent, {
      promptParams,
      language: voice.language,
      toolNames: [...tools.keys()],
    }),
  };
  const rendered = (text: string) => renderPrompt(text, promptParams).text;
  const aloud = (text: string) => {
    history.openAnswer().say(text);
    return text;
  };

  /** What the model says, sentence by sentence; returns the tools that it asks for. */
  async function* speak(
    answer: OpenAnswer,
    offered: readonly Tool[],
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, ToolCall[]> {
    const cutter = sentences(voice.language);
    let calls: ToolCall[] = [];
    const request = {
      messages: [system, ...history.messages()],
      tools: offered.map((tool) => tool.declaration),
      maxTokens: voice.llm.max_tokens,
    };
    for await (const part of model.answer(request, signal)) {
      if (part.kind === 'tool_calls') calls = part.calls.slice(0, callsARoundAtMost);
      else yield* said(answer, cutter.add(part.text));
    }
    if (signal.aborted) return [];
    yield* said(answer, cutter.rest());
    return calls;
  }

  /** Runs the tools of one round; true where one of them ends the answer. */
  async function* work(
    answer: OpenAnswer,
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, boolean> {
    const answered: AnsweredCall[] = [];
    try {
      for (const call of calls) {
        yield { kind: 'working', tool: call.name };
        const outcome = await runTool(tools, call, {
          signal,
          onFault: parts.onFault,
          onEnd: parts.onToolEnd,
        });
        answered.push({ ...call, result: outcome.text });
        if (outcome.note !== undefined) parts.note(outcome.note);
        if (signal.aborted) return true;
        if (outcome.step === undefined) continue;
        yield outcome.step;
        if (outcome.step.kind !== 'send_dtmf') return true;
      }
      return false;
    } finally {
      // A model takes no history in which a call has no answer.
      const left = calls.slice(answered.length).map((call) => ({ ...call, result: 'It was not begun.' }));
      answer.called([...answered, ...left]);
    }
  }

  async function* respond(signal: AbortSignal): AsyncGenerator<ConversationStep> {
    const answer = history.openAnswer();
    for (let round = 0; !signal.aborted; round++) {
      const offered = round < toolRoundsAtMost ? parts.tools : [];
      const calls = yield* speak(answer, offered, signal);
      if (calls.length === 0 || offered.length === 0) return;
      if (yield* work(answer, calls, signal)) return;
    }
  }

  return {
    greeting() {
      const greeting = voice.greeting === null ? null : rendered(voice.greeting);
      const words = [parts.disclosure, greeting].filter((one) => one != null).join(' ');
      return Promise.resolve(words === '' ? null : aloud(words));
    },
    reply(heard, signal) {
      history.person(heard);
      return respond(signal);
    },
    told(words, signal) {
      history.person(words);
      return respond(signal);
    },
    heard: (text) => history.heard(text),
    keysPressed(digits, signal) {
      history.keys(digits);
      return respond(signal);
    },
    idle(nth) {
      const prompt = voice.idle.prompts[nth - 1];
      return prompt === undefined ? null : aloud(rendered(prompt));
    },
    voicemail() {
      if (voice.voicemail.action !== 'leave_message') return null;
      const words = [parts.disclosure, rendered(voice.voicemail.message)].filter((one) => one != null);
      return words.join(' ');
    },
    wrapUp: (signal) => readAfterwards({ voice, model, said: history.said(), note: parts.note }, signal),
  };
}

function* said(answer: OpenAnswer, pieces: readonly string[]): Generator<ConversationStep> {
  for (const text of pieces) {
    answer.say(text);
    yield { kind: 'say', text };
  }
}
