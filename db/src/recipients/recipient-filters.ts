import { outcomes, type Outcome } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import {
  recipientStates,
  stateConditions,
  type PublicRecipientState,
} from '../campaign-counts/campaign-counts.ts';

/** Filters for the recipients of a campaign; an omitted filter selects all. */
export interface RecipientFilters {
  state?: PublicRecipientState | undefined;
  outcome?: Outcome | undefined;
  phoneNumber?: string | undefined;
}

/** `never` means recipients that were never called. */
type LastOutcome = Outcome | 'never';

/**
 * The conditions whose union is the result of a filter. Each has an equality on every column that precedes the id in its index. So Postgres reads the
 * rows in the order of their ids, and stops after a page.
 */
export function filterBranches(filters: RecipientFilters): Array<RawBuilder<unknown>> {
  const { state, outcome, phoneNumber } = filters;
  if (phoneNumber !== undefined) {
    const asked = [sql`r.phone_number = ${phoneNumber}`];
    // The query has one table, so its columns need no table name.
    if (state !== undefined) asked.push(sql`(${sql.raw(stateConditions[state])})`);
    if (outcome !== undefined) asked.push(sql`r.last_outcome = ${outcome}`);
    return [sql.join(asked, sql` and `)];
  }
  if (state === undefined && outcome === undefined) return [sql`true`];
  const states = state === undefined ? recipientStates : [state];
  return states.flatMap((one) => branchesOfState(one, outcome));
}

function branchesOfState(
  state: PublicRecipientState,
  outcome: Outcome | undefined,
): Array<RawBuilder<unknown>> {
  const possible = possibleOutcomes(state).filter((one) => outcome === undefined || one === outcome);
  const each = (of: RawBuilder<unknown>) =>
    possible.map((one) => sql`${of} and coalesce(r.last_outcome, '') = ${one === 'never' ? '' : one}`);
  switch (state) {
    case 'waiting':
    case 'retrying':
      return each(sql`r.state = 'pending'`);
    case 'in_call':
      // At most as many as the campaign has lines.
      return [
        sql`r.state = 'dialing' and (${outcome ?? null}::text is null or r.last_outcome = ${outcome ?? null})`,
      ];
    case 'reached':
    case 'unreached':
      return each(sql`r.state = 'done'`);
    case 'suppressed':
      return each(sql`r.state = 'suppressed'`);
    case 'withdrawn':
      return each(sql`r.state = 'withdrawn'`);
    default:
      return state satisfies never;
  }
}

function possibleOutcomes(state: PublicRecipientState): LastOutcome[] {
  switch (state) {
    case 'waiting':
      return ['never'];
    case 'retrying':
      return [...outcomes];
    case 'reached':
      return ['completed'];
    case 'unreached':
      return [...outcomes.filter((outcome) => outcome !== 'completed'), 'never'];
    default:
      return [...outcomes, 'never'];
  }
}
