import type { VoiceEndpoint } from '@outdial/runtime';
import { z } from 'zod';
import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { wavFile } from '../audio/samples.ts';
import type { ModelChoice, ModelEndpoints } from './endpoints.ts';
import { isLive } from './live-protocols.ts';
import { post, shortBody } from './post.ts';
import { withoutMarks } from './transcript-marks.ts';

/** Recognizers are trained on this rate. */
const recognizerRate = 16_000;
const timeoutMs = 5_000;
const longestText = 10_000;
/** Some servers add the time of each word. */
const bytesAtMost = 1_048_576;
const answer = z.object({ text: z.string().max(longestText) });

export interface RecognizerSettings extends ModelChoice {
  language: string;
  prompt?: string | undefined;
}

/** Transcribes samples of a telephone line with OpenAI's `POST /audio/transcriptions`. Returns '' if nothing was understood. */
export async function transcribe(
  endpoints: ModelEndpoints,
  settings: RecognizerSettings,
  samples: Int16Array,
  signal: AbortSignal,
  { answerMs } = { answerMs: timeoutMs },
): Promise<string> {
  const resampler = createResampler(lineRate, recognizerRate);
  const [most, rest] = [resampler.push(samples), resampler.end()];
  const wide = new Int16Array(most.length + rest.length);
  wide.set(most);
  wide.set(rest, most.length);
  const audio = new Blob([wavFile(wide, { rate: recognizerRate, channels: 1 })], { type: 'audio/wav' });
  const takes = (endpoint: VoiceEndpoint) => !isLive(endpoint);
  return endpoints.ask(
    settings,
    signal,
    async (endpoint) => {
      const form = new FormData();
      form.set('file', audio, 'speech.wav');
      if (endpoint.model !== null) form.set('model', endpoint.model);
      form.set('response_format', 'json');
      form.set('language', settings.language.split('-', 1)[0] ?? settings.language);
      if (settings.prompt !== undefined) form.set('prompt', settings.prompt);
      const encoded = new Response(form);
      const { body } = await post(endpoint, '/audio/transcriptions', {
        headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
        body: await encoded.bytes(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
        connections: endpoints.connections,
      });
      const value: unknown = JSON.parse(await shortBody(body, bytesAtMost));
      return withoutMarks(answer.parse(value).text);
    },
    { takes },
  );
}
