import type { ServerResponse } from 'node:http';
import { agentVoice } from '@outdial/contracts';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDialects, type Dialects } from '../language-model/index.ts';
import { modelServer, type ModelServer } from '../models/model-server.fixture.ts';
import { endCallTool, optOutTool } from '../tools/call-tools.ts';
import { type CallNote, defineTool } from '../tools/tool.ts';
import { createConversation } from './create-conversation.ts';
import { modelOf } from './model-of-agent.ts';

export interface ChatBody {
  messages: Array<Record<string, unknown> & { role: string }>;
  [field: string]: unknown;
}

/** The reaction of a server to one request: the chunks of its stream, the bytes of its answer, or a refusal. */
export type Reaction = object[] | string | { status: number; body: unknown };

export const chunk = (delta: unknown, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export const called = (name: string, given: unknown, more: object = {}) => ({
  index: 0,
  id: `call_${name}_${JSON.stringify(given).length}`,
  type: 'function',
  function: { name, arguments: given },
  ...more,
});

export const isAfterTool = ({ messages }: ChatBody) => messages.at(-1)?.role === 'tool';
export const goesOn = [chunk({ content: 'After the tools.' }, 'stop')];

function react(response: ServerResponse, reaction: Reaction): void {
  if (typeof reaction === 'string') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reaction);
  } else if (Array.isArray(reaction)) {
    const events = reaction.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${events}data: [DONE]\n\n`);
  } else {
    response
      .writeHead(reaction.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(reaction.body));
  }
}

/** A conversation with a real server that reacts to each request as given, and with tools that write down what they got. */
export async function talkWith(
  habit: (body: ChatBody) => Reaction,
  options: {
    dialects?: Dialects;
    temperature?: number;
    pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  } = {},
) {
  const bodies: ChatBody[] = [];
  const server: ModelServer = await modelServer({
    llm(response, { body }) {
      // The client has just written it.
      const asked = JSON.parse(body.toString()) as ChatBody;
      bodies.push(asked);
      react(response, habit(asked));
    },
  });
  const connections = new Agent();
  onTestFinished(() => connections.destroy());
  const ran: string[] = [];
  const notes: CallNote[] = [];
  const run = (tool: string) => (input: object) => {
    ran.push(`${tool} ${JSON.stringify(input)}`);
    return Promise.resolve({ text: 'Noted.' });
  };
  const { temperature, dialects = createDialects() } = options;
  const endpoint = { name: 'llm', url: server.url('llm'), key: null, model: 'm' };
  const voice = agentVoice.parse({ mode: 'cascade', llm: { timeout_ms: 30_000, temperature } });
  const conversation = createConversation({
    agent: { prompt: 'You are Anna.', mitigation: '', harmfulIntents: [] },
    voice,
    promptParams: {},
    model: modelOf(
      { endpoints: new Map([['llm', endpoint]]), connections, dialects },
      voice,
      () => undefined,
    ),
    tools: [
      defineTool({
        name: 'note',
        description: 'Notes a text',
        input: z.strictObject({ text: z.string(), more: z.string().optional() }),
        run: run('note'),
      }),
      defineTool({ name: 'ping', description: 'Pings', input: z.strictObject({}), run: run('ping') }),
      defineTool({
        name: 'book',
        description: 'Books a table',
        input: z.strictObject({}),
        runsToEnd: true,
        run: run('book'),
      }),
      endCallTool(),
      optOutTool(async (reason) => void ran.push(`opt_out ${reason}`)),
    ],
    ...(options.pause && { pause: options.pause }),
    note: (note) => notes.push(note),
    onFault(error) {
      throw error;
    },
  });
  return {
    conversation,
    ran,
    notes,
    bodies,
    say: async (text = 'Hello?', signal = new AbortController().signal) => {
      const steps = await Array.fromAsync(conversation.reply(text, signal));
      return steps.flatMap((step) => {
        if (step.kind === 'say') return [step.text];
        return step.kind === 'end_call' ? [`(ends: ${step.reason})`] : [];
      });
    },
  };
}
