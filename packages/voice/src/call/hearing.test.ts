import { describe, expect, test } from 'vitest';
import type { ConversationStep } from '../conversation/conversation.ts';
import { callWith } from './call.fixture.ts';

describe('a live recognizer', () => {
  test('hears the person from before the first voice to the end of the turn, and nothing in between', async () => {
    const call = callWith({ transcripts: ['How long?'] });
    await call.goOn(2_000);
    expect(call.heardLive).toEqual([]);
    await call.speaks(1_000);
    expect(call.utterances).toEqual([]);
    // The lead, and the frames in which the detector was not yet sure.
    expect(call.heardLive.reduce((sum, ms) => sum + ms)).toBe(1_240);
    await call.goOn(3_000);
    expect(call.heardByModel).toEqual(['How long?']);
    expect(call.heardLive.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(1_640);
  });

  const thinks = (ran: string[]) =>
    async function* (heard: string): AsyncGenerator<ConversationStep> {
      yield { kind: 'say', text: `To ${heard}` };
      yield { kind: 'working', tool: 'book' };
      ran.push(heard);
    };

  test('lets the reply begin before the turn is over, and a tool run only after it', async () => {
    const ran: string[] = [];
    const call = callWith({ transcripts: ['How long?'], answer: thinks(ran) });
    await call.speaks(1_000);
    call.call.partial('how long');
    await call.goOn(200);
    expect([call.heardByModel, ran]).toEqual([['how long'], []]);
    await call.goOn(1_000);
    // The model was not asked again, and the agent speaks.
    expect([call.heardByModel, ran, call.discarded]).toEqual([['how long'], ['how long'], []]);
    await call.goOn(2_000);
    expect(call.dialogue()).toEqual(['person: How long?', 'agent: To how long']);
  });

  test('lets a whole sentence be answered in half a second, although the model takes 300 ms', async () => {
    let spokeAt = 0;
    const call = callWith({
      transcripts: ['How long?'],
      async *answer() {
        const from = call.nowMs();
        while (call.nowMs() < from + 300) await Promise.resolve();
        yield { kind: 'say', text: 'Three weeks.' };
      },
    });
    await call.speaks(1_000);
    call.call.partial('How long?');
    const endedAt = call.nowMs();
    for (const before = call.sentFrames(); spokeAt === 0;) {
      await call.goOn(20);
      if (call.sentFrames() > before) spokeAt = call.nowMs();
    }
    expect(spokeAt - endedAt).toBeLessThanOrEqual(500);
  });

  test('has a reply discarded if the person says more, or something else', async () => {
    const call = callWith({ transcripts: ['How long may I keep it?'], answer: thinks([]) });
    await call.speaks(600);
    call.call.partial('how long');
    await call.goOn(200);
    await call.speaks(400);
    call.call.partial('how long may I keep it');
    await call.goOn(1_000);
    expect(call.discarded).toEqual(['how long']);
    expect(call.heardByModel).toEqual(['how long', 'how long may I keep it']);
  });

  test('lets no reply begin to an opt-out', async () => {
    const call = callWith({ transcripts: ['Do not call me again.'], answer: thinks([]) });
    await call.speaks(1_000);
    call.call.partial('Do not call me again.');
    await call.goOn(3_000);
    expect([call.heardByModel, call.optOuts()]).toEqual([[], 1]);
  });

  test('has a reply discarded if the person leaves', async () => {
    const leaves = callWith({ transcripts: ['Bye'], answer: thinks([]) });
    await leaves.speaks(600);
    leaves.call.partial('bye');
    await leaves.goOn(200);
    leaves.call.left();
    await leaves.goOn(200);
    expect(leaves.discarded).toEqual(['bye']);
  });

  test('hears no click', async () => {
    const call = callWith({});
    await call.goOn(1_000);
    await call.speaks(80);
    await call.goOn(1_000);
    expect(call.heardLive).toEqual([]);
  });
});
