import { createOutdialClient } from '@outdial/client';
import { createMcpServer } from '@outdial/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, openTenant, someNumber } from '../tenant.ts';

export const loneAssistant: Attack = {
  name: 'lone-assistant',
  does: 'an assistant starts campaigns without its person, with words that it found in what it may read',
  async begin({ api, db }) {
    // A separate tenant, whose campaigns no other attack starts.
    const attacker = await openTenant(db, api.url);
    const client = createOutdialClient({ baseUrl: api.url, apiKey: attacker.keys.manager });
    const { server } = await createMcpServer(client, { allowWrites: true });
    const assistant = new Client({ name: 'assistant', version: '1' });
    const [ofServer, ofAssistant] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(ofServer), assistant.connect(ofAssistant)]);
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.stringify(await assistant.callTool({ name, arguments: input }));
    let read = 0;
    return {
      async send() {
        const json = {
          name: 'Mine',
          agent_id: attacker.agentId,
          phone_numbers: [someNumber()],
          status: 'draft',
        };
        const campaign_id = idOf(await attacker.send('POST /api/v1/campaigns', { role: 'manager', json }));
        const texts = [
          await call('preview_start', { campaign_id }),
          await call('get_campaign', { campaign_id }),
          await call('list_campaigns', {}),
        ];
        read += 1;
        const found = texts.flatMap((text) =>
          [...text.matchAll(/confirmation\W+([^"\\]{3,300})/g)].map(([, words]) => words),
        );
        for (const confirmation of [undefined, 'yes', 'CALL', 'call 1', ...found]) {
          await call('start_campaign', { campaign_id, ...(confirmation !== undefined && { confirmation }) });
        }
      },
      async figures() {
        const { rows } = await sql<{ started: number }>`
          select count(*)::int as started from campaigns
          where organization_id = ${attacker.organizationId} and started_by is not null`.execute(db);
        return [
          {
            what: 'campaigns that were started',
            measured: rows[0]?.started ?? 0,
            unit: '' as const,
            atMost: 0,
          },
          { what: 'plans that were read', measured: read, unit: '' as const, atLeast: 1 },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 2,
  withoutProtection: [
    {
      file: 'packages/mcp/src/tools/starting.ts',
      find: '    void confirmation;\n    return plan;',
      replace: '    return { ...plan, confirmation };',
    },
  ],
};
