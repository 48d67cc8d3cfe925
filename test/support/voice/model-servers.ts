import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, json as jsonOf } from 'node:stream/consumers';
import type { SpeechPrograms } from './find-speech.ts';
import { agentSays, understand } from './speech.ts';

/** The reaction of the scripted chat model: it speaks or calls a tool. */
export type ChatAnswer = { say: string } | { say?: string; tool: string; input?: object };

export interface ModelServers {
  /** The base URL of all three, with `/v1`. */
  url: string;
  /** The recognized speech of the person, in order. */
  heard(): string[];
  /** The length of each recognized audio, in seconds. */
  givenSeconds(): number[];
  /** The kinds of requests that currently fail. */
  down: { stt: boolean; tts: boolean; llm: boolean };
  close(): Promise<void>;
}

interface Asked {
  messages: Array<{ role: string; content: string }>;
  response_format?: unknown;
}

export const speechRate = 24_000;

/** espeak-ng, pocketsphinx and a scripted chat model behind the protocol of OpenAI. */
export async function startModelServers(
  programs: SpeechPrograms,
  args: {
    /** All phrases that the person may say. */
    phrases: readonly string[];
    answer: (lastWords: string, results: readonly string[]) => ChatAnswer;
    /** The data that the chat model extracts from a finished conversation. */
    afterwards?: string;
  },
): Promise<ModelServers> {
  const heard: string[] = [];
  const givenSeconds: number[] = [];
  const down = { stt: false, tts: false, llm: false };
  const served = await serveModels({
    ...args,
    async hears(wav) {
      // The header of the file has its byte rate and its own length.
      givenSeconds.push((wav.length - 44) / wav.readUInt32LE(28));
      const text = await understand(programs, args.phrases, wav);
      heard.push(text);
      return text;
    },
    speaks: (text) => agentSays(programs, text, speechRate),
    isDown: (part) => down[part],
  });
  return { ...served, heard: () => heard, givenSeconds: () => givenSeconds, down };
}

/** A recognizer, a voice and a chat model behind the protocol of OpenAI. */
export async function serveModels(models: {
  hears(wav: Buffer): Promise<string> | string;
  /** Samples at `speechRate`. */
  speaks(text: string): Promise<Int16Array> | Int16Array;
  answer(lastWords: string, results: readonly string[]): Promise<ChatAnswer> | ChatAnswer;
  afterwards?: string;
  /** Requests of this kind are answered with 500. */
  isDown?: ((part: keyof ModelServers['down']) => boolean) | undefined;
}): Promise<{ url: string; close: () => Promise<void> }> {
  async function transcriptions(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await new Response(await buffer(request), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    if (!(file instanceof Blob)) throw new Error('no file');
    const text = await models.hears(Buffer.from(await file.arrayBuffer()));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text }));
  }

  async function speech(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { input } = (await jsonOf(request)) as { input: string };
    const samples = await models.speaks(input);
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    // Like real servers, sends chunks that split samples.
    for (let at = 0; at < bytes.length; at += 4_097) response.write(bytes.subarray(at, at + 4_097));
    response.end();
  }

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages, response_format: format } = (await jsonOf(request)) as Asked;
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const answer: ChatAnswer =
      format === undefined
        ? await models.answer(words, messages.at(-1)?.role === 'tool' ? results : [])
        : { say: models.afterwards ?? '{"summary":"A short call."}' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    for (const word of (answer.say ?? '').split(/(?<= )/)) if (word !== '') send({ content: word });
    if ('tool' in answer) {
      const call = { name: answer.tool, arguments: JSON.stringify(answer.input ?? {}) };
      send({ tool_calls: [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }] });
    }
    send({}, 'tool' in answer ? 'tool_calls' : 'stop');
    response.end('data: [DONE]\n\n');
  }

  const routes = {
    '/v1/audio/transcriptions': { part: 'stt', serve: transcriptions },
    '/v1/audio/speech': { part: 'tts', serve: speech },
    '/v1/chat/completions': { part: 'llm', serve: chat },
  } as const;
  const server = createServer((request, response) => {
    const route = Object.entries(routes).find(([path]) => path === request.url)?.[1];
    if (route === undefined || models.isDown?.(route.part) === true) {
      request.resume();
      response.writeHead(route === undefined ? 404 : 500).end();
      return;
    }
    route.serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
