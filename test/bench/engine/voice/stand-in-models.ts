import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { voiceLike } from '../../../support/voice/voice-like.ts';

const speechRate = 24_000;
/** How long a hosted model takes to begin its answer. */
const thinkMs = 300;
const wordMs = 150;
const answer = 'That is a good question. We are open from nine to five on every day of the week but Sunday.';
const longestSentenceWords = 40;

const asked = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullable() })),
});
const toSpeak = z.object({ input: z.string() });

export interface StandInModels {
  url: string;
  /** How long the chat model took for its last answer to a caller, whose name is in the prompt. */
  thoughtMs(caller: string): number;
  close(): Promise<void>;
}

/** The three models of a conversation, in this process. The time that they take is logged, so that it can be subtracted. */
export async function openStandInModels(): Promise<StandInModels> {
  const thoughts = new Map<string, number>();
  const sound = Buffer.from(voiceLike(longestSentenceWords * wordMs, speechRate).buffer);

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const { messages } = asked.parse(JSON.parse(await text(request)));
    await sleep(thinkMs);
    const caller = /caller-\d+/.exec(messages[0]?.content ?? '')?.[0] ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    thoughts.set(caller, performance.now() - began);
    for (const word of answer.split(/(?<= )/)) send({ content: word });
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  }

  async function speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { input } = toSpeak.parse(JSON.parse(await text(request)));
    const ms = Math.min(input.split(/\s+/).length, longestSentenceWords) * wordMs;
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    response.end(sound.subarray(0, (ms / 1_000) * speechRate * 2));
  }

  async function recognize(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ text: 'When are you open?' }));
  }

  const routes: Record<string, typeof chat> = {
    '/v1/chat/completions': chat,
    '/v1/audio/speech': speak,
    '/v1/audio/transcriptions': recognize,
  };
  const server = createServer((request, response) => {
    const serve = routes[request.url ?? ''];
    if (serve === undefined) {
      response.writeHead(404).end();
      return;
    }
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`,
    thoughtMs: (caller) => thoughts.get(caller) ?? Number.NaN,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
