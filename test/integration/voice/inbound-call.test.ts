import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import {
  callTheLibrary,
  libraryAfterwards,
  libraryCall,
  libraryLines,
  libraryPhrases,
  libraryVoice,
} from '../../support/voice/library-call.ts';
import {
  expectLibraryRecord,
  expectLibraryRecording,
  expectLibrarySound,
} from '../../support/voice/library-checks.ts';
import { framesWithVoice, loudness } from '../../support/voice/loudness.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { isVoiceMissing, useVoice } from './voice-world.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const number = '+15550001111';
const person = '+12125550105';

describe.skipIf(isVoiceMissing)('a person who calls back', () => {
  const openWorld = useVoice();

  async function open() {
    const world = await openWorld({
      phrases: libraryPhrases,
      skills: [
        { type: 'opt_out', config: {} },
        { type: 'end_call', config: {} },
      ],
      answer: libraryLines,
      afterwards: libraryAfterwards,
      voice: { ...libraryVoice, record: true },
      knowledge: libraryCall.knowledge,
      compliance: { opt_out_key: '9' },
    });
    await addConfirmedCallerId(world.stack.db, world.organization.id, {
      phone_number: number,
      agent_id: world.agentId,
    });
    return world;
  }

  const callOf = (world: Awaited<ReturnType<typeof open>>) =>
    waitFor('the call to be in the record', () =>
      world.stack.db
        .selectFrom('calls')
        .select('id')
        .where('organization_id', '=', world.organization.id)
        .where('kind', '=', 'phone_inbound')
        .executeTakeFirst(),
    );

  test('is answered by the agent, talks with it, is hung up on, and the record has all of it', async () => {
    const world = await open();
    await world.callIn(person, number);
    const bot = await world.people.next();
    const instants = await callTheLibrary(bot, world.speech);
    const { id } = await callOf(world);
    const record = await world.record(id);
    expect(record).toMatchObject({ provider: 'phone_inbound', type: 'inbound', phone_number: person });
    await expectLibrarySound(bot, instants, world.speech);
    expectLibraryRecord(record);
    expect(await world.ended(id)).toMatchObject({
      status: 'finish',
      meta: { outcome: 'completed' },
    });
    await expectLibraryRecording(await world.recording(id), bot, instants, world.speech);
    const outbox = await world.stack.db
      .selectFrom('outbox')
      .select('type')
      .where('call_id', '=', id)
      .execute();
    expect(outbox.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['call.started', 'call.answered', 'call.ended']),
    );
  });

  test('is as loud as on calls that are dialed, in both directions', async () => {
    const world = await open();
    await world.callIn(person, number);
    const bot = await world.people.next();
    await bot.hearsSilence(1_000, await bot.hearsVoice(0));
    const said = voiceLike(2_000);
    // The silence after it lets all of its sound arrive.
    await bot.say(Int16Array.from([...said, ...new Int16Array(8_000)]));
    bot.hangUp();
    const { id } = await callOf(world);
    const recording = await world.recording(id);
    expect(gain(said, recording.left)).toBeCloseTo(1, 1);
    expect(gain(recording.right, bot.heard())).toBeCloseTo(1, 1);
  });

  test('may hang up, or opt out by a key, and is not called any more', async () => {
    const world = await open();
    await world.callIn(person, number);
    const bot = await world.people.next();
    await bot.hearsVoice(0);
    await world.press('9');
    const { id } = await callOf(world);
    await waitFor('the number to be suppressed', () =>
      world.stack.db
        .selectFrom('suppressions')
        .select('phone_number')
        .where('phone_number', '=', person)
        .executeTakeFirst(),
    );
    bot.hangUp();
    expect(await world.ended(id)).toMatchObject({ meta: { outcome: 'completed' } });
    await expect(world.call(person)).rejects.toThrow('suppress');
  });
});

/** How much louder the voice in a sound is than in the one that it comes from. Silence around either, and frames that a busy machine has lost, do not matter. */
const gain = (from: Int16Array, to: Int16Array): number =>
  loudness(framesWithVoice(to)) / loudness(framesWithVoice(from));
