import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { openTenant } from '../tenant.ts';

/** Calls of 128 KB each: a member may create them with `meta` and `prompt_params` of 64 KiB. */
const callsOfAList = 400;

export const heavyLists: Attack = {
  name: 'heavy-lists',
  does: 'viewers read lists of hundreds of calls with 128 KB each, and leave in the middle',
  async begin({ api, db }) {
    // A separate tenant, so that the lists of the other attacks stay short.
    const tenant = await openTenant(db, api.url);
    await sql`
      insert into calls (id, organization_id, agent_id, attempt, provider, phase, outcome, phone_number, prompt_id,
        prompt_params, meta, created_by, created_at, gated_at, ended_at)
      select gen_random_uuid(), ${tenant.organizationId}, ${tenant.agentId}, 1, 'simulator', 'ended', 'completed', '+15551230001', p.id,
        jsonb_build_object('name', repeat('x', 64000)), jsonb_build_object('crm', repeat('y', 64000)),
        (select min(id::text)::uuid from users where organization_id = ${tenant.organizationId}),
        now() - n * interval '1 second', now(), now()
      from agent_prompts p, generate_series(1, ${callsOfAList}::integer) n
      where p.agent_id = ${tenant.agentId}`.execute(db);
    const lists = [
      `/api/v1/calls?limit=${callsOfAList}`,
      `/api/v1/agents/${tenant.agentId}/calls?page=1&size=100`,
      `/api/v1/people/${encodeURIComponent('+15551230001')}/export`,
    ];
    let turn = 0;
    return {
      async send() {
        turn += 1;
        const answer = await fetch(`${api.url}${lists[turn % lists.length] ?? ''}`, {
          headers: { 'X-API-Key': tenant.keys.admin },
          signal: AbortSignal.timeout(10_000),
        });
        const reader = answer.body?.getReader();
        await reader?.read();
        if (turn % 2 === 0) await reader?.cancel();
        else while ((await reader?.read())?.done === false);
      },
    };
  },
  // The bound is the memory of the api, which every attack must keep.
  withoutProtection: [
    {
      file: 'api/src/http/rows-at-once.ts',
      find: 'const fetchedBytesAtMost = 16 * 1024 * 1024;',
      replace: 'const fetchedBytesAtMost = 16 * 1024 * 1024 * 1024;',
    },
    {
      file: 'api/src/http/long-answers.ts',
      find: 'read: { perOrganization: 4, together: 12, forOthers: 6 },',
      replace: 'read: { perOrganization: 4_000, together: 12_000, forOthers: 0 },',
    },
  ],
};
