import { setDisclosure } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { isLongRun } from '../../support/full-run.ts';
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
import { startLibraryRealtime } from '../../support/voice/library-realtime.ts';
import { voicedMs } from '../../support/voice/loudness.ts';
import { agentSays, personSays, tone } from '../../support/voice/speech.ts';
import { turnsIn } from '../../support/voice/turns-in-recording.ts';
import { isVoiceMissing, speechPrograms, useVoice } from './voice-world.ts';

describe.skipIf(isVoiceMissing)('a call that Outdial itself talks on', () => {
  const openWorld = useVoice();

  // In real time: twenty seconds, and more on a busy machine.
  test('greets, answers, is interrupted, says goodbye and hangs up, and all of it is in the record', async () => {
    const world = await openWorld({
      phrases: libraryPhrases,
      answer: libraryLines,
      afterwards: libraryAfterwards,
      voice: { ...libraryVoice, record: true },
      compliance: { disclose: true },
      knowledge: libraryCall.knowledge,
    });
    const disclosure = { jurisdiction: '*', language: 'en', text: 'This is an artificial voice.' };
    await setDisclosure(world.stack.db, world.organization.id, disclosure);

    const callId = await world.call('+12125550101');
    const person = await world.people.next();
    const instants = await callTheLibrary(person, world.speech);
    const record = await world.record(callId);

    const greeting = `${disclosure.text} ${libraryCall.greeting}`;
    await expectLibrarySound(person, instants, world.speech, greeting);
    expectLibraryRecord(record, greeting);
    await expectLibraryRecording(await world.recording(callId), person, instants, world.speech);
    expect(world.models.heard()).toEqual([
      libraryCall.question,
      libraryCall.interruption,
      libraryCall.goodbye,
    ]);
    const types = record.events?.map(({ type }) => type) ?? [];
    expect(types.filter((type) => type === 'disclosed')).toEqual(['disclosed']);
  });

  // realtime.test.ts has a shorter conversation.
  test.runIf(isLongRun)('is the same with a realtime model', async () => {
    const programs = speechPrograms();
    const model = await startLibraryRealtime(programs);
    const world = await openWorld({
      phrases: [],
      answer: () => ({ say: '' }),
      llmUrl: model.url,
      voice: { mode: 'realtime', tts: { voice: 'marin' }, ...libraryVoice, record: true },
      knowledge: libraryCall.knowledge,
    });
    const callId = await world.call('+12125550104');
    const person = await world.people.next();
    const instants = await callTheLibrary(person, programs);
    const record = await world.record(callId);
    expect(model.faults()).toEqual([]);
    await expectLibrarySound(person, instants, programs);
    expectLibraryRecord(record);
    await expectLibraryRecording(await world.recording(callId), person, instants, programs);
  });

  test('leaves its message on a mailbox, all of it after the beep', async () => {
    const announcement = 'please leave a message after the tone';
    const message = 'This is Ada from the library. Your book is here.';
    const world = await openWorld({
      phrases: [announcement],
      answer: libraryLines,
      voice: { voicemail: { action: 'leave_message', message }, record: true },
    });
    const announced = await personSays(world.speech, announcement);
    const spoken = await agentSays(world.speech, message, 8_000);
    const callId = await world.call('+12125550102');
    const mailbox = await world.people.next();
    // After the greeting, the mailbox speaks.
    await mailbox.hearsVoice(0);
    await mailbox.say(announced);
    await mailbox.hearsSilence(600, 0);
    await mailbox.say(tone(1_000, 500));
    const beepedAt = performance.now();
    const record = await world.record(callId);
    await waitFor('the agent to hang up', () => mailbox.leftAt());

    const turns = turnsIn(await world.recording(callId));
    expect(turns.map(({ side }) => side)).toEqual(['agent', 'person', 'agent']);
    // By the mailbox's clock: a recording on a busy machine has its late audio beside the agent's.
    expect(voicedMs(mailbox.heard(beepedAt)) / voicedMs(spoken)).toBeGreaterThan(0.9);
    expect(String(record.transcript)).toContain(`Agent: ${message}`);
    expect(await world.ended(callId)).toMatchObject({ meta: { outcome: 'voicemail' } });
  });

  test('transfers the person: one who is busy or does not answer leaves them with the agent', async () => {
    const asks = 'please give me the office';
    const targets = [
      { name: 'the desk', to: '+12125550170' },
      { name: 'the shop', to: '+12125550180' },
      { name: 'the office', to: '+12125550190' },
    ];
    const world = await openWorld({
      phrases: [asks],
      skills: [{ type: 'transfer_call', config: { targets } }],
      answer(words) {
        const target = words.includes('no answer')
          ? 'the office'
          : words.includes('is busy')
            ? 'the shop'
            : 'the desk';
        return { say: 'I connect you.', tool: 'transfer_call', input: { target } };
      },
    });
    const spoken = await personSays(world.speech, asks);
    const callId = await world.call('+12125550103');
    const person = await world.people.next();
    await person.hearsVoice(0);
    await person.hearsSilence(800);
    await person.say(spoken);
    const office = await world.people.next();
    expect(office.number).toContain('12125550190');
    const record = await world.record(callId);
    expect(record.events).toContainEqual(expect.objectContaining({ reason: 'transferred' }));
    const results = (record.events ?? []).flatMap((event) =>
      event.type === 'transfer_ended' ? [event['result']] : [],
    );
    expect(results).toEqual(['busy', 'no_answer', 'connected']);

    // The agent has left: from now on, the target of the transfer is heard.
    const joinedAt = performance.now();
    await office.say(tone(600, 400));
    await person.hearsVoice(joinedAt);
    const heardAt = performance.now();
    await person.say(tone(600, 400));
    await office.hearsVoice(heardAt);
    office.hangUp();
    await waitFor('the person to be hung up on', () => person.leftAt());
    expect(await world.ended(callId)).toMatchObject({ meta: { outcome: 'completed' } });
  });
});
