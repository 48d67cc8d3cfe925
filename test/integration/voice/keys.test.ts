import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isVoiceMissing, useVoice } from './voice-world.ts';

describe.skipIf(isVoiceMissing)('keys on a real telephone line', () => {
  const openWorld = useVoice();

  test('reach the agent, and the opt-out key suppresses the person', async () => {
    const heard: string[] = [];
    const world = await openWorld({
      phrases: ['hello'],
      answer(words) {
        heard.push(words);
        return { say: 'That was a key.' };
      },
      compliance: { opt_out_key: '9' },
    });
    const person = '+12125550106';
    const callId = await world.call(person);
    const bot = await world.people.next();
    await bot.hearsVoice(0);
    await bot.hearsSilence(800);
    const pressedAt = performance.now();
    await world.press('5');
    await bot.hearsVoice(pressedAt);
    expect(heard.join('\n')).toMatch(/pressed 5/);
    await bot.hearsSilence(800, pressedAt);

    const suppressed = () =>
      world.stack.db
        .selectFrom('suppressions')
        .select('phone_number')
        .where('phone_number', '=', person)
        .executeTakeFirst();
    expect(await suppressed()).toBeUndefined();
    await world.press('9');
    await waitFor('the number to be suppressed', suppressed);
    bot.hangUp();
    const record = await world.ended(callId);
    const digits = (record.events ?? []).flatMap((event) => (event.type === 'dtmf' ? [event['digit']] : []));
    expect(digits).toEqual(['5', '9']);
    await expect(world.call(person)).rejects.toThrow('number_suppressed');
  });
});
