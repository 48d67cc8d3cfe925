import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.ts';

export const inflatedBody: Attack = {
  name: 'inflated-body',
  does: 'a member sends 63 KiB that unpack to lists of lists',
  async begin({ attacker }) {
    const body = new Uint8Array(gzipSync(`{"a":[${'[],'.repeat(21_000_000)}[]]}`));
    const paths = [
      `PUT /api/v1/campaigns/${attacker.organizationId}/status`,
      'POST /api/v1/campaigns',
      `POST /api/v1/agents/${attacker.agentId}/call`,
    ];
    let turn = 0;
    return {
      async send() {
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
        const role = turn % 2 === 0 ? 'viewer' : 'admin';
        await attacker.send(paths[turn++ % paths.length] ?? '', { role, headers, body });
      },
    };
  },
  withoutProtection: [
    {
      file: 'api/src/http/read-body.ts',
      find: 'const ratioAtMost = 100;',
      replace: 'const ratioAtMost = 100_000;',
    },
    {
      file: 'api/src/http/json-body.ts',
      find: 'structure: { containers: 2_100_000, values: 8_000_000, depth: maxDepth },',
      replace: 'structure: { containers: 1e9, values: 1e9, depth: maxDepth },',
    },
  ],
};
