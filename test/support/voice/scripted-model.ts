import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const request = z.looseObject({
  model: z.string().optional(),
  stream: z.literal(true),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string().nullable(),
      tool_calls: z
        .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string() }) }))
        .optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z
    .array(z.object({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
    .optional(),
  response_format: z.unknown().optional(),
});

export type ModelRequest = z.output<typeof request> & { authorization: string | undefined };

/** The reaction of the model to one request. */
export interface ScriptedAnswer {
  say?: string;
  tools?: ReadonlyArray<{ name: string; arguments?: object | string }>;
  /** Refuses, with this body. */
  status?: number;
  body?: unknown;
  /** The connection breaks after this many letters. */
  cutAfter?: number;
  /** Stalls after this many letters. */
  hangAfter?: number;
}

export interface ScriptedModel {
  url: string;
  requests: ModelRequest[];
  /** Resolves when the nth request, from 1, has arrived. */
  close(): Promise<void>;
}

/**
 * A real server of the chat-completions protocol with scripted answers: the next item of a list, or the result of a function of the request.
 * Validates requests like hosted models, and answers 400 to invalid ones.
 */
export async function scriptedModel(
  script: readonly ScriptedAnswer[] | ((request: ModelRequest) => ScriptedAnswer),
): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const read = request.safeParse(JSON.parse(await text(incoming)));
      const fault =
        incoming.url === '/v1/chat/completions' ? (read.success ? faultOf(read.data) : 'form') : 'path';
      if (!read.success || fault !== null) return refuse(response, 400, { error: { message: fault } });
      const asked = { ...read.data, authorization: incoming.headers.authorization };
      requests.push(asked);
      const answer = typeof script === 'function' ? script(asked) : script[requests.length - 1];
      if (answer === undefined) return refuse(response, 500, { error: { message: 'the script has ended' } });
      if (answer.status !== undefined) return refuse(response, answer.status, answer.body ?? {});
      return speak(response, answer);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Hosted models refuse a history with a tool call without an answer, or an answer without a call. */
function faultOf({ messages }: z.output<typeof request>): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) return 'a tool answer has no call';
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return 'a call of a tool has no answer';
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? 'a call of a tool has no answer' : null;
}

function refuse(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Streams letter by letter, with the arguments of tools in pieces. */
function speak(response: ServerResponse, answer: ScriptedAnswer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  send({ role: 'assistant', content: '' });
  const letters = Array.from(answer.say ?? '');
  const until = answer.cutAfter ?? answer.hangAfter ?? letters.length;
  for (const letter of letters.slice(0, until)) send({ content: letter });
  if (answer.hangAfter !== undefined) return;
  if (answer.cutAfter !== undefined) {
    // Flushes first, because a connection that is destroyed at once loses its unsent data.
    setImmediate(() => response.destroy());
    return;
  }
  for (const [index, tool] of (answer.tools ?? []).entries()) {
    const given = typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments ?? {});
    const half = Math.ceil(given.length / 2);
    const id = `call_${Math.random().toString(36).slice(2)}`;
    send({ tool_calls: [{ index, id, type: 'function', function: { name: tool.name, arguments: '' } }] });
    send({ tool_calls: [{ index, function: { arguments: given.slice(0, half) } }] });
    send({ tool_calls: [{ index, function: { arguments: given.slice(half) } }] });
  }
  send({}, (answer.tools ?? []).length > 0 ? 'tool_calls' : 'stop');
  response.write(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}
