import { expect, test } from 'vitest';
import { findOwnerOfNumber } from '@outdial/db';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { anyBackend } from '../../support/queues.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

const stack = await useFileStack({ backend: anyBackend() });

let last = 0;
const newNumber = () => `+1212555${String(1_000 + (last += 1))}`;

async function send(of: TestOrganization, method: string, path: string, json?: object) {
  const answer = await fetch(`${stack.baseUrl}/api/v1/caller-ids${path}`, {
    method,
    headers: { 'X-API-Key': of.apiKeys.manager, ...(json && { 'Content-Type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  });
  const body = (await answer.json()) as { code?: string; data?: { id: string; state: string } };
  return { status: answer.status, code: body.code, id: body.data?.id ?? '', state: body.data?.state };
}

const add = (of: TestOrganization, number: string) =>
  send(of, 'POST', '', { phone_number: number, attestation: 'A' });

const outdial = (...args: string[]) => runOutdial(args, { env: { DATABASE_URL: stack.databaseUrl } });

const fromPhones = async (of: TestOrganization) =>
  (
    await stack.db
      .selectFrom('calls')
      .select('from_phone')
      .where('organization_id', '=', of.id)
      .orderBy('gated_at')
      .execute()
  ).map((call) => call.from_phone);

const waitingFor = async (campaignId: string) =>
  (
    await stack.db
      .selectFrom('campaign_runtime')
      .select('waiting_for')
      .where('campaign_id', '=', campaignId)
      .executeTakeFirstOrThrow()
  ).waiting_for;

test('a number that an organization adds is neither dialed from nor answered until the operator confirms it', async () => {
  const acme = await stack.organization();
  const number = newNumber();
  expect(await add(acme, number)).toMatchObject({ status: 200, state: 'pending' });
  const before = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1) });
  await before.dialed(1);
  expect(await fromPhones(acme)).toEqual([null]);
  expect(await findOwnerOfNumber(stack.db, number)).toBeNull();

  const listed = await outdial('caller-id', 'list', '--json');
  expect(listed.out).toContain(number);
  expect(await outdial('caller-id', 'confirm', number, '--org', acme.id)).toMatchObject({
    status: 0,
    err: '',
  });
  expect((await outdial('caller-id', 'list', '--json')).out).not.toContain(number);
  const after = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1, '00', '556') });
  await after.dialed(1);
  expect(await fromPhones(acme)).toEqual([null, number]);
  expect(await findOwnerOfNumber(stack.db, number)).toMatchObject({ organizationId: acme.id });
});

test('its organization cannot confirm it in another way', async () => {
  const acme = await stack.organization();
  const number = newNumber();
  const { id } = await add(acme, number);
  for (const state of ['active', 'resting', 'retired']) {
    expect(await send(acme, 'PUT', `/${id}`, { state })).toMatchObject({
      status: 409,
      code: 'caller_id_pending',
    });
  }
  expect(await send(acme, 'PUT', `/${id}`, { state: 'pending' })).toMatchObject({ status: 422 });
  expect(await send(acme, 'PUT', `/${id}`, { calls_per_day: 5, state_reason: 'asked' })).toMatchObject({
    status: 200,
    state: 'pending',
  });
  expect((await send(acme, 'DELETE', `/${id}`)).status).toBe(200);
  expect(await add(acme, number)).toMatchObject({ status: 200, state: 'pending' });
});

test('a number belongs to one organization, whatever its state and whoever is faster', async () => {
  const [acme, other] = [await stack.organization(), await stack.organization()];
  const number = newNumber();
  const answers = await Promise.all([add(acme, number), add(other, number)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const [owner, late] = answers[0]?.status === 200 ? [acme, other] : [other, acme];
  expect(await add(late, number)).toMatchObject({ status: 409, code: 'caller_id_taken' });
  expect(await add(owner, number)).toMatchObject({ status: 409, code: 'caller_id_exists' });
  expect((await outdial('caller-id', 'confirm', number, '--org', late.id)).status).not.toBe(0);
  expect(await outdial('caller-id', 'confirm', number, '--org', owner.id)).toMatchObject({ status: 0 });
  expect(await add(late, number)).toMatchObject({ status: 409, code: 'caller_id_taken' });
});

test('a number that is not theirs can be taken from those who added it, so that its owner can', async () => {
  const [squatter, owner] = [await stack.organization(), await stack.organization()];
  const number = newNumber();
  await add(squatter, number);
  expect(await outdial('caller-id', 'reject', number, '--org', squatter.id)).toMatchObject({ status: 0 });
  expect(await add(owner, number)).toMatchObject({ status: 200, state: 'pending' });
  await outdial('caller-id', 'confirm', number, '--org', owner.id);
  expect((await outdial('caller-id', 'reject', number, '--org', owner.id)).status).not.toBe(0);
  expect(await findOwnerOfNumber(stack.db, number)).toMatchObject({ organizationId: owner.id });
});

test('calls use the numbers of the agents again when the last confirmed number is gone, though another waits', async () => {
  const acme = await stack.organization();
  const [confirmed, waiting] = [newNumber(), newNumber()];
  const { id } = await add(acme, confirmed);
  await outdial('caller-id', 'confirm', confirmed, '--org', acme.id);
  await add(acme, waiting);
  await send(acme, 'DELETE', `/${id}`);
  const campaign = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1) });
  await campaign.dialed(1);
  expect(await fromPhones(acme)).toEqual([null]);
});

test('an agent of another organization cannot call from a confirmed number, however it is written', async () => {
  const [owner, other] = [await stack.organization(), await stack.organization()];
  const number = newNumber();
  const agentOf = async (of: TestOrganization, fromPhone: string) => {
    const answer = await fetch(`${stack.baseUrl}/api/v1/agents/${of.agentId}`, {
      method: 'PUT',
      headers: { 'X-API-Key': of.apiKeys.manager, 'Content-Type': 'application/json' },
      body: JSON.stringify({ config: { telephony: { from_phone: fromPhone } } }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const written = [
    number,
    number.slice(1),
    number.slice(2),
    `00${number.slice(1)}`,
    `011${number.slice(1)}`,
    ` +1 (${number.slice(2, 5)}) ${number.slice(5)}`,
  ];

  // While it is only claimed, anybody could have claimed it.
  await add(owner, number);
  for (const one of written) expect(await agentOf(other, one)).toMatchObject({ status: 200 });
  await agentOf(other, number);
  await outdial('caller-id', 'confirm', number, '--org', owner.id);

  const waiting = await runCampaign(stack, other, { phone_numbers: phoneNumbers(1) });
  await waitFor('the campaign waits', async () => (await waitingFor(waiting.id)) === 'voice_not_allowed');
  const call = await fetch(`${stack.baseUrl}/api/v1/agents/${other.agentId}/call`, {
    method: 'POST',
    headers: { 'X-API-Key': other.apiKeys.manager, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to_phone: '+15557000101' }),
  });
  expect(call.status).toBe(409);
  expect(await call.json()).toMatchObject({ code: 'voice_not_allowed' });
  expect(await fromPhones(other)).toEqual([]);

  for (const one of written) {
    const { status, text } = await agentOf(other, one);
    expect({ one, status }).toEqual({ one, status: 422 });
    expect(text).toContain('"config","telephony","from_phone"');
  }
  expect(await agentOf(owner, number)).toMatchObject({ status: 200 });
  expect(await agentOf(other, newNumber())).toMatchObject({ status: 200 });
});
