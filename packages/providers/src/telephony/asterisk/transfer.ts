import type { Briefing, TransferRequest, TransferResult } from '@outdial/core';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { applications, channel, variable } from './ari-events.ts';
import {
  bridgeOf,
  endVariableOf,
  holdSoundOf,
  isApplicationOf,
  transferChannelOf,
  transferredVariable,
} from './names.ts';
import { endpointFor, isDialable } from './originate.ts';
import { outcomeOf } from './outcome.ts';
import type { AsteriskSettings } from './settings.ts';
import { clearVariable, readEnd, setVariable } from './variables.ts';

const pollEveryMs = 250;
/** Asterisk ends the ringing itself. We wait this much longer for it. */
const slackMs = 5_000;
/** How many requests in a row Asterisk may leave unanswered. */
const silentAtMost = 8;
/** The sound of ringing, for a person on hold. Music would need files that an Asterisk may lack. */
const holdSound = 'tone:440+480/1500,0/2500';

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
  if (placed.kind === 'refused' || placed.kind === 'not_connected') return 'failed';
  // Without an answer from ARI, the target may ring all the same.
  const answered = await untilAnswered(ari, id, { ringTimeoutSeconds, signal });
  if (answered !== 'answered') return answered;
  if (request.brief === undefined) return connect(ari, callId, { add: id });
  return briefed(ari, callId, request.brief, signal);
}

/** Lets the agent talk with the target alone, who then takes the call or not. */
async function briefed(
  ari: AriClient,
  callId: string,
  brief: Briefing,
  signal: AbortSignal,
): Promise<TransferResult> {
  const id = transferChannelOf(callId);
  const over = new AbortController();
  const gone = watch(ari, id, over.signal);
  let isHeld = false;
  const join = async () => {
    isHeld = true;
    return (
      (await toBridge(ari, callId, 'removeChannel', callId)) &&
      (await play(ari, callId)) &&
      (await toBridge(ari, callId, 'addChannel', id))
    );
  };
  const answer = await brief(join, AbortSignal.any([signal, gone])).finally(() => over.abort());
  const isTaken = answer && isHeld && !signal.aborted && !gone.aborted;
  if (isHeld) await stopPlaying(ari, callId);
  if (isTaken && (await connect(ari, callId, { add: callId })) === 'connected') return 'connected';
  await ari.ask({ method: 'DELETE', path: `/channels/${id}` });
  // Without the bridge, the person would hear nothing for the rest of the call.
  const isBack = !isHeld || (await toBridge(ari, callId, 'addChannel', callId));
  if (!isBack) await ari.ask({ method: 'DELETE', path: `/channels/${callId}` });
  await clearVariable(ari, endVariableOf(id));
  return isTaken ? 'failed' : 'not_taken';
}

/** Aborts once the channel is gone. */
function watch(ari: AriClient, id: string, over: AbortSignal): AbortSignal {
  const gone = new AbortController();
  void (async () => {
    while (!over.aborted) {
      const answer = await ari.ask({ method: 'GET', path: `/channels/${id}` });
      if (answer.kind === 'refused' && answer.status === 404) return gone.abort();
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
  })();
  return gone.signal;
}

/** A channel that has just answered is not in the application yet, and refused. */
async function toBridge(
  ari: AriClient,
  callId: string,
  step: 'addChannel' | 'removeChannel',
  channelId: string,
): Promise<boolean> {
  const path = `/bridges/${bridgeOf(callId)}/${step}`;
  for (let tries = 0; tries < silentAtMost; tries += 1) {
    const answer = await ari.ask({ method: 'POST', path, query: { channel: channelId } });
    if (answer.kind === 'done') return true;
    if (answer.kind === 'refused' && answer.status === 404) return false;
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
  return false;
}

async function play(ari: AriClient, callId: string): Promise<boolean> {
  const path = `/channels/${callId}/play/${holdSoundOf(callId)}`;
  const answer = await ari.ask({ method: 'POST', path, body: { media: [holdSound] } });
  return answer.kind === 'done';
}

const stopPlaying = (ari: AriClient, callId: string) =>
  ari.ask({ method: 'DELETE', path: `/playbacks/${holdSoundOf(callId)}` });

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

/** Connects person and target, one of whom is in the bridge already. */
async function connect(ari: AriClient, callId: string, { add }: { add: string }): Promise<TransferResult> {
  // Marked before the media connection can close, because its close ends a call that is not marked as transferred.
  const marked = await setVariable(ari, [transferredVariable, '1'], callId);
  if (marked.kind === 'done' && (await toBridge(ari, callId, 'addChannel', add))) return 'connected';
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
