import { rolesFrom, type Usage, usage, usageQuery } from '@outdial/contracts';
import { engineNow, readUsage as readRows, type UsageKey, type UsageRow } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { ValidationError } from '../../http/errors.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const daysAtMost = 366;

export const readUsage = defineList(
  {
    path: '/api/v1/usage',
    operationId: 'readUsage',
    summary: 'Read your usage',
    description: `Returns the number, minutes, cost and outcomes of the calls made at or after \`from\` and before \`to\`, newest first. By default, covers the last ${defaultDays} days; at most ${daysAtMost}. Deleted and erased calls still count.`,
    tag: 'organization',
    roles: rolesFrom('viewer'),
    query: usageQuery,
    item: usage,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => {
    const to = query.to ?? (await engineNow(db));
    const from = query.from ?? new Date(to.getTime() - defaultDays * dayMs);
    requireSpan(from, to);
    return {
      rows: await readRows(db, { organizationId, from, to, by: query.by, page }),
      position: (row: UsageRow) => [row.key],
      view: (row: UsageRow) => usageView(row, query.by),
      meta: { from: from.toISOString(), to: to.toISOString(), by: query.by },
    };
  },
);

function requireSpan(from: Date, to: Date): void {
  if (to.getTime() - from.getTime() <= daysAtMost * dayMs) return;
  throw new ValidationError([
    {
      loc: ['query', 'from'],
      msg: `from should be at most ${daysAtMost} days before to`,
      type: 'value_error',
    },
  ]);
}

function usageView(row: UsageRow, by: UsageKey): Usage {
  return {
    ...keyOf(row.key, by),
    calls: row.calls,
    minutes: Math.round((row.seconds / 60) * 100) / 100,
    cost: Number(row.cost),
    outcomes: row.outcomes,
  };
}

function keyOf(key: string, by: UsageKey): Partial<Usage> {
  switch (by) {
    case 'day':
      return { day: key };
    case 'campaign':
      return { campaign_id: key === '' ? null : key };
    case 'agent':
      return { agent_id: key };
  }
}
