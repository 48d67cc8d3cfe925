import type { VoiceEndpoint } from '@outdial/runtime';
import { createParser } from 'eventsource-parser';
import { type Dispatcher, errors } from 'undici';
import { send } from '../models/connections.ts';
import { ModelFailedError, type ModelFailure } from '../models/model-failed-error.ts';
import { readJson } from '../read-json.ts';
import { chatChunk, type ChatChunk, gatherOwnFields, requestBody } from './chat-protocol.ts';
import { afterRefusal, createDialects, type Dialects } from './dialect.ts';
import { type ChatFigures, type ChatPart, type ChatRequest } from './language-model.ts';
import { gatherToolCalls } from './gather-tool-calls.ts';
import { createSpokenText } from './spoken-text.ts';

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
  /** What was learned of the server on other calls. */
  dialects?: Dialects | undefined;
  onFigures?: ((figures: ChatFigures) => void) | undefined;
}): ChatEndpoint {
  const { endpoint, settings, connections, dialects = createDialects() } = args;
  const { name, model } = endpoint;
  const dialect = dialects.of(endpoint);
  const { silentMs } = settings;
  const failed = (reason: ModelFailure, cause?: unknown) =>
    new ModelFailedError(name, reason, { cause, silentMs });

  async function open(request: ChatRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const learned = dialect.read();
    const uses = {
      temperature: settings.temperature !== null,
      answerFormat: request.answerSchema !== undefined,
      ownFields: request.messages.some((each) => each.role === 'assistant' && each.own?.endpoint === name),
    };
    for (let tried = learned; ;) {
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
        body: JSON.stringify(requestBody(request, { ...settings, endpoint: name, model }, tried)),
      });
      if (answer.statusCode === 200) {
        if (tried !== learned) dialect.learn(tried);
        return answer;
      }
      const text = await shortText(answer.body);
      const isAboutForm = answer.statusCode === 400 || answer.statusCode === 422;
      const next = isAboutForm ? afterRefusal(tried, text, uses) : null;
      if (next === null) throw failed(`status_${answer.statusCode}`);
      tried = next;
    }
  }

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    const answer = await open(request, signal).catch((error: unknown) => {
      throw error instanceof ModelFailedError ? error : failed(reasonOf(error) ?? 'unreachable', error);
    });
    const calls = gatherToolCalls();
    const own = gatherOwnFields();
    const spoken = createSpokenText({
      tools: request.answerSchema === undefined ? request.tools.map((tool) => tool.name) : null,
      thinksFirst: dialect.read().thinksFirst,
    });
    let firstPartMs: number | null = null;
    let usage: ChatChunk['usage'] = null;
    for await (const chunk of chunksOf(answer, failed)) {
      if (chunk.error != null) throw failed('broke_off');
      usage = chunk.usage ?? usage;
      const [choice] = chunk.choices ?? [];
      const delta = choice?.delta ?? choice?.message;
      if (delta == null) continue;
      own.add(delta);
      calls.add(delta.tool_calls ?? []);
      const text = spoken.add((delta.content ?? '') + (delta.refusal ?? ''));
      if (text !== '' || (delta.tool_calls ?? []).length > 0) firstPartMs ??= elapsedMs();
      if (text !== '') yield { kind: 'text', text };
    }
    const rest = spoken.end();
    if (rest.text !== '') yield { kind: 'text', text: rest.text };
    if (spoken.hasThoughtFirst()) dialect.learn({ ...dialect.read(), thinksFirst: true });
    for (let nth = 0; nth < rest.dropped; nth += 1) yield { kind: 'tool_call_dropped' };
    const gathered = calls.all();
    const whole = [
      ...gathered.map(({ id, name: tool, arguments: given }) => ({ id, name: tool, arguments: given })),
      ...rest.calls,
    ];
    if (whole.length > 0) yield { kind: 'tool_calls', calls: whole, own: own.of(name, gathered) };
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

function reasonOf(error: unknown): ModelFailure | null {
  const wasSilent = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  return wasSilent ? 'silent_too_long' : null;
}

/**
 * The chunks of an answer, of which the server has said that it is complete: with a reason to finish, or with `[DONE]`. A connection that closes early
 * also ends the stream.
 */
async function* chunksOf(
  { headers, body }: Dispatcher.ResponseData,
  failed: (reason: ModelFailure) => ModelFailedError,
): AsyncGenerator<ChatChunk> {
  const arrived: string[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event.data) });
  const decoder = new TextDecoder();
  // Some servers do not stream, whatever they are asked.
  const isWhole = String(headers['content-type'] ?? '').includes('application/json');
  let whole = '';
  let isComplete = false;
  let isDone = false;
  let hasEnded = false;
  let bytes = 0;

  function* read(): Generator<ChatChunk, void, void> {
    for (const data of arrived.splice(0)) {
      if (data.trim() === '') continue;
      if (data.trim() === '[DONE]') {
        isComplete = true;
        isDone = true;
        return;
      }
      const chunk = readJson(chatChunk, data);
      if (chunk === null) throw failed(hasEnded ? 'broke_off' : 'not_understood');
      if ((chunk.choices?.[0]?.finish_reason ?? '') !== '') isComplete = true;
      yield chunk;
    }
  }

  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > answerBytesAtMost) throw failed('too_long');
    const text = decoder.decode(part, { stream: true });
    if (isWhole) whole += text;
    else parser.feed(text);
    yield* read();
    if (isDone) return;
  }
  // The last event may lack the empty line that ends it.
  if (isWhole) arrived.push(whole);
  else parser.feed('\n\n');
  hasEnded = !isWhole;
  yield* read();
  if (!isComplete) throw failed('broke_off');
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
