import type { Attack } from '../attack.ts';
import { waitUntilRead } from './wait-until-read.ts';

export const repeatedWord: Attack = {
  name: 'repeated-word',
  does: 'a viewer searches for one word hundreds of times, over a text of nothing else',
  async begin({ attacker }) {
    const base = await waitUntilRead(attacker, '退货政策。'.repeat(20_000));
    const question = encodeURIComponent('退货 '.repeat(166).trim());
    let longest = 0;
    let largest = 0;
    return {
      async send() {
        const path = `GET ${base}/search?limit=50&q=${question}`;
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
        'let text = marked;\n  for (const part of unspacedParts) text = text.replaceAll(part, `${begin}${part}${end}`);\n  return text',
    },
  ],
};
