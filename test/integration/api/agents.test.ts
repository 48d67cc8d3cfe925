import { addPrompt, addSkill } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, db, organization } = await apiWorld();

const phone = '+15551230000';

describe('GET /agents/{agent_id}', () => {
  test('answers the agent with its skills in order and its newest prompt', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    await addPrompt(db, {
      organizationId: acme.id,
      agentId,
      level: 2,
      prompt: 'Newer',
      explanation: 'why',
      mitigation: 'how',
      harmful_intents: [{ intent: 'fraud' }],
    });
    await addSkill(db, { organizationId: acme.id, agentId, type: 'transfer', exec_order: '2' });
    await addSkill(db, { organizationId: acme.id, agentId, type: 'greet', exec_order: '1', enabled: false });
    const answer = await client.send(`GET /api/v1/agents/${agentId}/`, { key: acme.keys.viewer });
    expect(answer.json).toMatchObject({
      message: 'Data got correctly',
      meta: {},
      data: {
        id: agentId,
        name: 'Caller',
        organization: { name: 'Acme' },
        organization_id: acme.id,
        config: { voice: 'calm' },
        skills: [
          { type: 'greet', exec_order: '1', enabled: false, agent_id: agentId },
          { type: 'transfer', exec_order: '2', enabled: true },
        ],
        latest_prompt: {
          level: 2,
          prompt: 'Newer',
          explanation: 'why',
          mitigation: 'how',
          harmful_intents: [{ intent: 'fraud' }],
          agent_id: agentId,
          organization_id: acme.id,
        },
      },
    });
  });

  test('latest_prompt is null while there is none', async () => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/agents/${await acme.agent({ prompt: null })}`, {
      key: acme.keys.viewer,
    });
    expect(answer.json).toMatchObject({ data: { latest_prompt: null, skills: [] } });
  });
});

describe('GET /agents/{agent_id}/calls', () => {
  test('answers the newest first, in pages', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
        key: acme.keys.member,
        json: { to_phone: phone, meta: { count } },
      });
      made.unshift(JSON.stringify(answer.json));
    }
    const list = async (query: string) => {
      const answer = await client.send(`GET /api/v1/agents/${agentId}/calls${query}`, {
        key: acme.keys.viewer,
      });
      expect(answer.status).toBe(200);
      return answer.json;
    };
    const countsOf = (...counts: number[]) => ({
      data: { calls: counts.map((count) => ({ meta: { count } })) },
    });
    expect(await list('')).toMatchObject({ data: { id: agentId, name: 'Caller', organization_id: acme.id } });
    expect(await list('')).toMatchObject(countsOf(2, 1, 0));
    expect(await list('/?page=2&size=2')).toMatchObject(countsOf(0));
    expect(await list('?page=9')).toMatchObject({ data: { calls: [] } });
  });

  test.each([
    ['page=0', 'greater_than_equal'],
    ['size=101', 'less_than_equal'],
    ['size=ten', 'int_parsing'],
    ['size=', 'int_parsing'],
    ['page=1.5', 'int_parsing'],
    ['page=1&page=2', 'string_type'],
  ])('%s is 422', async (query, type) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/agents/${await acme.agent()}/calls?${query}`, {
      key: acme.keys.viewer,
    });
    expect(answer.status).toBe(422);
    const field = query.split('=', 1)[0];
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', field], type }] });
  });
});
