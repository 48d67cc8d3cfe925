import type { CampaignPurpose as Purpose, ConsentBasis } from '@outdial/core';
import { expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { noProcesses } from '../engine/by-hand.ts';
import { personUnder } from './person-under-policy.ts';

const stack = await useFileStack(noProcesses);

const [ohio, berlin, tokyo, moscow] = ['+16145550123', '+493012345678', '+819012345678', '+79161234567'];
/** On a Tuesday, hours at which calls are allowed in these places. */
const dayIn: Record<string, string> = {
  [ohio]: '2027-03-02T17:00:00Z',
  [berlin]: '2027-03-02T10:00:00Z',
  [tokyo]: '2027-03-02T03:00:00Z',
  [moscow]: '2027-03-02T07:30:00Z',
};

/** A person under a policy, in a campaign that does not ask for consent itself. */
async function person(
  phoneNumber: string,
  { purpose, policy = 'strict' }: { purpose?: Purpose; policy?: 'strict' | 'standard' | 'none' } = {},
) {
  const at = dayIn[phoneNumber] ?? '';
  const hand = await personUnder(stack, { phoneNumber, at, policy }, { ...(purpose && { purpose }) });
  const consents = async (basis: ConsentBasis, scope: readonly Purpose[] | null = null) => {
    const [id = ''] = await giveConsent(stack.db, hand.organization.id, [phoneNumber], { basis, scope });
    return id;
  };
  return { ...hand, consents };
}

const written = ['prior_express_written'];
const express = ['prior_express', 'prior_express_written'];

test.each([
  ['marketing in the United States', ohio, 'marketing', written, 'US'],
  ['no purpose in the United States', ohio, undefined, written, 'US'],
  ['service in the United States', ohio, 'service', express, 'US'],
  ['no purpose in Germany', berlin, undefined, express, 'DE'],
  ['marketing in Russia, which no consent allows', moscow, 'marketing', [], 'RU'],
] as const)('%s needs consent under strict', async (_, number, purpose, bases, jurisdiction) => {
  const hand = await person(number, { ...(purpose && { purpose }) });
  await hand.consents('inquiry');
  const explained = await hand.explain();
  expect(explained).toMatchObject({ decision: 'would_refuse', refused_by: 'no_consent' });
  expect(explained.grounds?.consent).toMatchObject({ purpose: purpose ?? 'marketing', bases });
  expect(explained.grounds?.consent?.rules).toContainEqual(expect.objectContaining({ jurisdiction }));
  const { name } = explained.grounds?.rules.find((rule) => rule.jurisdiction === jurisdiction) ?? {};
  const forecast = await hand.manager.forecast(hand.campaignId);
  expect(forecast.skipped).toEqual([{ reason: 'no_consent', rules: [name], count: 1 }]);
  expect(await hand.dialAll()).toEqual([]);
  expect(await hand.recipient()).toMatchObject({ state: 'suppressed', attempts: 0 });
  const { refused } = await hand.manager.readRefusals(hand.campaignId);
  expect(refused).toMatchObject([{ condition: 'no_consent', people: 1 }]);
  expect(refused[0]?.rules).toContain(name);
});

test.each([
  ['the needed kind', ohio, { purpose: 'marketing' }, 'prior_express_written'],
  ['a lesser kind for a service', ohio, { purpose: 'service' }, 'prior_express'],
  ['express consent in Germany', berlin, {}, 'prior_express'],
] as const)('%s allows the call, and the receipt names it', async (_, number, of, basis) => {
  const hand = await person(number, of);
  const id = await hand.consents(basis);
  const receipt = await hand.manager.readReceipt(await hand.dial());
  expect(receipt.consent).toMatchObject({ id, basis });
  expect(receipt.conditions).toContainEqual(
    expect.objectContaining({ condition: 'no_consent', verdict: 'holds' }),
  );
});

test.each([
  ['a lesser kind', ohio, { purpose: 'marketing' }, 'prior_express', undefined],
  ['another purpose', berlin, { purpose: 'marketing' }, 'prior_express', ['service']],
] as const)('a consent of %s does not', async (_, number, of, basis, scope) => {
  const hand = await person(number, of);
  await hand.consents(basis, scope);
  expect(await hand.dialAll()).toEqual([]);
});

test.each([
  ['standard', berlin, {}],
  ['none', ohio, {}],
  ['strict', tokyo, {}],
  ['strict', berlin, { purpose: 'service' }],
] as const)('no consent is needed under %s at %s for %j', async (policy, number, of) => {
  const hand = await person(number, { policy, ...of });
  expect(await hand.dialAll()).toHaveLength(1);
});

test('a direct call asks the same, and its refusal names the rule, the kind and the remedy', async () => {
  const hand = await person(ohio);
  const { agentId, clients } = hand.organization;
  const call = (purpose?: Purpose) =>
    clients.member.makeCall(agentId, { to_phone: ohio, ...(purpose && { purpose }) });
  await expect(call()).rejects.toMatchObject({ status: 409, code: 'no_consent' });
  await expect(call()).rejects.toThrow(
    /United States \(47 CFR 64\.1200.*marketing, of the kind prior_express_written\. .*POST \/api\/v1\/consents.*purpose/,
  );
  await hand.consents('prior_express');
  await expect(call('marketing')).rejects.toMatchObject({ code: 'no_consent' });
  await call('service');
});
