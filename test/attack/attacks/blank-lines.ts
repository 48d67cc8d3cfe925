import type { Attack } from '../attack.ts';

/** One line took a quarter of a minute, in which the api answered nobody. */
const spaces = 60_000;
const line = `${' '.repeat(spaces)}x`;
const importedWithinMs = 5_000;

export const blankLines: Attack = {
  name: 'blank-lines',
  does: 'a manager imports lists whose cells have lines of 60,000 spaces',
  async begin({ attacker }) {
    let longestMs = 0;
    let imported = 0;
    return {
      async send() {
        const body = new FormData();
        body.set('file', new Blob([`phone,person_ref\n+12125550142,"a\n${line}\n${line}"\n`]), 'list.csv');
        const begunAt = performance.now();
        const answer = await attacker.send('POST /api/v1/people/import', { role: 'manager', body });
        longestMs = Math.max(longestMs, performance.now() - begunAt);
        if (answer.status === 200) imported += 1;
      },
      figures: async () => [
        { what: 'the longest import', measured: longestMs, unit: 'ms' as const, atMost: importedWithinMs },
        { what: 'imports', measured: imported, unit: '' as const, atLeast: 1 },
      ],
    };
  },
  isLight: true,
  perSecond: 5,
  withoutProtection: [
    {
      file: 'packages/sheets/src/read-csv.ts',
      find: '  if (text.length > phoneCharactersAtMost) return false;',
      replace:
        '  if (phoneCharactersAtMost > 0) return /^[\\s"\'\\p{Cf}]*\\+?(?:[\\s()./-]*\\p{Nd}){7,15}[\\s"\'\\p{Cf}]*$/u.test(cell);',
    },
  ],
};
