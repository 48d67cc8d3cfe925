import { type CallResults, countCall, emptyResults, hourClock } from '../plots/call-results.ts';
import { outcomeOf } from '../words/outcomes.ts';
import { api, OutdialError } from './api.ts';
import { attemptOf, type Call } from './calls.ts';

/** Larger campaigns count only their newest calls, which the screen shows. */
export const callsCounted = 20_000;

/** Counts the calls of a campaign while its export is read, without storing them. */
export async function readResults(
  campaignId: string,
  timeZone: string,
): Promise<CallResults & { isCut: boolean }> {
  const { data, error, response } = await api.GET('/api/v1/campaigns/{campaign_id}/export', {
    params: { path: { campaign_id: campaignId }, query: { of: 'calls', format: 'ndjson' } },
    parseAs: 'stream',
  });
  if (!response.ok || data == null) throw new OutdialError(response, error);
  const results = emptyResults();
  const hourOf = hourClock(timeZone);
  let lines = 0;
  // With parseAs, this is the stream of bytes.
  for await (const line of linesOf(data)) {
    if (lines++ >= callsCounted) return { ...results, isCut: true };
    const call = JSON.parse(line) as Call;
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

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel();
  }
}
