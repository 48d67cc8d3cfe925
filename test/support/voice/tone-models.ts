import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const speechRate = 24_000;

/**
 * The three kinds of models behind the protocol of OpenAI, for tests without real speech: speech is a tone of 60 ms per word, and the recognizer
 * returns the next item of `hears`.
 */
export async function startToneModels(script: {
  hears?: readonly string[];
  answers?: (words: string) => { say: string; tool?: string };
  /** The delay of the chat model. */
  thinkMs?: number;
  /** While it returns true, requests of the kind are answered with 500. */
  isDown?: (path: string) => boolean;
}): Promise<{ url: string }> {
  const heard = [...(script.hears ?? [])];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (script.isDown?.(request.url ?? '') === true) {
      request.resume();
      response.writeHead(500).end();
      return;
    }
    if (request.url === '/v1/audio/transcriptions') {
      request.resume();
      return json(response, { text: heard.shift() ?? '' });
    }
    const body = JSON.parse(await text(request)) as Asked;
    if (request.url === '/v1/audio/speech') {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(tone(body.input.split(' ').length * 60));
      return;
    }
    if (script.thinkMs !== undefined) await delay(script.thinkMs);
    chat(body, response);
  }

  function chat({ messages, response_format: format }: Asked, response: ServerResponse): void {
    const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const answer =
      format !== undefined
        ? { say: '{"summary":"A short call."}' }
        : messages.at(-1)?.role === 'tool'
          ? { say: '' }
          : (script.answers?.(words) ?? { say: 'Well.' });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    send({ content: answer.say });
    if (answer.tool !== undefined) {
      const call = { name: answer.tool, arguments: '{}' };
      send({ tool_calls: [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }] });
    }
    send({}, answer.tool === undefined ? 'stop' : 'tool_calls');
    response.end('data: [DONE]\n\n');
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1` };
}

interface Asked {
  input: string;
  messages: Array<{ role: string; content: string }>;
  response_format?: unknown;
}

function tone(ms: number): Buffer {
  const samples = new Int16Array((speechRate * ms) / 1_000);
  for (let at = 0; at < samples.length; at += 1) {
    samples[at] = Math.round(8_000 * Math.sin((2 * Math.PI * 300 * at) / speechRate));
  }
  return Buffer.from(samples.buffer);
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
