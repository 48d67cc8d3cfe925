import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { ChatAnswer } from '../../support/voice/model-servers.ts';
import type { Person } from '../../support/voice/people.ts';
import { personSays } from '../../support/voice/speech.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { isVoiceMissing, useVoice, type VoiceWorld } from './voice-world.ts';

const question = 'how long may i keep a book';
const backChannel = 'okay';
const optOut = 'please stop calling me';
const phrases = [question, backChannel, optOut];

/** It goes on for longer than a recognizer on a busy machine takes for the "okay" at its beginning. */
const answer =
  'You may keep a book for three weeks. After that we send you a letter, and then another letter, which is longer. So please bring it back in time, or give it to any other library.';

function lines(words: string, results: readonly string[]): ChatAnswer {
  if (results.length > 0) return { say: '' };
  if (words.includes('how long')) return { say: answer };
  return { say: 'Pardon?' };
}

describe.skipIf(isVoiceMissing)('people as they are, over real Asterisks', () => {
  const openWorld = useVoice();

  const greeted = async (person: Person) => {
    await person.hearsVoice(0);
    await person.hearsSilence(900);
  };

  /** Says "okay" during an answer, hears it to the end, and opts out. */
  async function wantsNoMoreCalls(world: VoiceWorld, callId: string, person: Person): Promise<void> {
    const [asks, agrees, stops] = [
      await personSays(world.speech, question),
      await personSays(world.speech, backChannel),
      await personSays(world.speech, optOut),
    ];
    await greeted(person);
    await person.say(asks);
    const askedAt = performance.now();
    const answeredAt = await person.hearsVoice(askedAt);
    await person.hearsVoice(answeredAt + 1_500);
    await person.say(agrees);
    // The agent has said all of it. A silence may also be a sentence that a busy machine is late with.
    await waitFor('the end of the answer', async () => {
      const { transcript } = await world.organization.clients.viewer.readCall(callId);
      return String(transcript).includes(`Agent: ${answer}`);
    });
    await person.say(stops);
  }

  test('say okay, opt out, or say nothing', async () => {
    const world = await openWorld({
      phrases,
      answer: lines,
      // Nobody who is to speak is late by so much.
      voice: { idle: { after_seconds: 8, prompts: ['Are you still there?'] } },
      skills: [
        { type: 'end_call', config: {} },
        { type: 'opt_out', config: {} },
      ],
    });
    const { organization, people, stack } = world;
    const numbers = { agrees: '+12125550111', isSilent: '+12125550113' };
    const calls = {
      agrees: await world.call(numbers.agrees),
      isSilent: await world.call(numbers.isSilent),
    };
    // A further dial to the person who opts out, planned before the opt-out.
    const { manager } = organization.clients;
    const { id: campaignId } = await manager.createCampaign({
      name: 'again',
      agent_id: world.agentId,
      phone_numbers: [numbers.agrees],
      status: 'paused',
      additional_params: { prompt_params: {} },
    });
    const [agrees, isSilent] = [await people.at('0111'), await people.at('0113')];
    await Promise.all([
      wantsNoMoreCalls(world, calls.agrees, agrees),
      waitFor('the agent to give up', () => isSilent.leftAt()),
    ]);
    await waitFor('the agent to hang up', () => agrees.leftAt());

    expect(linesOf(await world.record(calls.agrees))).toEqual([
      'Agent: Hello, this is Ada from the library.',
      `Person: ${question}`,
      `Person: ${backChannel}`,
      `Agent: ${answer}`,
      `Person: ${optOut}`,
      // A fixed sentence, without the model.
      'Agent: I understand. You will get no more calls from us. Goodbye.',
    ]);
    expect(linesOf(await world.record(calls.isSilent))).toEqual([
      'Agent: Hello, this is Ada from the library.',
      'Agent: Are you still there?',
    ]);

    expect(await world.ended(calls.agrees)).toMatchObject({ meta: { outcome: 'completed' } });
    await expect(
      organization.clients.member.makeCall(world.agentId, { to_phone: numbers.agrees }),
    ).rejects.toMatchObject({ code: 'number_suppressed' });
    await manager.setConfig(campaignId ?? '', { call_on_weekend: true });
    await manager.setStatus(campaignId ?? '', 'running');
    await waitFor(
      'the campaign to be over',
      async () => (await manager.readCampaign(campaignId ?? '')).status === 'finished',
    );
    const dialed = await stack.db
      .selectFrom('calls')
      .select('id')
      .where('phone_number', '=', numbers.agrees)
      .execute();
    expect(dialed.map(({ id }) => id)).toEqual([calls.agrees]);
  });
});
