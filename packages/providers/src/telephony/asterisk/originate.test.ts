import type { PlaceCallRequest } from '@outdial/core';
import { expect, test } from 'vitest';
import { readNote } from './handoff-note.ts';
import { isDialable, originateBody } from './originate.ts';
import { callRequest } from '../call.fixture.ts';
import { trunkSettings } from './trunk.fixture.ts';

const settings = trunkSettings({
  endpoint: 'PJSIP/00{digits}@trunk',
  machine_detection: 'detect',
  caller_id: '+15550009999',
});
const request = callRequest({ agentId: 'a', toPhone: '+15551230000' });
const target = { kind: 'dialplan', context: 'agents', extension: 'talk' } as const;

function bodyOf(
  change: Partial<PlaceCallRequest> = {},
  agent: Parameters<typeof originateBody>[0]['agent'] = {},
) {
  const asked = { ...request, ...change };
  return originateBody({ request: asked, settings, agent, target, application: 'outdial-trunk-1' });
}

/** What the dialplan and another process are told. */
const noteOf = (body: Record<string, unknown>) =>
  readNote((body['variables'] as Record<string, string>)['OUTDIAL_HANDOVER']);

test('has everything that Asterisk, the dialplan and another process need', () => {
  const body = bodyOf();
  expect(body).toMatchObject({
    endpoint: 'PJSIP/0015551230000@trunk',
    context: 'outdial',
    extension: 'start',
    timeout: 30,
    callerId: '<+15550009999>',
    variables: { 'TIMEOUT(absolute)': '690', OUTDIAL_DETECT: '1', OUTDIAL_AMD: '' },
  });
  expect(noteOf(body)).toEqual({
    records: true,
    agentId: 'a',
    longestSeconds: 690,
    target,
  });
});

test.each([
  ["the provider's default", null, {}, false, true],
  ["the agent's setting", null, { record: false }, false, false],
  ['nothing if a voice process records', null, { record: true }, true, false],
  ['nothing if the law forbids it', 'off', { record: true }, false, false],
  ['nothing if the person was not told', 'announced', {}, false, false],
  ['the call if the person was told', 'announced', { record: true }, false, true],
] as const)('records %s', (_name, recording, agent, isCarried, records) => {
  const mediaRuntime = isCarried ? { url: 'ws://127.0.0.1:1', token: 't', records: true } : null;
  expect(noteOf(bodyOf({ recording, mediaRuntime }, agent))).toMatchObject({ records });
});

test('lets an agent set its own caller id, and turn off detection and recording', () => {
  const agent = { machine_detection: null, record: false, caller_id_name: 'Acme "x" <y>' };
  const body = bodyOf({ fromPhone: '+15550001111' }, agent);
  expect(body['callerId']).toBe('"Acme x y" <+15550001111>');
  expect(body['variables']).not.toHaveProperty('OUTDIAL_DETECT');
});

test('shows no caller id that is not a number', () => {
  expect(bodyOf({ fromPhone: '1>;x=<sip:9' })['callerId']).toBe('<+15550009999>');
});

test.each([
  ['+15551230000', true],
  ['15551230000', false],
  ['+1555&PJSIP/9', false],
  ['+1555,x', false],
  ['', false],
])('%j may be dialed: %s', (phone, expected) => {
  expect(isDialable(phone)).toBe(expected);
});
