import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { idOf } from '../tenant.ts';

/** Only the preparation. It may be slow on a busy machine. */
const readyWithinMs = 120_000;
/** Seldom, so that polling does not use up the attacker's rate limit. */
const lookEveryMs = 500;

export const repeatedWord: Attack = {
  name: 'repeated-word',
  does: 'a viewer searches for one word hundreds of times, over a text of nothing else',
  async begin({ attacker }) {
    const base = idOf(await attacker.send('POST /api/v1/knowledge-base', { json: { name: 'Words' } }));
    const items = `/api/v1/knowledge-base/${base}/items`;
    const form = new FormData();
    form.set('file', new Blob(['退货政策。'.repeat(20_000)]), 'words.txt');
    const item = idOf(await attacker.send(`POST ${items}`, { body: form }));
    const giveUpAt = performance.now() + readyWithinMs;
    for (;;) {
      const { text } = await attacker.send(`GET ${items}/${item}`);
      if (text.includes('"status":"ready"')) break;
      if (text.includes('"status":"failed"') || performance.now() > giveUpAt) {
        throw new Error(`the text is not ready: ${text.slice(0, 500)}`);
      }
      await sleep(lookEveryMs);
    }
    const question = encodeURIComponent('退货 '.repeat(166).trim());
    let longest = 0;
    let largest = 0;
    return {
      async send() {
        const path = `GET /api/v1/knowledge-base/${base}/search?limit=50&q=${question}`;
        const answer = await attacker.send(path, { role: 'viewer' });
        longest = Math.max(longest, answer.ms);
        largest = Math.max(largest, answer.text.length / 1e6);
      },
      figures: async () => [
        { what: 'the largest answer of a search', measured: largest, unit: 'MB', atMost: 2 },
        { what: 'the longest search', measured: longest, unit: 'ms', atMost: 5_000 },
      ],
    };
  },
  perSecond: 10,
  withoutProtection: [
    {
      file: 'api/src/routes/knowledge-base/search.ts',
      find: 'const question = boundedQuestion(query.q);',
      replace: 'const question = query.q;',
    },
    {
      file: 'api/src/routes/knowledge-base/highlight.ts',
      find: 'return markPieces(marked, [...pieces])',
      replace:
        'let text = marked;\n  for (const part of unspacedParts) text = text.replaceAll(part, `${BEGIN}${part}${END}`);\n  return text',
    },
  ],
};
