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

  test("is the operator's text for the place of the person", async () => {
    const { body } = await placedCall({}, { text: 'Said by order of {{agent}}.' });
    expect(body.disclosure).toMatchObject({ language: 'en' });
    expect(body.disclosure?.text).toMatch(/^Said by order of /);
  });

  test('is empty without a request for one', async () => {
    const { world, call_id, body } = await placedCall({});
    expect(body).toMatchObject({ disclosure: null, recording: null });
    const { events } = await world.row(call_id);
    expect(events.filter((event) => event.type === 'disclosure')).toEqual([]);
  });

  test('announces the recording if the law requires it', async () => {
    const config = { telephony: { record: true } };
    const { body } = await placedCall(config, { recording: 'announced' });
    expect(body).toMatchObject({ recording: 'announced', disclosure: { text: 'This call is recorded.' } });
  });

  test("prevents recording if it is off, whatever the agent's config", async () => {
    const { body } = await placedCall({ telephony: { record: true } }, { recording: 'off' });
    expect(body).toMatchObject({ recording: 'off', disclosure: null });
    expect(body.agent.config).toEqual({ telephony: { record: false } });
  });
});
