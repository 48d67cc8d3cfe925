import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@outdial/db';
import type { Attack } from '../attack.ts';
import { idOf } from '../tenant.ts';

/** Each text is read in less than a second. At the end of a long run, some are still queued. */
const readWithinMs = 60_000;

export const blankDocuments: Attack = {
  name: 'blank-documents',
  does: 'a member uploads texts of spaces and of one word, which took a minute each to read',
  async begin({ attacker, db }) {
    const base = idOf(await attacker.send('POST /api/v1/knowledge-base', { json: { name: 'Blank' } }));
    const texts = [
      `x${' '.repeat(700_000)}y`,
      `${' \t'.repeat(350_000)}.`,
      '退货政策。'.repeat(45_000),
      'a'.repeat(700_000),
    ];
    let turn = 0;
    return {
      async send() {
        const form = new FormData();
        // The content differs each time, because a document with known content is not read again.
        form.set('file', new Blob([`${turn} ${texts[turn % texts.length]}`]), 'blank.txt');
        turn += 1;
        await attacker.send(`POST /api/v1/knowledge-base/${base}/items`, { role: 'member', body: form });
      },
      async figures() {
        const giveUpAt = performance.now() + readWithinMs;
        while ((await countOf(db, base, 'waiting')) > 0 && performance.now() < giveUpAt) await sleep(100);
        const unread = (await countOf(db, base, 'waiting')) + (await countOf(db, base, 'failed'));
        return [{ what: 'texts that took too long to read', measured: unread, unit: '', atMost: 0 }];
      },
    };
  },
  perSecond: 3,
  settings: { EXTRACTION_TIMEOUT_SECONDS: '10' },
  withoutProtection: [
    {
      file: 'packages/providers/src/extraction/text/clean-text.ts',
      find: ".replace(/(?<![ \\t])[ \\t]+\\n/g, '\\n')",
      replace: ".replace(/[ \\t]+\\n/g, '\\n')",
    },
  ],
};

async function countOf(db: Db, base: string, kind: 'waiting' | 'failed'): Promise<number> {
  const statuses = kind === 'failed' ? (['failed'] as const) : (['pending', 'processing'] as const);
  const { documents } = await db
    .selectFrom('knowledge_base_documents')
    .select(({ fn }) => fn.countAll<string>().as('documents'))
    .where('knowledge_base_id', '=', base)
    .where('status', 'in', statuses)
    .executeTakeFirstOrThrow();
  return Number(documents);
}
