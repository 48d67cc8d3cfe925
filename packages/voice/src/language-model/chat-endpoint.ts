import type { VoiceEndpoint } from '@outdial/runtime';
import { createParser } from 'eventsource-parser';
import { type Dispatcher, errors } from 'undici';
import { send } from '../models/connections.ts';
import { ModelFailedError, type ModelFailure } from '../models/model-failed-error.ts';
import { readJson } from '../read-json.ts';
import { chatChunk, type ChatChunk, type Dialect, refusal, requestBody } from './chat-protocol.ts';
import { type ChatFigures, type ChatPart, type ChatRequest } from './language-model.ts';
import { gatherToolCalls } from './gather-tool-calls.ts';

/** No spoken answer is longer. */
const answerBytesAtMost = 1_048_576;
const refusalBytesAtMost = 65_536;
/** The limit for a whole answer, even if it never pauses. */
const answerMsAtMost = 60_000;

export interface ChatEndpoint {
  name: string;
  answer(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
}

/**
 * Streams the answers of one endpoint.
 * @param args `silentMs`: how long the endpoint may send nothing, before the first part and between parts
 */
export function chatEndpoint(args: {
  endpoint: VoiceEndpoint;
  settings: { temperature: number | null; silentMs: number };
  connections: Dispatcher;
  onFigures?: ((figures: ChatFigures) => void) | undefined;
}): ChatEndpoint {
  const { endpoint, settings, connections } = args;
  const { name, model } = endpoint;
  const dialect: Dialect = { tokensField: 'max_tokens', answerFormat: true };
  const { silentMs } = settings;
  const failed = (reason: ModelFailure, cause?: unknown) =>
    new ModelFailedError(name, reason, { cause, silentMs });

  async function open(request: ChatRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    for (;;) {
      const tried = { ...dialect };
      const answer = await send(`${endpoint.url}/chat/completions`, {
        method: 'POST',
        dispatcher: connections,
        signal,
        headersTimeout: silentMs,
        bodyTimeout: silentMs,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(endpoint.key !== null && { authorization: `Bearer ${endpoint.key}` }),
        },
        body: JSON.stringify(requestBody(request, { ...settings, model }, tried)),
      });
      if (answer.statusCode === 200) return answer;
      const text = await shortText(answer.body);
      if (answer.statusCode !== 400 || !adapt(dialect, tried, { text, request })) {
        throw failed(`status_${answer.statusCode}`);
      }
    }
  }

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    const answer = await open(request, signal).catch((error: unknown) => {
      throw error instanceof ModelFailedError ? error : failed(reasonOf(error) ?? 'unreachable', error);
    });
    const calls = gatherToolCalls();
    let firstPartMs: number | null = null;
    let finished = false;
    let usage: ChatChunk['usage'] = null;
    for await (const chunk of chunksOf(answer.body, failed)) {
      if (chunk.error != null) throw failed('broke_off');
      usage = chunk.usage ?? usage;
      const [choice] = chunk.choices ?? [];
      const text = choice?.delta?.content ?? '';
      const callParts = choice?.delta?.tool_calls ?? [];
      if (text !== '' || callParts.length > 0) firstPartMs ??= elapsedMs();
      calls.add(callParts);
      if (choice?.finish_reason != null) finished = true;
      if (text !== '') yield { kind: 'text', text };
    }
    // A connection that closes early also ends the stream.
    if (!finished) throw failed('broke_off');
    const whole = calls.all();
    if (whole.length > 0) yield { kind: 'tool_calls', calls: whole };
    const totalMs = elapsedMs();
    args.onFigures?.({
      endpoint: name,
      firstPartMs: firstPartMs ?? totalMs,
      totalMs,
      promptTokens: usage?.prompt_tokens ?? null,
      answerTokens: usage?.completion_tokens ?? null,
    });
  }

  return {
    name,
    async *answer(request, signal) {
      const late = AbortSignal.timeout(answerMsAtMost);
      try {
        yield* stream(request, AbortSignal.any([signal, late]));
      } catch (error) {
        if (signal.aborted) return;
        if (late.aborted) throw failed('too_long', error);
        throw error instanceof ModelFailedError ? error : failed(reasonOf(error) ?? 'broke_off', error);
      }
    },
  };
}

/** Adapts the dialect to a refusal. Returns false if no other dialect is left to try. */
function adapt(dialect: Dialect, tried: Dialect, said: { text: string; request: ChatRequest }): boolean {
  const param = readJson(refusal, said.text)?.error.param ?? '';
  if (tried.tokensField === 'max_tokens' && param === 'max_tokens') {
    dialect.tokensField = 'max_completion_tokens';
    return true;
  }
  if (tried.answerFormat && said.request.answerSchema !== undefined) {
    dialect.answerFormat = false;
    return true;
  }
  return false;
}

function reasonOf(error: unknown): ModelFailure | null {
  const wasSilent = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  return wasSilent ? 'silent_too_long' : null;
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  failed: (reason: ModelFailure) => ModelFailedError,
): AsyncGenerator<ChatChunk> {
  const arrived: string[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event.data) });
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > answerBytesAtMost) throw failed('too_long');
    parser.feed(decoder.decode(part, { stream: true }));
    for (const data of arrived.splice(0)) {
      if (data.trim() === '[DONE]') return;
      const chunk = readJson(chatChunk, data);
      if (chunk === null) throw failed('not_understood');
      yield chunk;
    }
  }
}

async function shortText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > refusalBytesAtMost) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
