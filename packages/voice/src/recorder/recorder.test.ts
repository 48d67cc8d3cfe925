import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileStore } from '@outdial/core';
import { expect, onTestFinished, test } from 'vitest';
import { toMuLaw } from '../audio/mu-law.ts';
import { recordCall } from './call-recorder.ts';
import { openSpool } from './spool.ts';
import { createStereoMixer } from './stereo-mixer.ts';

/** A frame whose samples are about this value. */
const frame = (value: number): Uint8Array => toMuLaw(new Int16Array(160).fill(value));

/** The left and right level of each frame, in thousands. */
function mixed() {
  const heard: Array<[number, number]> = [];
  const mixer = createStereoMixer((samples) => {
    heard.push([Math.round((samples[0] ?? 0) / 1_000), Math.round((samples[1] ?? 0) / 1_000)]);
  });
  mixer.begin(1_000);
  return { mixer, heard };
}

/** A store of space for recordings. */
function space({ isFull = false } = {}) {
  const reserved: number[] = [];
  let refused = 0;
  let released = 0;
  return {
    reserved,
    refused: () => refused,
    released: () => released,
    reserve(bytes: number) {
      reserved.push(bytes);
      return Promise.resolve(!isFull);
    },
    onRefused: () => void (refused += 1),
    release() {
      released += 1;
      return Promise.resolve();
    },
  };
}

test('places the audio of the agent at the time when the person heard it, not when it was sent', () => {
  const { mixer, heard } = mixed();
  for (let nth = 1; nth <= 6; nth += 1) {
    if (nth === 2) {
      mixer.agent(frame(8_000), 1_060);
      mixer.agent(frame(9_000), 1_080);
    }
    mixer.person(frame(nth * 1_000));
  }
  mixer.end();
  expect(heard).toEqual([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 8],
    [5, 9],
    [6, 0],
  ]);
});

test('leaves out what was dropped before the person heard it', () => {
  const { mixer, heard } = mixed();
  for (let slot = 0; slot < 5; slot += 1) mixer.agent(frame(8_000), 1_000 + slot * 20);
  mixer.dropped(1_040);
  mixer.agent(frame(3_000), 1_080);
  for (let nth = 1; nth <= 6; nth += 1) mixer.person(frame(0));
  mixer.end();
  expect(heard.map(([, right]) => right)).toEqual([8, 8, 0, 0, 3, 0]);
});

test('aligns both sides although one is late by a fifth of a second', () => {
  const { mixer, heard } = mixed();
  for (let nth = 1; nth <= 10; nth += 1) mixer.person(frame(nth * 1_000));
  mixer.agent(frame(8_000), 1_020);
  mixer.end();
  expect(heard[1]).toEqual([2, 8]);
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'outdial-recorder-test-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** A file store whose first writes fail. */
function store(failures = 0): FileStore & { kept: Map<string, Buffer>; removed: string[] } {
  const kept = new Map<string, Buffer>();
  const removed: string[] = [];
  let left = failures;
  return {
    kept,
    removed,
    async write(key, bytes) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      left -= 1;
      if (left >= 0) throw new Error('down');
      kept.set(key, Buffer.concat(chunks));
    },
    read: () => {
      throw new Error('not read here');
    },
    async remove(key) {
      removed.push(key);
    },
  };
}

/** Records a call of at most nine seconds in an empty folder, unless a test says otherwise. */
async function recording(files: FileStore, options: Partial<Parameters<typeof recordCall>[0]> = {}) {
  const log = { warn: () => undefined };
  const where = { callId: 'a', folder: await folder(), files, longestSeconds: 9 };
  const recorder = await recordCall({ ...where, ...space(), log, ...options });
  recorder.begin(0);
  return recorder;
}

test('stores a call as a stereo file of its length, and leaves nothing on the disk', async () => {
  const files = store();
  const at = await folder();
  const recorder = await recording(files, { folder: at, longestSeconds: 600 });
  for (let nth = 1; nth <= 130; nth += 1) {
    recorder.agent(frame(5_000), (nth - 1) * 20);
    recorder.person(frame(-5_000));
  }
  expect(await recorder.finish()).toBe(`outdial-recording:${44 + 130 * 640}`);
  const file = files.kept.get('recordings/a') ?? Buffer.alloc(0);
  expect(file.length).toBe(44 + 130 * 640);
  expect(file.subarray(0, 4).toString()).toBe('RIFF');
  expect([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt32LE(40)]).toEqual([
    2,
    8_000,
    130 * 640,
  ]);
  expect(Math.sign(file.readInt16LE(44))).toBe(-1);
  expect(Math.sign(file.readInt16LE(46))).toBe(1);
  expect(readdirSync(at)).toEqual([]);
});

test('records no more than the longest call', async () => {
  const files = store();
  const recorder = await recording(files, { longestSeconds: 1 });
  for (let nth = 1; nth <= 200; nth += 1) recorder.person(frame(1));
  expect(await recorder.finish()).toBe(`outdial-recording:${44 + 50 * 640}`);
});

test('retries a file store that fails, and leaves no partial file in it', async () => {
  const files = store(1);
  const recorder = await recording(files);
  recorder.person(frame(1));
  expect(await recorder.finish()).toBe('outdial-recording:684');
  expect(files.removed).toEqual(['recordings/a']);
});

test('stores nothing if there is no space, and reports it', async () => {
  const files = store();
  const { reserved, refused, ...has } = space({ isFull: true });
  const recorder = await recording(files, has);
  recorder.person(frame(1));
  expect(await recorder.finish()).toBeNull();
  expect(files.kept.size).toBe(0);
  expect(reserved).toEqual([684]);
  expect(refused()).toBe(1);
});

test('releases the space of a recording that could not be stored', async () => {
  const files = store(3);
  const { reserved, released, ...has } = space();
  const recorder = await recording(files, has);
  recorder.person(frame(1));
  expect(await recorder.finish()).toBeNull();
  expect(reserved).toEqual([684]);
  expect(released()).toBe(1);
});

test('stores no recording of a call without audio', async () => {
  const files = store();
  const recorder = await recording(files);
  expect(await recorder.finish()).toBeNull();
  expect(files.kept.size).toBe(0);
});

test('removes recordings that a dead process left behind, and no others', async () => {
  const parent = await folder();
  // No process has this id: it is above the kernel's limit.
  for (const name of ['99999999-abc', `${process.ppid}-abc`]) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, 'a.wav'), 'a song');
  }
  const first = await openSpool(parent);
  writeFileSync(join(first.folder, 'b.wav'), 'a song');
  const second = await openSpool(parent);
  expect(existsSync(join(parent, '99999999-abc'))).toBe(false);
  expect(readFileSync(join(parent, `${process.ppid}-abc`, 'a.wav'), 'utf8')).toBe('a song');
  expect(existsSync(join(first.folder, 'b.wav'))).toBe(true);
  await first.remove();
  await second.remove();
  expect(existsSync(first.folder)).toBe(false);
});
