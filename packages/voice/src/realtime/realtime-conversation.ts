import { renderPrompt } from '@outdial/core';
import { readAfterwards } from '../conversation/after-call.ts';
import type { Conversation, ConversationStep } from '../conversation/conversation.ts';
import type { ConversationParts } from '../conversation/create-conversation.ts';
import { createHistory, type OpenAnswer } from '../conversation/history.ts';
import {
  type ChatMessage,
  type LanguageModel,
  ModelFailedError,
  type ToolCall,
} from '../language-model/index.ts';
import { runTool } from '../tools/run-tool.ts';
import type { RealtimeSession } from './realtime-session.ts';
import type { SpokenItem } from './speech-stream.ts';

/** The conversation with a model that hears and speaks, and the two things that it does itself. */
export interface RealtimeConversation extends Conversation {
  transcribe(samples: Int16Array, signal: AbortSignal): Promise<string>;
  /** Says what was agreed in advance: a greeting, an apology. */
  speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array<ArrayBuffer>, void, void>;
  /** What the model has made of a text that it was to say; null if it says nothing of that. */
  wordsSaid(text: string): string | null;
  close(): void;
}

const toolRoundsAtMost = 6;
/** The model has heard it, though it was not written down. */
const unwritten = '…';

/**
 * The same tools, history and record as a conversation by text. The words of an item are known only when it was spoken.
 * @param open opens the connection when it is first needed
 */
export function createRealtimeConversation(
  parts: Omit<ConversationParts, 'model'>,
  open: () => RealtimeSession,
): RealtimeConversation {
  const { voice, promptParams } = parts;
  const tools = new Map(parts.tools.map((tool) => [tool.declaration.name, tool]));
  const history = createHistory();
  const rendered = (text: string) => renderPrompt(text, promptParams).text;
  let session: RealtimeSession | null = null;
  let isClosed = false;
  /** Of the answer that goes on: what the model has said, in its order. */
  let items: SpokenItem[] = [];
  let answer: OpenAnswer = history.openAnswer();
  let unsaid = new Set<SpokenItem>();
  /** What the model last made of a text that it was given word for word. There are few of them. */
  const agreed = new Map<string, SpokenItem>();

  function connected(): RealtimeSession {
    if (isClosed) throw new Error('the call is over');
    session ??= open();
    return session;
  }

  function begin(): void {
    flush();
    items = [];
    answer = history.openAnswer();
  }

  /** Its words are known when they were spoken. */
  function flush(): void {
    for (const item of unsaid) if (item.text().trim() !== '') answer.say(item.text().trim());
    unsaid = new Set();
  }

  async function* respond(signal: AbortSignal): AsyncGenerator<ConversationStep> {
    for (let round = 0; !signal.aborted; round += 1) {
      let calls: ToolCall[] = [];
      const ask = round < toolRoundsAtMost ? {} : { tool_choice: 'none' };
      for await (const part of connected().respond(signal, ask)) {
        if (part.kind === 'tool_calls') calls = part.calls;
        if (part.kind !== 'item') continue;
        items.push(part.item);
        unsaid.add(part.item);
        yield { kind: 'say', text: part.item.text(), sound: part.item };
      }
      if (signal.aborted || calls.length === 0) return;
      flush();
      if (yield* work(calls, signal)) return;
    }
  }

  /** Runs the tools of one round; true where one of them ends the answer. */
  async function* work(
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ): AsyncGenerator<ConversationStep, boolean> {
    let isEnd = false;
    for (const call of calls) {
      if (isEnd || signal.aborted) {
        await connected().answerTool(call.id, 'It was not begun.');
        continue;
      }
      yield { kind: 'working', tool: call.name };
      const outcome = await runTool(tools, call, {
        signal,
        onFault: parts.onFault,
        onEnd: parts.onToolEnd,
      });
      answer.called([{ ...call, result: outcome.text }]);
      await connected().answerTool(call.id, outcome.text);
      if (outcome.note !== undefined) parts.note(outcome.note);
      if (outcome.step === undefined || signal.aborted) continue;
      yield outcome.step;
      isEnd = outcome.step.kind !== 'send_dtmf';
    }
    return isEnd || signal.aborted;
  }

  function aloud(words: string): string {
    begin();
    answer.say(words);
    return words;
  }

  /** Extract and summary, of the same model, in words and beside the conversation. */
  const writer: LanguageModel = {
    async *answer({ messages }, signal) {
      const ask = {
        conversation: 'none',
        output_modalities: ['text'],
        tool_choice: 'none',
        ...inputOf(messages),
      };
      try {
        for await (const part of connected().respond(signal, ask)) if (part.kind === 'text') yield part;
      } catch (error) {
        throw new ModelFailedError(voice.llm.endpoint, 'broke_off', { cause: error });
      }
    },
  };

  return {
    greeting() {
      const greeting = voice.greeting === null ? null : rendered(voice.greeting);
      const words = [parts.disclosure, greeting].filter((one) => one != null).join(' ');
      return Promise.resolve(words === '' ? null : aloud(words));
    },
    reply(heard, signal) {
      begin();
      history.person(heard);
      answer = history.openAnswer();
      return respond(signal);
    },
    async *told(words, signal) {
      begin();
      history.person(words);
      answer = history.openAnswer();
      await connected().tell(words);
      yield* respond(signal);
    },
    heard(text, playedMs = 0) {
      flush();
      history.heard(text);
      let from = 0;
      for (const item of items) {
        const left = playedMs - from;
        // What is shorter than a frame is not worth a correction that the server may refuse.
        if (left < item.ms() - 20) session?.truncate(item.id, left);
        from += item.ms();
      }
    },
    async *keysPressed(digits, signal) {
      begin();
      history.keys(digits);
      answer = history.openAnswer();
      await connected().tell(`[pressed ${digits.split('').join(' ')}]`);
      yield* respond(signal);
    },
    idle(nth) {
      const prompt = voice.idle.prompts[nth - 1];
      return prompt === undefined ? null : aloud(rendered(prompt));
    },
    voicemail() {
      if (voice.voicemail.action !== 'leave_message') return null;
      return [parts.disclosure, rendered(voice.voicemail.message)].filter((one) => one != null).join(' ');
    },
    wrapUp: (signal) => {
      flush();
      return readAfterwards({ voice, model: writer, said: history.said(), note: parts.note }, signal);
    },
    transcribe: async (samples, signal) => (await connected().hear(samples, signal)) ?? unwritten,
    async *speak(text, signal) {
      const ask = {
        instructions: `Say exactly the following, word for word, and nothing before or after it: ${text}`,
        tool_choice: 'none',
      };
      for await (const part of connected().respond(signal, ask)) {
        if (part.kind !== 'item') continue;
        items.push(part.item);
        agreed.set(text, part.item);
        yield* part.item.samples(signal);
      }
    },
    wordsSaid(text) {
      const words = agreed.get(text)?.text().trim() ?? '';
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
