import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { createSampleReader } from '../audio/samples.ts';
import { headersOf, type ModelChoice, type ModelEndpoints } from './endpoints.ts';

/** What `response_format: pcm` means: 16-bit samples of one channel at this rate. */
const speechRate = 24_000;
/** The first bytes come by then, and none is further from the one before. */
const silentMs = 4_000;
/** Longer than any piece that is said in one go. */
const longestSpeechMs = 180_000;

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
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const abort = new AbortController();
  const both = AbortSignal.any([signal, abort.signal]);
  const watch = setTimeout(() => abort.abort(new Error('the voice fell silent')), silentMs);
  try {
    // Another endpoint can stand in until the first bytes are there; after that the person would hear two voices.
    const { first, rest } = await endpoints.ask(settings, signal, async (endpoint) => {
      watch.refresh();
      const response = await fetch(`${endpoint.url}/audio/speech`, {
        method: 'POST',
        headers: { ...headersOf(endpoint), 'content-type': 'application/json' },
        body: JSON.stringify({
          ...(endpoint.model !== null && { model: endpoint.model }),
          input: text,
          voice: settings.voice ?? 'alloy',
          ...(settings.speed !== undefined && { speed: settings.speed }),
          response_format: 'pcm',
        }),
        redirect: 'error',
        signal: AbortSignal.any([both, AbortSignal.timeout(silentMs + longestSpeechMs)]),
      });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw new Error(`the voice answered ${response.status}`);
      }
      const body: AsyncIterable<Uint8Array> = response.body;
      const reader = body[Symbol.asyncIterator]();
      const chunk = await reader.next();
      if (chunk.done === true) throw new Error('the voice said nothing');
      return { first: chunk.value, rest: reader };
    });
    const read = createSampleReader();
    const resampler = createResampler(speechRate, lineRate);
    let madeMs = 0;
    for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
      watch.refresh();
      const samples = resampler.push(read(chunk));
      madeMs += (samples.length / lineRate) * 1_000;
      if (madeMs > longestSpeechMs) throw new Error('the voice does not end');
      if (samples.length > 0) yield samples;
      const next = await rest.next();
      chunk = next.done === true ? undefined : next.value;
    }
    const last = resampler.end();
    if (last.length > 0) yield last;
  } finally {
    clearTimeout(watch);
    abort.abort();
  }
}
