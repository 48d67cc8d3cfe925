import { agentVoice } from '@outdial/contracts';
import {
  type CallNote,
  chatEndpoint,
  type ChatFigures,
  type Conversation,
  type ConversationStep,
  createConversation,
  type ModelFailedError,
  type Tool,
  withFallbacks,
} from '@outdial/voice';
import { Agent } from 'undici';
import { afterAll } from 'vitest';
import { type ModelRequest, scriptedModel } from '../../support/voice/scripted-model.ts';

export interface Talk {
  conversation: Conversation;
  notes: CallNote[];
  failures: ModelFailedError[];
  figures: ChatFigures[];
  /** Requests to the first endpoint. */
  requests: ModelRequest[];
  say: (text: string, signal?: AbortSignal) => Promise<ConversationStep[]>;
}

type Script = Parameters<typeof scriptedModel>[0];

/** A conversation with scripted models: one script for each endpoint, in the order in which they are tried. */
export async function talk(
  scripts: Script | readonly [Script, ...Script[]],
  options: {
    voice?: object;
    prompt?: string;
    promptParams?: Record<string, string>;
    mitigation?: string;
    harmfulIntents?: unknown[];
    tools?: readonly Tool[];
    /** How long the first endpoint may be silent. The others may be for as long as possible, because a busy machine answers slowly. */
    silentMs?: number;
  } = {},
): Promise<Talk> {
  const voice = agentVoice.parse({ mode: 'cascade', llm: { timeout_ms: 30_000 }, ...options.voice });
  const list = isList(scripts) ? scripts : [scripts];
  const servers = await Promise.all(list.map((script) => scriptedModel(script)));
  const connections = new Agent();
  const [notes, failures, figures]: [CallNote[], ModelFailedError[], ChatFigures[]] = [[], [], []];
  afterAll(async () => {
    await connections.destroy();
    await Promise.all(servers.map((server) => server.close()));
  });
  const endpoints = servers.map(({ url }, index) =>
    chatEndpoint({
      endpoint: { name: `model${index}`, url, key: 'the-key', model: 'scripted' },
      settings: {
        temperature: null,
        silentMs: index === 0 ? (options.silentMs ?? voice.llm.timeout_ms) : voice.llm.timeout_ms,
      },
      connections,
      onFigures: (each) => figures.push(each),
    }),
  );
  const conversation = createConversation({
    agent: {
      prompt: options.prompt ?? 'You are Anna.',
      mitigation: options.mitigation ?? '',
      harmfulIntents: options.harmfulIntents ?? [],
    },
    voice,
    promptParams: options.promptParams ?? {},
    model: withFallbacks(endpoints, {
      nowMs: () => performance.now(),
      onFailure: (failure) => failures.push(failure),
    }),
    tools: options.tools ?? [],
    note: (note) => notes.push(note),
    onFault: (error) => {
      throw error;
    },
  });
  return {
    conversation,
    notes,
    failures,
    figures,
    requests: servers[0]?.requests ?? [],
    say: (text, signal = new AbortController().signal) => Array.fromAsync(conversation.reply(text, signal)),
  };
}

/** Whether it is a list of scripts, and not one script. */
function isList(scripts: Script | readonly [Script, ...Script[]]): scripts is readonly [Script, ...Script[]] {
  return Array.isArray(scripts) && (Array.isArray(scripts[0]) || typeof scripts[0] === 'function');
}

export const words = (steps: readonly ConversationStep[]): string[] =>
  steps.flatMap((step) => (step.kind === 'say' ? [step.text] : []));
