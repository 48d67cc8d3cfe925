import { describe, expect, test } from 'vitest';
import { loadVoiceActivity } from '../activity/voice-activity.ts';
import { frameBytes, frameMs, fromMuLaw, toMuLaw } from '../audio/mu-law.ts';
import { framesOf, noise, vowels } from '../machine/sound.fixture.ts';
import { createAudioReceiver } from './audio-receiver.ts';

const voice = toMuLaw(new Int16Array(frameBytes).fill(8_000));
const quiet = toMuLaw(new Int16Array(frameBytes));

/** The noise of a street: a root mean square of 300, with peaks of 500. */
const street = (ms: number) => noise(ms * (frameBytes / frameMs), 300);

const isLoud = (samples: Int16Array) => samples.some((sample) => sample > 1_000);

/** A receiver, with the frames that it emits. */
function listen(isVoice = isLoud) {
  const frames: Array<{ at: number; isVoice: boolean }> = [];
  const receiver = createAudioReceiver({
    beganAt: 0,
    keepMs: 10_000,
    isVoice,
    onFrame: ({ at, voiced }) => frames.push({ at, isVoice: voiced }),
  });
  let now = 0;
  return {
    frames,
    between: (from: number, to: number) => receiver.between(from, to),
    voiced: () => frames.filter(({ isVoice }) => isVoice).length * frameMs,
    now: () => now,
    /** The line sends a frame every 20 ms. */
    sends(bytes: Uint8Array, ms: number) {
      for (const until = now + ms; now < until;) {
        now += frameMs;
        receiver.frame(bytes, now);
        receiver.tick(now);
      }
    },
    /** The line sends this sound, frame by frame. */
    carries(sound: Int16Array) {
      for (const frame of framesOf(sound)) this.sends(toMuLaw(frame), frameMs);
    },
    /** The line sends nothing. */
    stalls(ms: number) {
      for (const until = now + ms; now < until;) {
        now += frameMs;
        receiver.tick(now);
      }
    },
    /** Audio that was sent meanwhile arrives at once. */
    catchesUp(bytes: Uint8Array, ms: number) {
      for (let sent = 0; sent < ms; sent += frameMs) receiver.frame(bytes, now);
    },
  };
}

test('a line that sends nothing is silent', () => {
  const line = listen();
  line.sends(voice, 200);
  line.stalls(1_000);
  expect(line.voiced()).toBe(200);
  expect(line.frames.at(-1)?.at).toBeGreaterThanOrEqual(line.now() - 200);
});

test('delayed words are processed when they arrive', () => {
  const line = listen();
  line.sends(voice, 200);
  line.stalls(1_000);
  line.catchesUp(voice, 1_000);
  line.sends(voice, 500);
  expect(line.voiced()).toBe(1_700);
});

test('words spoken while the call is opened are processed', () => {
  const line = listen();
  line.catchesUp(voice, 800);
  line.sends(voice, 400);
  expect(line.voiced()).toBe(1_200);
});

test('at most two seconds of audio from the opening are processed', () => {
  const line = listen();
  line.catchesUp(voice, 6_000);
  expect(line.voiced()).toBeGreaterThanOrEqual(2_000);
  expect(line.frames.at(-1)?.at).toBeLessThanOrEqual(2_100);
});

test('after delayed words, the receiver is on time again at the next pause', () => {
  const line = listen();
  line.stalls(1_000);
  line.catchesUp(voice, 1_000);
  line.sends(quiet, 2_500);
  expect(line.frames.at(-1)?.at).toBeLessThanOrEqual(line.now() + 100);
  expect(line.voiced()).toBe(1_000);
});

test('after delayed words, the receiver is on time again at the next pause on a line with noise', async () => {
  const detector = (await loadVoiceActivity())();
  const line = listen((samples) => detector.isVoice(samples));
  line.carries(street(3_000));
  line.stalls(1_000);
  for (const frame of framesOf(vowels(1_000))) line.catchesUp(toMuLaw(frame), frameMs);
  const late = line.frames.at(-1)?.at ?? 0;
  expect(late - line.now()).toBeGreaterThan(800);
  line.carries(street(2_500));
  expect(line.frames.at(-1)?.at).toBeLessThanOrEqual(line.now() + 100);
});

test('audio is processed while the receiver waits for the clock', () => {
  const line = listen();
  line.stalls(2_000);
  line.catchesUp(voice, 2_000);
  line.sends(quiet, 1_500);
  line.sends(voice, 1_000);
  expect(line.voiced()).toBe(3_000);
});

test('frames are in the order of their instants, without a gap', () => {
  const line = listen();
  line.stalls(700);
  line.catchesUp(voice, 700);
  line.sends(quiet, 700);
  line.stalls(400);
  line.sends(voice, 300);
  const steps = line.frames.slice(1).map(({ at }, index) => at - (line.frames[index]?.at ?? 0));
  expect(new Set(steps)).toEqual(new Set([frameMs]));
});

test('a line with a fast clock, or a flood, is limited to our clock', () => {
  const line = listen();
  // Audio that waited for the call to be opened may arrive in the first 200 ms.
  line.sends(voice, 220);
  line.catchesUp(voice, 6_000);
  expect(line.frames.at(-1)?.at).toBeLessThanOrEqual(line.now() + 100);
  line.stalls(10_000);
  line.catchesUp(voice, 6_000);
  expect(line.frames.at(-1)?.at).toBeLessThanOrEqual(line.now() + 2_100);
});

/** A frame with a distinct loudness. */
const numbered = (nth: number) => toMuLaw(new Int16Array(frameBytes).fill(nth * 50));
const numbersOf = (samples: Int16Array) => [...framesOf(samples)].map(([first]) => first);

describe('the audio between two instants', () => {
  const sent = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, index) => fromMuLaw(numbered(from + index))[0]);

  /** Sends this many frames to a receiver that keeps ten seconds of audio. */
  function after(count: number) {
    const line = listen(() => false);
    for (let nth = 0; nth < count; nth += 1) line.sends(numbered(nth), frameMs);
    return line;
  }

  test('is that of the frames that end within them', () => {
    expect(numbersOf(after(100).between(400, 1_000))).toEqual(sent(20, 50));
  });

  test('is the same after earlier frames were overwritten', () => {
    expect(numbersOf(after(620).between(11_000, 12_000))).toEqual(sent(550, 600));
  });

  test('is only the part that is still buffered', () => {
    expect(numbersOf(after(600).between(0, 12_000))).toEqual(sent(100, 600));
  });

  test('is empty before the call and after the last frame', () => {
    const line = after(10);
    expect(line.between(-500, 0)).toHaveLength(0);
    expect(line.between(200, 900)).toHaveLength(0);
  });
});
