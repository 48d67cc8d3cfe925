import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createResampler, createSampleReader, lineRate, wavFile } from '@outdial/voice/sound';
import type { SpeechProgram, SpeechPrograms } from './find-speech.ts';

const run = promisify(execFile);
const timeout = 20_000;
const recognizerRate = 16_000;

async function withFile<T>(ending: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `outdial-speech-${randomUUID()}${ending}`);
  try {
    return await use(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Samples of a WAV file of one channel at another rate. */
function samplesOf(file: Buffer, rate: number): Int16Array {
  const resampler = createResampler(file.readUInt32LE(24), rate);
  const samples = createSampleReader()(file.subarray(file.indexOf('data') + 8));
  return Int16Array.from([...resampler.push(samples), ...resampler.end()]);
}

/** What a mailbox says when it records. */
export const tone = (hz: number, ms: number): Int16Array =>
  Int16Array.from({ length: (ms / 1_000) * lineRate }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * hz * at) / lineRate)),
  );

/** What a person says, by flite. */
export function personSays({ flite }: SpeechPrograms, text: string): Promise<Int16Array> {
  return withFile('.wav', async (path) => {
    await run(flite.command, ['-voice', 'slt', '-t', text, '-o', path], { env: flite.env, timeout }).catch(
      () => run(flite.command, ['-t', text, '-o', path], { env: flite.env, timeout }),
    );
    return samplesOf(await readFile(path), lineRate);
  });
}

/** What an agent says, by espeak-ng. */
export async function agentSays({ espeak }: SpeechPrograms, text: string, rate: number): Promise<Int16Array> {
  return withFile('.wav', async (path) => {
    await run(espeak.command, ['-s', '170', '-w', path, text], { env: espeak.env, timeout });
    return samplesOf(await readFile(path), rate);
  });
}

/** Samples of a line as a recognizer is given them. */
export function recognizerFile(samples: Int16Array): Buffer {
  const resampler = createResampler(lineRate, recognizerRate);
  const wide = Int16Array.from([...resampler.push(samples), ...resampler.end()]);
  return Buffer.from(wavFile(wide, { rate: recognizerRate, channels: 1 }));
}

/** What was said, by pocketsphinx: one of these phrases. */
export async function understand(
  { sphinx }: SpeechPrograms,
  phrases: readonly string[],
  wav: Buffer,
): Promise<string> {
  return withFile('.jsgf', (grammar) =>
    withFile('.wav', async (audio) => {
      const choices = phrases.map((phrase) => phrase.toLowerCase().replace(/[^a-z' ]/g, ''));
      await writeFile(grammar, `#JSGF V1.0;\ngrammar phrases;\npublic <phrase> = ${choices.join(' | ')};\n`);
      await writeFile(audio, wav);
      const { stdout } = await run(sphinx.command, [...options(sphinx), '-jsgf', grammar, '-infile', audio], {
        env: sphinx.env,
        timeout,
        maxBuffer: 8 * 2 ** 20,
      });
      return stdout.trim().split('\n').join(' ').trim();
    }),
  );
}

function options({ model }: SpeechProgram & { model: string }): string[] {
  return [
    '-hmm',
    join(model, 'en-us'),
    '-dict',
    join(model, 'cmudict-en-us.dict'),
    '-logfn',
    '/dev/null',
    // The band of a telephone, and a search that does not give up early.
    ...'-upperf 3700 -remove_noise no -beam 1e-120 -wbeam 1e-100 -pbeam 1e-120'.split(' '),
  ];
}
