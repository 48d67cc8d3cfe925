import { judgeCallerId, type Swept } from '@outdial/core';
import { endRests, readCallerIdHours, restCallerIds as rest } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Rests caller ids with too few answers or too many quick hang-ups within an hour, and ends rests that are over. */
export async function restCallerIds({ db, log }: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  const rested = await endRests(db);
  const rests = (await readCallerIdHours(db)).flatMap(({ id, restEndedAt, hour, rules }) => {
    const verdict = judgeCallerId(hour, rules);
    return verdict.kind === 'rest'
      ? [{ id, restEndedAt, reason: verdict.reason, hours: rules.restHours }]
      : [];
  });
  for (const { id, reason } of rests) log.warn({ caller_id: id, reason }, 'a caller id rests');
  return { done: rested + (await rest(db, rests)), isFull: false };
}
