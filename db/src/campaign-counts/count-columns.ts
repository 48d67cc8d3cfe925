import { outcomes, type Outcome } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

/** The public states. Every recipient is in exactly one. */
export const recipientStates = [
  'waiting',
  'retrying',
  'in_call',
  'reached',
  'unreached',
  'suppressed',
  'withdrawn',
] as const;

export type PublicRecipientState = (typeof recipientStates)[number];

/** The columns of `campaign_counts` and `campaign_count_changes` that are counts. */
export const countColumns = [
  ...recipientStates,
  ...outcomes.map((outcome) => `last_${outcome}` as const),
  'dials',
] as const;

export type CountColumn = (typeof countColumns)[number];

/**
 * The state of a row of `campaign_recipients`, with the same rules as the triggers. A recipient that was withdrawn after its last call keeps the state from that call.
 */
export const stateConditions: Record<PublicRecipientState, string> = {
  waiting: `state = 'pending' and last_outcome is null`,
  retrying: `state = 'pending' and last_outcome is not null`,
  in_call: `state = 'dialing'`,
  reached: `state = 'done' and last_outcome = 'completed'`,
  unreached: `state = 'done' and last_outcome is distinct from 'completed'`,
  suppressed: `state = 'suppressed'`,
  withdrawn: `state = 'withdrawn'`,
};

/** `expression` for each count, under the name of its column. */
export function eachCount(expression: (column: CountColumn) => RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(countColumns.map((column) => sql`${expression(column)} as ${sql.ref(column)}`));
}

export const countedRecipients: RawBuilder<unknown> = eachCount((column) => {
  if (column === 'dials') return sql`coalesce(sum(attempts), 0)::int`;
  return sql`count(*) filter (where ${sql.raw(conditionOf(column))})::int`;
});

function conditionOf(column: Exclude<CountColumn, 'dials'>): string {
  const state = recipientStates.find((name) => name === column);
  if (state !== undefined) return stateConditions[state];
  return `last_outcome = '${column.slice('last_'.length)}'`;
}

export type CountRow = Record<CountColumn, number>;

export function outcomeCounts(row: CountRow): Partial<Record<Outcome, number>> {
  return Object.fromEntries(
    outcomes.flatMap((outcome) => {
      const count = row[`last_${outcome}`];
      return count === 0 ? [] : [[outcome, count]];
    }),
  );
}
