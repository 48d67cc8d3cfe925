import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { openTenant } from '../tenant.ts';
import { waitUntilRead } from './wait-until-read.ts';

/** As many as the api has connections, and some that wait. */
const atOnce = 12;
const leavesAfterMs = 3_000;
const lookEveryMs = 100;

export const onePhrase: Attack = {
  name: 'one-phrase',
  does: 'a viewer searches for one phrase of 48 equal letters, twelve times at once, and leaves after three seconds',
  perSecond: 8,
  seconds: 8,
  async begin({ api, db }) {
    const tenant = await openTenant(db, api.url);
    const path = await waitUntilRead(tenant, '退'.repeat(400_000));
    const question = encodeURIComponent('退'.repeat(48));
    let asked = 0;
    let longestMs = 0;
    let most = 0;
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        // Of the api's connections. The attacks themselves have other ones.
        const { rows } = await sql<{ age: number; held: number }>`
          select coalesce(max(extract(epoch from clock_timestamp() - query_start) * 1000), 0)::float8 as age,
            count(*)::integer as held from pg_stat_activity
          where datname = current_database() and state <> 'idle' and query ilike '%knowledge_base_index%'
            and pid <> pg_backend_pid()`.execute(db);
        longestMs = Math.max(longestMs, rows[0]?.age ?? 0);
        most = Math.max(most, rows[0]?.held ?? 0);
        await sleep(lookEveryMs);
      }
    })();
    // Thrown by `figures`, unless the run failed before.
    watching.catch(() => undefined);
    return {
      async send() {
        if (asked >= atOnce) return;
        asked += 1;
        try {
          const answer = await fetch(`${api.url}${path}/search?limit=50&q=${question}`, {
            headers: { 'X-API-Key': tenant.keys.viewer },
            signal: AbortSignal.timeout(leavesAfterMs),
          });
          await answer.text();
        } finally {
          asked -= 1;
        }
      },
      async figures() {
        over.abort();
        await watching;
        return [
          { what: 'the longest statement of a search', measured: longestMs, unit: 'ms', atMost: 2_500 },
          { what: 'connections of its searches', measured: most, unit: '', atMost: 5 },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'db/src/knowledge-base/search.ts',
      find: 'return distinct.length === words.length && words.length <= wordsAtMost',
      replace: 'return words.length > 0',
    },
    {
      file: 'db/src/knowledge-base/search.ts',
      find: 'const searchMs = 1_000;',
      replace: 'const searchMs = 60_000;',
    },
    {
      file: 'api/src/http/mount-routes.ts',
      find: 'return isRead\n    ? { organizationId, signal: answerEnded(res), statementMs: readStatementMs }\n    : ',
      replace: 'void [answerEnded, readStatementMs, isRead, res];\n  return ',
    },
    {
      file: 'db/src/postgres/connection-turns.ts',
      find: 'perOrganization: Math.max(1, Math.floor(connections / 2)),',
      replace: 'perOrganization: connections,',
    },
  ],
};
