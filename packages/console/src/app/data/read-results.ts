import { type CallResults, countCall, emptyResults, hourClock } from '../plots/call-results.ts';
import { outcomeOf } from '../words/outcomes.ts';
import { allItems } from '@outdial/client';
import { api } from './api.ts';
import { attemptOf } from './calls.ts';

/** Larger campaigns count only their newest calls, which the screen shows. */
export const callsCounted = 20_000;
const callsOfPage = 1_000;

/** Counts the calls of a campaign while its pages are read, without storing them. Roles that may not export read pages too. */
export async function readResults(
  campaignId: string,
  timeZone: string,
): Promise<CallResults & { isCut: boolean }> {
  const results = emptyResults();
  const hourOf = hourClock(timeZone);
  const calls = allItems((cursor) =>
    api.GET('/api/v1/campaigns/{campaign_id}/calls', {
      params: {
        path: { campaign_id: campaignId },
        query: { limit: callsOfPage, ...(cursor !== undefined && { cursor }) },
      },
    }),
  );
  let read = 0;
  for await (const call of calls) {
    if (read++ >= callsCounted) return { ...results, isCut: true };
    const { created_at: createdAt, duration, cost } = call;
    if (createdAt === null) continue;
    const ended = {
      createdAt,
      outcome: outcomeOf(call),
      attempt: attemptOf(call),
      seconds: duration ?? 0,
      cost,
    };
    countCall(results, ended, hourOf);
  }
  return { ...results, isCut: false };
}
