import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import type { Outcome } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

type ByHand = Awaited<ReturnType<typeof campaignByHand>>;

const office = { start_time: '09:00', end_time: '17:00' };
/** A Friday, 16:50 in New York, the zone of the campaign. */
const fridayEvening = { startAt: '2027-03-05T16:50:00-05:00' };

const stack = await useFileStack(noProcesses);

let hand: ByHand;
async function world(
  config: CampaignConfigBody,
  fields: Partial<CreateCampaignBody> = {},
  at?: { startAt: string },
): Promise<ByHand> {
  hand = await campaignByHand(config, fields, { ...at, on: stack });
  return hand;
}
const pause = () => hand.manager.setStatus(hand.campaignId, 'paused');
const resume = () => hand.manager.setStatus(hand.campaignId, 'running');
const config = (body: CampaignConfigBody) => hand.manager.setConfig(hand.campaignId, body);
const update = (body: Record<string, unknown>) => hand.manager.updateCampaign(hand.campaignId, body);

describe('a change of the config', () => {
  test('that is reverted before the campaign runs again changes nothing', async () => {
    await world({ call_back_attempts: 2 });
    await hand.end(await hand.dial(), 'busy');
    const planned = await hand.recipient();
    await pause();
    await config({ call_back_attempts: 0 });
    await config({ call_back_attempts: 2 });
    await resume();
    expect(await hand.recipient()).toEqual(planned);
  });

  test('that is reverted before the campaign runs again changes nothing for a call that ended meanwhile', async () => {
    await world({ call_back_attempts: 2 });
    const callId = await hand.dial();
    await pause();
    await config({ call_back_attempts: 0 });
    await hand.end(callId, 'busy');
    expect(await hand.recipient()).toMatchObject({ state: 'done' });
    await config({ call_back_attempts: 2 });
    await resume();
    expect(await hand.recipient()).toMatchObject({ state: 'pending', round: 1, round_attempts: 1 });
  });

  test('moves recipients beyond the new limit to their next round if the campaign queues again', async () => {
    await world({ call_back_attempts: 2, queue_again: true, retry_delay_seconds: 60 }, office);
    await hand.end(await hand.dial(), 'busy');
    expect(await hand.recipient()).toMatchObject({ round: 1, round_attempts: 1 });
    await config({ call_back_attempts: 0 });
    expect(await hand.recipient()).toMatchObject({
      state: 'pending',
      round: 2,
      round_attempts: 0,
      next_attempt_at: new Date('2027-03-02T09:00:00-05:00'),
    });
  });

  test('ends the wait for a next round that it no longer gives', async () => {
    await world({ queue_again: true });
    await hand.end(await hand.dial(), 'busy');
    expect(await hand.recipient()).toMatchObject({ state: 'pending', round: 2 });
    await config({ queue_again: false });
    expect(await hand.recipient()).toMatchObject({ state: 'done', finish_reason: 'attempts_used' });
  });

  test('of the delays moves the call-back that waits for them', async () => {
    await world({ call_back_attempts: 2, retry_delays_seconds: { busy: [900, 3_600] } });
    const callId = await hand.dial();
    await hand.end(callId, 'busy');
    const dueAfter = async () => {
      const { next_attempt_at: dueAt } = await hand.recipient();
      const ended = hand.stack.db.selectFrom('calls').select('ended_at').where('id', '=', callId);
      const { ended_at: endedAt } = await ended.executeTakeFirstOrThrow();
      return (Number(dueAt) - Number(endedAt)) / 1000;
    };
    expect(await dueAfter()).toBe(900);
    await config({ retry_delays_seconds: [60] });
    expect(await dueAfter()).toBe(60);
    await config({ retry_delays_seconds: { no_answer: [5] }, retry_delay_seconds: 30 });
    expect(await dueAfter()).toBe(30);
  });

  test('that allows weekends moves Friday’s call-back to Saturday', async () => {
    await world({ call_back_attempts: 1, retry_delay_seconds: 900 }, office, fridayEvening);
    await hand.end(await hand.dial(), 'busy');
    await hand.dialAll();
    const due = async () => (await hand.manager.readDialing(hand.campaignId))?.nextDialAt;
    expect(await due()).toEqual(new Date('2027-03-08T09:00:00-05:00'));
    await config({ call_on_weekend: true });
    await hand.dialAll();
    expect(await due()).toEqual(new Date('2027-03-06T09:00:00-05:00'));
  });
});

describe('a change of the schedule', () => {
  test('plans rounds again: after the zone became Berlin, the next one opens at nine in Berlin', async () => {
    await world({ queue_again: true }, { ...office, additional_params: { timezone: 'America/New_York' } });
    await hand.end(await hand.dial(), 'busy');
    expect((await hand.recipient()).next_attempt_at).toEqual(new Date('2027-03-02T09:00:00-05:00'));
    await pause();
    await update({ additional_params: { timezone: 'Europe/Berlin' } });
    await resume();
    expect((await hand.recipient()).next_attempt_at).toEqual(new Date('2027-03-02T09:00:00+01:00'));
  });

  test('to a later end_date revives only recipients that were finished because of the earlier one', async () => {
    const [over = '', used = ''] = phoneNumbers(2);
    await world(
      { queue_again: true, retry_on: ['busy'] },
      { ...office, phone_numbers: [over, used], end_date: '2027-03-02T08:00:00-05:00' },
    );
    await hand.end(await hand.dial(over), 'busy');
    await hand.end(await hand.dial(used), 'no_answer');
    expect(await hand.recipient(over)).toMatchObject({ state: 'done', finish_reason: 'campaign_over' });
    await pause();
    await update({ end_date: '2027-03-05' });
    await resume();
    expect(await hand.recipient(over)).toMatchObject({
      state: 'pending',
      round: 2,
      next_attempt_at: new Date('2027-03-02T09:00:00-05:00'),
      finish_reason: null,
    });
    expect(await hand.recipient(used)).toMatchObject({ state: 'done', finish_reason: 'not_retryable' });
  });
});

describe.each([
  ['a new list', (list: string[], _back: string[]) => update({ phone_numbers: list })],
  [
    'added recipients',
    (_list: string[], back: string[]) => hand.manager.addRecipients(hand.campaignId, back),
  ],
])('numbers that were taken off the list and come back in %s', (_how, bringBack) => {
  const [stays = '', ...away] = phoneNumbers(4);
  const [one = '', two = '', three = ''] = away;
  /** They leave during their calls, which end afterwards. */
  async function leftDuring(outcomes: Record<string, Outcome>, rules: CampaignConfigBody): Promise<void> {
    await world(rules, { ...office, phone_numbers: [stays, ...away] });
    const callIds = new Map<string, string>();
    for (const number of Object.keys(outcomes)) callIds.set(number, await hand.dial(number));
    await pause();
    await update({ phone_numbers: [stays] });
    for (const [number, outcome] of Object.entries(outcomes)) {
      await hand.end(callIds.get(number) ?? '', outcome);
      expect(await hand.recipient(number)).toMatchObject({ state: 'withdrawn' });
    }
    await bringBack([stays, ...away], away);
  }

  test('wait for the next round if their call used up this one', async () => {
    await leftDuring({ [one]: 'busy' }, { queue_again: true });
    expect(await hand.recipient(one)).toMatchObject({
      state: 'pending',
      round: 2,
      round_attempts: 0,
      next_attempt_at: new Date('2027-03-02T09:00:00-05:00'),
    });
  });

  test('wait for their delay if they are called back in this round', async () => {
    await leftDuring({ [one]: 'busy' }, { call_back_attempts: 1, retry_delay_seconds: 3_600 });
    const { ended_at: endedAt } = await hand.stack.db
      .selectFrom('calls')
      .select('ended_at')
      .where('campaign_id', '=', hand.campaignId)
      .executeTakeFirstOrThrow();
    expect(await hand.recipient(one)).toMatchObject({
      state: 'pending',
      round: 1,
      round_attempts: 1,
      next_attempt_at: new Date(Number(endedAt) + 3_600_000),
    });
  });

  test('are done if nothing follows', async () => {
    await leftDuring({ [one]: 'completed', [two]: 'busy', [three]: 'unknown' }, {});
    const done = { state: 'done', next_attempt_at: null };
    expect(await hand.recipient(one)).toMatchObject({ ...done, finish_reason: 'reached' });
    expect(await hand.recipient(two)).toMatchObject({ ...done, finish_reason: 'attempts_used' });
    expect(await hand.recipient(three)).toMatchObject({ ...done, finish_reason: 'not_retryable' });
  });

  test('are judged by the rules that came into force while they were away', async () => {
    await world({ call_back_attempts: 3 }, { ...office, phone_numbers: [stays, ...away] });
    await hand.end(await hand.dial(one), 'busy');
    await pause();
    await update({ phone_numbers: [stays] });
    await resume();
    await config({ call_back_attempts: 0 });
    await pause();
    await bringBack([stays, ...away], away);
    expect(await hand.recipient(one)).toMatchObject({ state: 'done', finish_reason: 'attempts_used' });
    expect(await hand.recipient(two)).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

describe('a requested round', () => {
  const request = (outcome: Outcome) => hand.manager.retryRecipients(hand.campaignId, [outcome]);

  test.each<[string, CampaignConfigBody]>([
    ['retry_on does not name the outcome', { retry_on: ['busy'] }],
    ['the attempts are used up', { max_attempts_per_recipient: 1 }],
  ])('is dialed although %s', async (_why, rules) => {
    await world(rules, office);
    await hand.end(await hand.dial(), 'no_answer');
    await request('no_answer');
    // A later change of the rules does not remove the round either.
    await config({ call_back_attempts: 0 });
    await hand.dial();
    expect(await hand.recipient()).toMatchObject({ state: 'dialing', attempts: 2, round: 2 });
  });

  test('is still dialed after its number left the list and came back', async () => {
    const [stays = '', leaves = ''] = phoneNumbers(2);
    await world({}, { ...office, phone_numbers: [stays, leaves] });
    await hand.end(await hand.dial(leaves), 'busy');
    await request('busy');
    await pause();
    await update({ phone_numbers: [stays] });
    await update({ phone_numbers: [stays, leaves] });
    await resume();
    await hand.dial(leaves);
    expect(await hand.recipient(leaves)).toMatchObject({ state: 'dialing', attempts: 2, round: 2 });
  });
});

test('a campaign without any opening left cannot be set running', async () => {
  // From Friday evening to the end of Sunday, office hours have no window.
  await world({}, { ...office, end_date: '2027-03-07' }, fridayEvening);
  await pause();
  await hand.stack.clock.set('2027-03-05T18:00:00-05:00');
  await expect(resume()).rejects.toThrow(/409.*never_open/s);
});
