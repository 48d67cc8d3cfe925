import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { createSampleReader } from '../audio/samples.ts';
import type { ModelChoice, ModelEndpoints } from './endpoints.ts';
import { post } from './post.ts';
import { firstChannel, type SpeechFormat, speechFormat } from './speech-format.ts';

interface SpeechLimits {
  /** The limit before the first bytes, and between chunks. */
  silentMs: number;
  /** No piece of an answer is longer. */
  longestMs: number;
  /** Notices silence. */
  startTimer?: (onSilence: () => void, silentMs: number) => SilenceTimer;
}

interface SilenceTimer {
  /** Starts the time again. */
  refresh(): void;
  stop(): void;
}

const speechLimits: SpeechLimits = { silentMs: 4_000, longestMs: 180_000 };

function startSilenceTimer(onSilence: () => void, silentMs: number): SilenceTimer {
  const timer = setTimeout(onSilence, silentMs);
  return { refresh: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

export interface SpeechSettings extends ModelChoice {
  voice?: string | undefined;
  speed?: number | undefined;
}

/** Streams speech as samples of a telephone line, from OpenAI's `POST /audio/speech`. */
export async function* speak(
  endpoints: ModelEndpoints,
  settings: SpeechSettings,
  text: string,
  signal: AbortSignal,
  { silentMs, longestMs, startTimer = startSilenceTimer }: SpeechLimits = speechLimits,
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  let abort = new AbortController();
  const fellSilent = () => abort.abort(new Error('the voice fell silent'));
  const watch = startTimer(fellSilent, silentMs);
  let speaker: string | null = null;
  try {
    // Fallbacks are tried only until the first bytes: after that, the person would hear two voices.
    const { first, rest, format } = await endpoints.ask(
      settings,
      signal,
      async (endpoint) => {
        // Each endpoint gets the full time.
        abort = new AbortController();
        watch.refresh();
        const { body, type } = await post(endpoint, '/audio/speech', {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            ...(endpoint.model !== null && { model: endpoint.model }),
            input: text,
            voice: settings.voice ?? 'alloy',
            ...(settings.speed !== undefined && { speed: settings.speed }),
            response_format: 'pcm',
          }),
          signal: AbortSignal.any([signal, abort.signal, AbortSignal.timeout(silentMs + longestMs)]),
          connections: endpoints.connections,
        });
        // A stream without an encoding yields buffers.
        const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const begun = await readBeginning(reader, type);
        speaker = endpoint.name;
        return { ...begun, rest: reader };
      },
      { begins: true },
    );
    yield* lineSamples(first, rest, { format, onBytes: () => watch.refresh(), longestMs });
    if (speaker !== null) endpoints.note(speaker, true);
  } catch (error) {
    // Speech that breaks off counts as a failure too.
    if (speaker !== null && !signal.aborted) endpoints.note(speaker, false);
    throw error;
  } finally {
    watch.stop();
    abort.abort();
  }
}

/**
 * Reads until the format is known, and returns the first bytes of the samples.
 * @throws RequestRefusedError if they cannot be played
 */
async function readBeginning(
  reader: AsyncIterator<Uint8Array>,
  type: string,
): Promise<{ first: Uint8Array; format: SpeechFormat }> {
  let bytes: Uint8Array = new Uint8Array();
  for (;;) {
    const chunk = await reader.next();
    const isAll = chunk.done === true;
    if (!isAll) bytes = bytes.length === 0 ? chunk.value : Buffer.concat([bytes, chunk.value]);
    if (isAll && bytes.length === 0) throw new Error('the voice said nothing');
    const format = speechFormat(bytes, type, { isAll });
    if (format !== null) return { first: bytes.subarray(format.from), format };
  }
}

/** Converts the bytes of an answer to samples of a line. */
async function* lineSamples(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  { format, onBytes, longestMs }: { format: SpeechFormat; onBytes: () => void; longestMs: number },
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const read = createSampleReader();
  const mono = firstChannel(format.channels);
  const resampler = createResampler(format.rate, lineRate);
  let madeMs = 0;
  let left = format.length ?? Infinity;
  for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
    onBytes();
    const samples = resampler.push(mono(read(chunk.subarray(0, left))));
    left -= Math.min(left, chunk.length);
    madeMs += (samples.length / lineRate) * 1_000;
    if (madeMs > longestMs) throw new Error('the voice does not end');
    if (samples.length > 0) yield samples;
    const next = await rest.next();
    chunk = next.done === true ? undefined : next.value;
  }
  const last = resampler.end();
  if (last.length > 0) yield last;
}
