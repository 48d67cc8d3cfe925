import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { silence, tone } from '../machine/sound.fixture.ts';
import { callWith, steps } from './call.fixture.ts';

describe('a mailbox', () => {
  test('gets the message after its beep, and nothing of the conversation', async () => {
    const call = callWith({
      greeting: 'Hello, this is Ada.',
      voicemail: 'Please call us back.',
      transcripts: ['You have reached Ann, leave a message after the tone.'],
    });
    await call.speaks(3_000);
    await call.goOn(600);
    const before = call.sentFrames();
    await call.goOn(1_000);
    expect(call.sentFrames()).toBe(before);
    await call.hears(tone(1_000, 400));
    await call.hears(silence(1_500));
    expect(call.heardByModel).toEqual([]);
    expect(call.dialogue().at(-1)).toBe('agent: Please call us back.');
    expect([call.machines(), call.ended()]).toEqual([1, 'voicemail']);
  });

  test('is left at once if the agent leaves no message', async () => {
    const call = callWith({ transcripts: ['Please leave a message.'] });
    await call.speaks(2_000);
    await call.goOn(700);
    expect([call.machines(), call.ended(), call.heardByModel]).toEqual([1, 'voicemail', []]);
  });
});

test('a mailbox is hung up on after a while even if that cannot be recorded', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const call = callWith({
    transcripts: ['Please leave a message.'],
    machineRecorded: Promise.withResolvers<void>().promise,
  });
  await call.speaks(2_000);
  await call.goOn(700);
  expect(call.ended()).toBe('voicemail');
  await vi.advanceTimersByTimeAsync(14_999);
  expect(call.hungUp()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(call.hungUp()).toBe(true));
});

describe('a person who talks for a long time', () => {
  const story = 'It came on Monday, but the box was open, so I took it back to the shop.';

  test('in reply to the agent gets an answer, and is not taken for a mailbox', async () => {
    const call = callWith({ greeting: 'Has it arrived?', transcripts: [story] });
    await call.goOn(2_000);
    await call.speaks(8_000);
    await call.goOn(1_000);
    expect([call.machines(), call.heardByModel]).toEqual([0, [story]]);
  });

  test.each([0, 400, 1_000, 2_000, 3_000])(
    'for 12 to 30 seconds, from %i ms after picking up, is no mailbox either',
    async (fromMs) => {
      for (let seconds = 12; seconds <= 30; seconds += 2) {
        const call = callWith({ greeting: 'Hello, this is Ada. Has it arrived?', transcripts: [story] });
        await call.goOn(fromMs);
        await call.speaks(seconds * 1_000);
        await call.goOn(1_000);
        expect([seconds, call.machines(), call.ended(), call.heardByModel]).toEqual([
          seconds,
          0,
          null,
          [story],
        ]);
      }
    },
  );

  test('before the agent has said anything is taken for a mailbox', async () => {
    const call = callWith({ transcripts: [story] });
    await call.speaks(8_000);
    await call.goOn(1_000);
    expect([call.machines(), call.ended(), call.heardByModel]).toEqual([1, 'voicemail', []]);
  });
});

test('tells the model about an assistant that screens the call', async () => {
  const call = callWith({
    transcripts: ['Say your name and why you are calling.'],
    answer: () => steps({ kind: 'say', text: 'Ada, about your book.' }),
  });
  await call.speaks(2_500);
  await call.goOn(2_000);
  expect(call.heardByModel[0]).toContain('(An assistant that screens calls says this.');
  expect(call.dialogue().at(-1)).toBe('agent: Ada, about your book.');
});

describe('a number that nobody has', () => {
  test('is hung up on by its tones, and counts as such', async () => {
    const call = callWith({ greeting: 'Hello, this is Ada. I call about your book.' });
    for (const hz of [950, 1_400, 1_800]) await call.hears(tone(hz, 330));
    await call.goOn(300);
    expect([call.ended(), call.heardByModel, call.machines()]).toEqual(['unused_number', [], 0]);
    expect(call.countsAs()[0]).toEqual({ outcome: 'invalid_number', reason: 'unused_number' });
  });

  test('is hung up on by its words', async () => {
    const call = callWith({ transcripts: ['The number you have dialed is not in service.'] });
    await call.speaks(3_000);
    await call.goOn(600);
    expect([call.ended(), call.heardByModel]).toEqual(['unused_number', []]);
    expect(call.countsAs()[0]?.outcome).toBe('invalid_number');
  });
});
