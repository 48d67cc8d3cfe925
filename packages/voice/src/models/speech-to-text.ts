import { z } from 'zod';
import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { wavFile } from '../audio/samples.ts';
import { headersOf, type ModelChoice, type ModelEndpoints } from './endpoints.ts';

/** Recognizers are trained on it. */
const recognizerRate = 16_000;
const timeoutMs = 5_000;
const longestText = 10_000;
const answer = z.object({ text: z.string().max(longestText) });

export interface RecognizerSettings extends ModelChoice {
  language: string;
  prompt?: string | undefined;
}

/** What was said in samples of a telephone line; empty where nothing was understood. `POST /audio/transcriptions` of OpenAI's protocol. */
export async function transcribe(
  endpoints: ModelEndpoints,
  settings: RecognizerSettings,
  samples: Int16Array,
  signal: AbortSignal,
): Promise<string> {
  const resampler = createResampler(lineRate, recognizerRate);
  const wide = Int16Array.from([...resampler.push(samples), ...resampler.end()]);
  const audio = new Blob([wavFile(wide, { rate: recognizerRate, channels: 1 })], { type: 'audio/wav' });
  return endpoints.ask(settings, signal, async (endpoint) => {
    const form = new FormData();
    form.set('file', audio, 'speech.wav');
    if (endpoint.model !== null) form.set('model', endpoint.model);
    form.set('response_format', 'json');
    form.set('language', settings.language.split('-', 1)[0] ?? settings.language);
    if (settings.prompt !== undefined) form.set('prompt', settings.prompt);
    const response = await fetch(`${endpoint.url}/audio/transcriptions`, {
      method: 'POST',
      headers: headersOf(endpoint),
      body: form,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the recognizer answered ${response.status}`);
    }
    return answer.parse(await response.json()).text.trim();
  });
}
