import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { createSampleReader } from '../audio/samples.ts';
import type { ModelChoice, ModelEndpoints } from './endpoints.ts';
import { post } from './post.ts';

/** What `response_format: pcm` means: 16-bit samples of one channel at this rate. */
const speechRate = 24_000;
const speechLimits = {
  /** The first bytes come by then, and none is further from the one before. */
  silentMs: 4_000,
  /** Longer than any piece that is said in one go. */
  longestMs: 180_000,
};

export interface SpeechSettings extends ModelChoice {
  voice?: string | undefined;
  speed?: number | undefined;
}

/** Speech in samples of a telephone line, as it is made. `POST /audio/speech` of OpenAI's protocol. */
export async function* speak(
  endpoints: ModelEndpoints,
  settings: SpeechSettings,
  text: string,
  signal: AbortSignal,
  { silentMs, longestMs } = speechLimits,
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  let abort = new AbortController();
  const fellSilent = () => abort.abort(new Error('the voice fell silent'));
  const watch = setTimeout(fellSilent, silentMs);
  let speaker: string | null = null;
  try {
    // Another endpoint can stand in until the first bytes are there; after that the person would hear two voices.
    const { first, rest } = await endpoints.ask(
      settings,
      signal,
      async (endpoint) => {
        // The silence of one endpoint does not take the next one's time.
        abort = new AbortController();
        watch.refresh();
        const body = await post(endpoint, '/audio/speech', {
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
        // Without an encoding a stream of bytes gives buffers.
        const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const chunk = await reader.next();
        if (chunk.done === true) throw new Error('the voice said nothing');
        speaker = endpoint.name;
        return { first: chunk.value, rest: reader };
      },
      { begins: true },
    );
    yield* lineSamples(first, rest, { onBytes: () => watch.refresh(), longestMs });
    if (speaker !== null) endpoints.note(speaker, true);
  } catch (error) {
    // What begins to speak and breaks off does not work either.
    if (speaker !== null && !signal.aborted) endpoints.note(speaker, false);
    throw error;
  } finally {
    clearTimeout(watch);
    abort.abort();
  }
}

/** The samples of a line, out of the bytes of an answer. */
async function* lineSamples(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  { onBytes, longestMs }: { onBytes: () => void; longestMs: number },
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const read = createSampleReader();
  const resampler = createResampler(speechRate, lineRate);
  let madeMs = 0;
  for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
    onBytes();
    const samples = resampler.push(read(chunk));
    madeMs += (samples.length / lineRate) * 1_000;
    if (madeMs > longestMs) throw new Error('the voice does not end');
    if (samples.length > 0) yield samples;
    const next = await rest.next();
    chunk = next.done === true ? undefined : next.value;
  }
  const last = resampler.end();
  if (last.length > 0) yield last;
}
