/**
 * Measures the voice detector on the announcements and the music of Debian's Asterisk packages, which five people have spoken in five languages:
 *
 * node test/bench/voice-detector.ts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSampleReader, lineRate } from '@outdial/voice/sound';
import { frameBytes, frameMs } from '../../packages/voice/src/audio/mu-law.ts';
import { loadVoiceActivity } from '../../packages/voice/src/activity/voice-activity.ts';
import type { TurnInput } from '../../packages/voice/src/turn/turn-messages.ts';
import { createTurns } from '../../packages/voice/src/turn/turns.ts';
import { settings as turnSettings } from '../../packages/voice/src/turn/stage.fixture.ts';
import { unpackPackages } from '../support/debian/unpack-packages.ts';

const languages = ['en', 'es', 'fr', 'it', 'ru'];
const secondsOfSpeech = 30;
const secondsOfOthers = 12;
const pauseSeconds = 0.6;
/** The root of the mean square of a voice. */
const voiceLoudness = 1_800;

const found = await unpackPackages({
  name: 'announcements',
  packages: [...languages.map((each) => `asterisk-core-sounds-${each}-wav`), 'asterisk-moh-opsound-wav'],
  foundIn(root) {
    const folder = join(root, 'usr/share/asterisk');
    try {
      const voices = readdirSync(join(folder, 'sounds')).map((name) => join(folder, 'sounds', name));
      return { voices, music: filesOf(join(folder, 'moh')) };
    } catch {
      return null;
    }
  },
});
if (found.state === 'missing') throw new Error(found.reason);
const { voices, music } = found.program;
const createDetector = await loadVoiceActivity();

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.wav'))
    .map((name) => join(folder, name));
}

function samplesOf(path: string): Int16Array {
  const file = readFileSync(path);
  return createSampleReader()(file.subarray(file.indexOf('data') + 8));
}

function loudness(samples: Float32Array | Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample ** 2;
  return Math.sqrt(sum / samples.length);
}

function atLoudness(samples: Float32Array, wanted: number): Float32Array {
  const gain = wanted / loudness(samples);
  return samples.map((sample) => sample * gain);
}

/** Every seventh announcement of a voice, with pauses. */
function speech(folder: string, seconds: number, nth: number): Float32Array {
  const all: number[] = [];
  for (const path of filesOf(folder).filter((_, index) => index % 7 === nth % 7)) {
    const samples = samplesOf(path);
    if (samples.length < lineRate) continue;
    for (const sample of atLoudness(Float32Array.from(samples), voiceLoudness)) all.push(sample);
    for (let at = 0; at < pauseSeconds * lineRate; at += 1) all.push(0);
    if (all.length >= seconds * lineRate) break;
  }
  return Float32Array.from(all.slice(0, seconds * lineRate));
}

const mix = (one: Float32Array, other: Float32Array) => one.map((sample, at) => sample + (other[at] ?? 0));

let state = 5;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 31 - 1;
}
const noise = (length: number, loud: number) =>
  Float32Array.from({ length }, () => Math.sqrt(3) * loud * random());

const frames = (samples: Float32Array) =>
  Array.from({ length: Math.floor(samples.length / frameBytes) }, (_, nth) =>
    Int16Array.from(samples.subarray(nth * frameBytes, (nth + 1) * frameBytes), (sample) =>
      Math.max(-32_000, Math.min(32_000, sample)),
    ),
  );

function judge(samples: Float32Array): boolean[] {
  const detector = createDetector();
  return frames(samples).map((frame) => detector.isVoice(frame));
}

const share = (judged: readonly boolean[]) => judged.filter(Boolean).length / judged.length;
const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

function missed(noiseDb: number): number {
  const shares = voices.map((folder) => {
    const clean = speech(folder, secondsOfSpeech, 0);
    const isLoud = frames(clean).map((frame) => loudness(frame) > voiceLoudness / 10);
    const judged = judge(mix(clean, noise(clean.length, voiceLoudness * 10 ** (-noiseDb / 20))));
    return 1 - share(judged.filter((_, at) => isLoud[at]));
  });
  return shares.reduce((sum, each) => sum + each) / shares.length;
}

function babble(nth: number): Float32Array {
  const silence = new Float32Array(secondsOfOthers * lineRate);
  const people = Array.from({ length: 8 }, (_, one) => ({ folder: voices[one % voices.length] ?? '', one }));
  return people.reduce(
    (all, { folder, one }) => mix(all, speech(folder, secondsOfOthers, nth + one + 1)),
    silence,
  );
}

/** How much of six seconds an agent speaks while eight people talk in the background, after the person has spoken. */
function leftOfSixSeconds(nth: number): { leftMs: number; pausedAfterMs: number } {
  const asked = speech(voices[nth] ?? '', 8, 2);
  const interruption = speech(voices[nth] ?? '', 2, 4);
  const background = atLoudness(babble(nth), voiceLoudness * 10 ** (-10 / 20));
  const quiet = new Float32Array(6 * lineRate);
  const whole = Float32Array.from([...asked, ...quiet, ...interruption]);
  const judged = frames(whole.map((sample, at) => sample + (background[at % background.length] ?? 0)));
  const detector = createDetector();
  const turns = createTurns(turnSettings);
  turns.take({ at: 0, kind: 'answered', greets: false });
  let leftMs = 0;
  let isPaused = false;
  let interruptedAt = 0;
  const give = (input: TurnInput) => {
    for (const { kind } of turns.take(input)) {
      if (kind === 'pause_playback' || kind === 'drop_playback') isPaused = true;
      if (kind === 'resume_playback') isPaused = false;
      if (kind === 'drop_playback') interruptedAt ||= input.at;
    }
  };
  const talksAt = asked.length / 8;
  const interruptsAt = talksAt + 6_000;
  let pausedAt = 0;
  for (const [index, frame] of judged.entries()) {
    const at = (index + 1) * frameMs;
    const voiced = detector.isVoice(frame);
    if (at <= talksAt) continue;
    if (at === talksAt + frameMs) {
      give({ at, kind: 'said', text: 'Well?' });
      give({ at, kind: 'piece', answer: 1, text: 'A long answer.' });
      give({ at, kind: 'audio', answer: 1, index: 0, ms: 60_000, done: true });
    }
    give({ at, kind: 'frame', voiced, isFar: detector.isFar() });
    if (at > interruptsAt && isPaused) pausedAt ||= at;
    if (at <= interruptsAt && !isPaused) leftMs += frameMs;
  }
  return { leftMs, pausedAfterMs: pausedAt - interruptsAt };
}

const backgrounds = voices.map((_, nth) => leftOfSixSeconds(nth));
const played = music.map((path) => {
  const all = Float32Array.from(samplesOf(path).subarray(0, secondsOfOthers * lineRate));
  return share(judge(atLoudness(all, voiceLoudness)));
});

const line = speech(voices[0] ?? '', secondsOfSpeech, 0);
const loud = frames(mix(line, noise(line.length, voiceLoudness / 10)));
const detector = createDetector();
const before = process.cpuUsage();
for (const frame of loud) detector.isVoice(frame);
const { user, system } = process.cpuUsage(before);

console.log(`speech missed, noise 40 dB below it: ${percent(missed(40))}`);
console.log(`speech missed, noise 10 dB below it: ${percent(missed(10))}`);
console.log(`speech missed, noise 5 dB below it: ${percent(missed(5))}`);
console.log(
  `six seconds of the agent, with eight people 10 dB below the person: ${backgrounds.map(({ leftMs }) => `${leftMs / 1_000} s`).join(', ')}`,
);
console.log(
  `the agent pauses once the person interrupts it: ${backgrounds.map(({ pausedAfterMs }) => `${pausedAfterMs} ms`).join(', ')}`,
);
console.log(`music, taken for a voice: ${played.map(percent).join(', ')}`);
console.log(
  `cost of a line that is never quiet: ${percent((user + system) / 1_000 / (loud.length * frameMs))} of a core`,
);
