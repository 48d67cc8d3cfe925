import type { TransferRequest, TransferResult } from '@outdial/core';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { applications, channel, variable } from './ari-events.ts';
import { bridgeOf, endVariableOf, isApplicationOf, transferChannelOf, transferredVariable } from './names.ts';
import { endpointFor, isDialable } from './originate.ts';
import { outcomeOf } from './outcome.ts';
import type { AsteriskSettings } from './settings.ts';
import { clearVariable, readEnd, setVariable } from './variables.ts';

const pollEveryMs = 250;
/** Asterisk ends the ringing itself. We wait this much longer for it. */
const slackMs = 5_000;
/** How many requests in a row Asterisk may leave unanswered. */
const silentAtMost = 8;

/**
 * Calls the target, and adds it to the bridge of person and agent. Any process can do this, because the state is on the Asterisk: channel names are derived
 * from the call's id, and a channel variable marks the call as transferred.
 */
export async function transferCall(
  ari: AriClient,
  settings: AsteriskSettings,
  request: TransferRequest,
  signal: AbortSignal,
): Promise<TransferResult> {
  const { callId, toPhone, ringTimeoutSeconds, maxCallSeconds } = request;
  const id = transferChannelOf(callId);
  const application = isDialable(toPhone) ? await listenerOf(ari, settings.name) : null;
  if (application === null || signal.aborted) return 'failed';
  const placed = await ari.ask({
    method: 'POST',
    path: `/channels/${id}`,
    body: {
      endpoint: endpointFor(settings.endpoint, toPhone),
      app: application,
      timeout: ringTimeoutSeconds,
      ...(settings.callerId !== null && { callerId: `<${settings.callerId}>` }),
      variables: {
        // The name under which the dialplan stores the end record.
        OUTDIAL_CALL_ID: id,
        'CHANNEL(hangup_handler_push)': `${settings.context},end,1`,
        'TIMEOUT(absolute)': String(ringTimeoutSeconds + maxCallSeconds),
      },
    },
  });
  if (placed.kind !== 'done') return 'failed';
  const answered = await untilAnswered(ari, id, { ringTimeoutSeconds, signal });
  if (answered !== 'answered') return answered;
  return join(ari, callId);
}

/** The application of a process that receives the events of both channels, and ends the call when one side hangs up. */
async function listenerOf(ari: AriClient, provider: string): Promise<string | null> {
  const answer = await ari.ask({ method: 'GET', path: '/applications' });
  const read = answer.kind === 'done' ? applications.safeParse(answer.body) : null;
  return read?.data?.find(({ name }) => isApplicationOf(provider, name))?.name ?? null;
}

async function untilAnswered(
  ari: AriClient,
  id: string,
  args: { ringTimeoutSeconds: number; signal: AbortSignal },
): Promise<'answered' | Exclude<TransferResult, 'connected'>> {
  const giveUpAt = performance.now() + args.ringTimeoutSeconds * 1_000 + slackMs;
  for (let silent = 0; silent < silentAtMost && !args.signal.aborted;) {
    if (performance.now() > giveUpAt) break;
    const answer = await ari.ask({ method: 'GET', path: `/channels/${id}` });
    if (answer.kind === 'refused' && answer.status === 404) return endOf(ari, id);
    silent = answer.kind === 'done' ? 0 : silent + 1;
    if (answer.kind === 'done' && channel.safeParse(answer.body).data?.state === 'Up') return 'answered';
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
  await ari.ask({ method: 'DELETE', path: `/channels/${id}` });
  return performance.now() > giveUpAt ? 'no_answer' : 'failed';
}

async function endOf(ari: AriClient, id: string): Promise<Exclude<TransferResult, 'connected'>> {
  const record = await readEnd(ari, id);
  await clearVariable(ari, endVariableOf(id));
  const outcome = record === null ? 'failed' : outcomeOf(record.ending);
  if (outcome === 'busy' || outcome === 'no_answer') return outcome;
  return outcome === 'rejected' ? 'busy' : 'failed';
}

async function join(ari: AriClient, callId: string): Promise<TransferResult> {
  // Marked before the media connection can close, because its close ends a call that is not marked as transferred.
  const marked = await setVariable(ari, [transferredVariable, '1'], callId);
  const joined =
    marked.kind === 'done' &&
    (await ari.ask({
      method: 'POST',
      path: `/bridges/${bridgeOf(callId)}/addChannel`,
      query: { channel: transferChannelOf(callId) },
    }));
  if (joined !== false && joined.kind === 'done') return 'connected';
  await setVariable(ari, [transferredVariable, ''], callId);
  await ari.ask({ method: 'DELETE', path: `/channels/${transferChannelOf(callId)}` });
  return 'failed';
}

/** Whether the person has been transferred. Retries if Asterisk is slow, because a wrong "no" would end their call. */
export async function isTransferred(ari: AriClient, callId: string): Promise<boolean> {
  const query = { variable: transferredVariable };
  const marked = await askWithRetries(() =>
    ari.ask({ method: 'GET', path: `/channels/${callId}/variable`, query }),
  );
  const read = marked.kind === 'done' ? variable.safeParse(marked.body) : null;
  if (read?.data?.value !== '1') return false;
  const other = await askWithRetries(() =>
    ari.ask({ method: 'GET', path: `/channels/${transferChannelOf(callId)}` }),
  );
  return other.kind === 'done';
}

async function askWithRetries(ask: () => Promise<AriAnswer>): Promise<AriAnswer> {
  let answer = await ask();
  for (
    let tries = 1;
    tries < silentAtMost && answer.kind !== 'done' && answer.kind !== 'refused';
    tries += 1
  ) {
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    answer = await ask();
  }
  return answer;
}
