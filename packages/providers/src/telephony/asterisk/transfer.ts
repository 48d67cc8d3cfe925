import type { TransferRequest, TransferResult } from '@outdial/core';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { applications, channel, variable } from './ari-events.ts';
import { bridgeOf, endVariableOf, isApplicationOf, transferChannelOf, transferredVariable } from './names.ts';
import { endpointFor, isDialable } from './originate.ts';
import { outcomeOf } from './outcome.ts';
import type { AsteriskSettings } from './settings.ts';
import { clearVariable, readEnd, setVariable } from './variables.ts';

const lookEveryMs = 250;
/** Beyond the time that it may ring: Asterisk ends the ringing itself. */
const slackMs = 5_000;
/** Questions in a row that Asterisk did not answer. */
const silentAtMost = 8;

/**
 * Calls the target, and adds it to the bridge of person and agent. Any process can do it, since everything that has to be
 * remembered is on the Asterisk: the channels have names made from the call's, and a variable on the call says that it was transferred.
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
        // The dialplan writes down how it ended under this name.
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

/** A process that hears what becomes of the two: it ends the call when one of them hangs up. */
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
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
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
  // Before the media connection can leave: its end is the end of a call that was not transferred.
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

/** Whether the person has been transferred. An Asterisk that is slow to answer is asked again: a wrong no would end their call. */
export async function isTransferred(ari: AriClient, callId: string): Promise<boolean> {
  const query = { variable: transferredVariable };
  const marked = await askAgain(() =>
    ari.ask({ method: 'GET', path: `/channels/${callId}/variable`, query }),
  );
  const read = marked.kind === 'done' ? variable.safeParse(marked.body) : null;
  if (read?.data?.value !== '1') return false;
  const other = await askAgain(() =>
    ari.ask({ method: 'GET', path: `/channels/${transferChannelOf(callId)}` }),
  );
  return other.kind === 'done';
}

async function askAgain(ask: () => Promise<AriAnswer>): Promise<AriAnswer> {
  let answer = await ask();
  for (
    let tries = 1;
    tries < silentAtMost && answer.kind !== 'done' && answer.kind !== 'refused';
    tries += 1
  ) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    answer = await ask();
  }
  return answer;
}
