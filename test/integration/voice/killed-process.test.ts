import { describe, expect, onTestFinished, test } from 'vitest';
import { trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import { createTestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { startVoiceService, voiceProcess } from '../../support/voice/demo/voice-service.ts';
import { makeTalkingAgent } from '../../support/voice/talking-agent.ts';
import { startToneModels } from '../../support/voice/tone-models.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { endedCall } from './call-records.ts';

const trunk = await trunkForTests();
const calls = 10;
const question = 'is the library open';

describe.skipIf(trunk.isMissing)('a voice process that is killed', () => {
  test('with ten calls leaves no line in use and only its last turns unwritten, and the next call uses another process', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const models = await startToneModels({
      hears: Array.from({ length: calls }, () => question),
      answers: () => ({ say: 'It is open until nine, and on Sundays it is closed for the whole day.' }),
    });
    const { system } = trunk.programs();
    const service = await startVoiceService({
      system,
      databaseUrl: database.databaseUrl,
      modelsUrl: models.url,
    });
    onTestFinished(() => service.close());
    const { organization, people, db, fleet } = service;
    const agentId = await makeTalkingAgent(db, {
      organizationId: organization.id,
      voice: { greeting: 'Hello, this is Ada.' },
      skills: [{ type: 'end_call', config: {} }],
    });
    const { member } = organization.clients;
    const callTo = async (n: number) => {
      const { id } = await member.makeCall(agentId, { to_phone: `+1212555010${n}` });
      if (id === null) throw new Error('a call without an id');
      return id;
    };
    const ids = await Promise.all(Array.from({ length: calls }, (_, n) => callTo(n)));
    const persons = await Promise.all(ids.map(() => people.next()));
    await Promise.all(
      persons.map(async (person) => {
        await person.hearsVoice(0);
        await person.hearsSilence(800);
        await person.say(voiceLike(900));
        await person.hearsVoice(performance.now());
      }),
    );

    const killed = await voiceProcess(db);
    await fleet.kill('voice');

    await waitFor('everybody to be hung up on', () => persons.every((person) => person.leftAt() !== null));
    for (const id of ids) {
      const record = await endedCall(organization, id);
      const turns = (record.transcript ?? '').split('\n').map((line) => line.replace(/^\[\d+:\d\d\] /, ''));
      // The turn that was being spoken is lost. Of ten calls, some may have had time to finish it.
      expect(turns.slice(0, 2)).toEqual(['Agent: Hello, this is Ada.', `Person: ${question}`]);
      expect(turns.length).toBeLessThanOrEqual(3);
    }
    const held = await db.selectFrom('calls').select('id').where('line_held', '=', true).execute();
    expect(held).toEqual([]);

    fleet.start('voice');
    // Until the killed process is known to be dead, it may still get calls.
    await voiceProcess(db, killed);
    const next = await callTo(0);
    const person = await people.next();
    await person.hearsVoice(0);
    person.hangUp();
    await endedCall(organization, next);
  });
});
