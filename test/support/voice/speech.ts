import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createResampler, createSampleReader, lineRate, wavFile } from '@outdial/voice/sound';
import type { SpeechProgram, SpeechPrograms } from './find-speech.ts';

const run = promisify(execFile);
const timeout = 120_000;
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

/** A tone, such as the beep of a mailbox. */
export const tone = (hz: number, ms: number, rate = lineRate): Int16Array =>
  Int16Array.from({ length: (ms / 1_000) * rate }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * hz * at) / rate)),
  );

/** Speech of a person, by flite. */
export function personSays({ flite }: SpeechPrograms, text: string): Promise<Int16Array> {
  return withFile('.wav', async (path) => {
    await run(flite.command, ['-voice', 'slt', '-t', text, '-o', path], { env: flite.env, timeout }).catch(
      () => run(flite.command, ['-t', text, '-o', path], { env: flite.env, timeout }),
    );
    return samplesOf(await readFile(path), lineRate);
  });
}

/** Speech of an agent, by espeak-ng. */
export async function agentSays({ espeak }: SpeechPrograms, text: string, rate: number): Promise<Int16Array> {
  return withFile('.wav', async (path) => {
    await run(espeak.command, ['-s', '170', '-w', path, text], { env: espeak.env, timeout });
    return samplesOf(await readFile(path), rate);
  });
}

/** Samples of a line, converted for the recognizer. */
export function recognizerFile(samples: Int16Array): Buffer {
  const resampler = createResampler(lineRate, recognizerRate);
  const wide = Int16Array.from([...resampler.push(samples), ...resampler.end()]);
  return Buffer.from(wavFile(wide, { rate: recognizerRate, channels: 1 }));
}

/** Recognizes one of these phrases by pocketsphinx; empty for none. */
export async function understand(
  { sphinx }: SpeechPrograms,
  phrases: readonly string[],
  wav: Buffer,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outdial-speech-'));
  const inFolder = (name: string) => join(folder, name);
  try {
    const choices = phrases.map((phrase) => phrase.toLowerCase().replace(/[^a-z' ]/g, ''));
    await Promise.all([
      // Optional, so that noise is recognized as silence and not as a phrase.
      writeFile(
        inFolder('phrases.jsgf'),
        `#JSGF V1.0;\ngrammar phrases;\npublic <phrase> = [ ${choices.join(' | ')} ];\n`,
      ),
      writeFile(inFolder('said.wav'), wav),
      writeFile(inFolder('list'), 'said\n'),
    ]);
    const files = {
      '-jsgf': inFolder('phrases.jsgf'),
      '-ctl': inFolder('list'),
      '-cepdir': folder,
      '-hyp': inFolder('understood'),
    };
    const options = [...recognizerOptions(sphinx), ...Object.entries(files).flat()];
    await run(sphinx.command, options, { env: sphinx.env, timeout, maxBuffer: 8 * 2 ** 20 });
    // The words, and in brackets the name of the file with a score.
    const understood = await readFile(inFolder('understood'), 'utf8');
    return understood.replace(/\(said [^)]*\)\s*$/, '').trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The band of a telephone, noise taken out, each sentence measured against its own mean (`-cmn batch`), and a search that does not give up early. With
 * the mean of a quiet room, noise ten decibels below a voice sounds like words, and words in it like nothing.
 */
function recognizerOptions({ model }: SpeechProgram & { model: string }): string[] {
  return [
    '-hmm',
    join(model, 'en-us'),
    '-dict',
    join(model, 'cmudict-en-us.dict'),
    ...'-logfn /dev/null -adcin yes -adchdr 44 -cepext .wav -upperf 3700 -remove_noise yes -cmn batch'.split(
      ' ',
    ),
    ...'-beam 1e-120 -wbeam 1e-100 -pbeam 1e-120'.split(' '),
  ];
}
