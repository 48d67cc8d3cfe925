import { setDisclosure, setRecordingRule } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useGatewayWorld } from '../gateway/gateway-world.ts';
import { takesEverything } from '../gateway/scripted-gateway.ts';

const toPhone = '+12125550123';
const placed = z.object({
  disclosure: z.object({ text: z.string(), language: z.string() }).nullable(),
  recording: z.string().nullable(),
  agent: z.object({ config: z.record(z.string(), z.unknown()) }),
});

async function placedCall(config: object, rules: { text?: string; recording?: 'off' | 'announced' } = {}) {
  const world = await useGatewayWorld(takesEverything);
  const { id: organizationId } = world.organization;
  await world.db
    .updateTable('agents')
    .set({ config: JSON.stringify(config) })
    .execute();
  const jurisdiction = 'US-NY';
  if (rules.text !== undefined) {
    await setDisclosure(world.db, organizationId, { jurisdiction, language: 'en', text: rules.text });
  }
  if (rules.recording !== undefined) {
    await setRecordingRule(world.db, organizationId, { jurisdiction, mode: rules.recording });
  }
  const call_id = await world.call(toPhone);
  await waitFor('accepted', async () => (await world.row(call_id)).accepted_at);
  const sent = world.gateway.seen.find((one) => one.method === 'POST' && one.path === '/calls');
  return { world, call_id, body: placed.parse(JSON.parse(sent?.body ?? '{}')) };
}

describe('the disclosure of a call', () => {
  test('precedes the greeting, is in the record, and is marked once the runtime has played it', async () => {
    const { world, call_id, body } = await placedCall({ compliance: { disclose: true } });
    expect(body.disclosure?.text).toContain('artificial voice');
    const typesOf = async () => (await world.row(call_id)).events.map((event) => event.type);
    expect(await typesOf()).toContain('disclosure');
    expect(await typesOf()).not.toContain('disclosed');
    expect(await world.send({ call_id, type: 'call.answered' })).toBe(200);
    expect(await world.send({ call_id, type: 'call.disclosed' })).toBe(200);
    expect(await typesOf()).toContain('disclosed');
  });

  test.each([
    [{ text: 'Said by order of {{organization}}.' }, 'Said by order of Acme.', null, true],
    [{ recording: 'announced' }, 'This call is recorded.', 'announced', true],
    [{ recording: 'off' }, null, 'off', false],
    [{}, null, null, true],
  ] as const)('is as the operator rules for the place: %j', async (rules, said, recording, record) => {
    const { world, call_id, body } = await placedCall({ telephony: { record: true } }, rules);
    expect(body.recording).toBe(recording);
    expect(body.agent.config).toEqual({ telephony: { record } });
    expect(body.disclosure).toEqual(said && { text: said, language: 'en' });
    const { events } = await world.row(call_id);
    expect(events.filter((event) => event.type === 'disclosure')).toHaveLength(said ? 1 : 0);
  });
});
