import type {
  CallReference,
  CallFact,
  HangUpResult,
  LookUpResult,
  Misconfiguration,
  PlaceCallRequest,
  PlaceResult,
  TelephonyProvider,
} from '@outdial/core';
import { createAriClient, type AriAnswer } from './ari-client.ts';
import { channel, channels, variable } from './ari-events.ts';
import { channelState, readEndRecord } from './end-record.ts';
import { endedFact } from './facts.ts';
import { clearVariable, clearEnd } from './variables.ts';
import { canceledVariableOf, endVariableOf, isCallId, recordingOf, recordingUrlOf } from './names.ts';
import { isDialable, mediaUrlOf, originateBody } from './originate.ts';
import { createDialplanProbe } from './probe.ts';
import { deleteAsteriskRecording, openAsteriskRecording } from './recording.ts';
import { readAgentTelephony, resolveTarget, type ResolvedTarget } from './runtime-target.ts';
import { createRuntimeConnections } from './runtime-connections.ts';
import { openSession, type Session } from './session.ts';
import type { AsteriskSettings } from './settings.ts';
import { transferCall } from './transfer.ts';

/** How long a call waits for the event websocket to open. After that, another worker with an open websocket may place it. */
const connectWithinMs = 2_500;
/** The hangup cause of a call that the engine ends: normal clearing (Q.850). */
const normalClearing = '16';
/** How long after a look-up the dialplan's end record is cleared. By then, the engine has recorded the end. */
const clearAfterMs = 60_000;

/** Calls over the operator's SIP trunks through Asterisk's ARI (docs/asterisk.md). */
export function createAsterisk(settings: AsteriskSettings): TelephonyProvider {
  const ari = createAriClient(settings);
  const probe = createDialplanProbe(ari);
  const connections = createRuntimeConnections(ari);
  /** One per process. Tests open several in one process. */
  const sessions = new Set<Session>();

  /** Waits for a session whose event websocket is open. Without one, ARI would place the call, but its answer would go unnoticed. */
  async function untilSessionOpen(): Promise<Session | null> {
    const isOpen = (session: Session) => session.socket.isOpen();
    const open = [...sessions].find(isOpen);
    if (open || sessions.size === 0) return open ?? null;
    await Promise.race([...sessions].map((session) => session.socket.untilOpen(connectWithinMs)));
    return [...sessions].find(isOpen) ?? null;
  }

  async function place(request: PlaceCallRequest, signal: AbortSignal): Promise<PlaceResult> {
    if (!isDialable(request.toPhone)) return refused('invalid_number', 'the number is not in E.164');
    const agent = readAgentTelephony(request.agent.config);
    if (agent === null) {
      return misconfigured(
        'agent',
        'config_telephony_not_understood',
        "correct the agent's config.telephony",
      );
    }
    const resolved = chosenTarget(request) ?? resolveTarget(agent.runtime, settings);
    // The row's own runtime serves all agents that name none.
    const of = agent.runtime === undefined && settings.runtime !== null ? 'provider' : 'agent';
    if (resolved.kind === 'none') return misconfigured(of, resolved.reason, checkRuntime);
    const session = await untilSessionOpen();
    if (session === null) return { kind: 'unreachable', reason: 'the event websocket of Asterisk is down' };
    const { application } = session;
    const { target } = resolved;
    const entry = await probe.exists({ context: settings.context, extension: 'start' }, application);
    if (entry === false) {
      return { kind: 'unreachable', reason: `the dialplan has no context ${settings.context}` };
    }
    if (target.kind === 'dialplan' && (await probe.exists(target, application)) === false) {
      const code = `no_extension ${target.extension}@${target.context}`;
      return misconfigured(of, code, `add the extension to the dialplan, or ${checkRuntime}`);
    }
    if (target.kind === 'media' && (await connections.nameOf(target.url)) === null) {
      const remedy = 'add the connection to websocket_client.conf of the Asterisk';
      return misconfigured(request.mediaRuntime ? 'provider' : of, 'runtime_not_configured', remedy);
    }
    if (signal.aborted || !session.socket.isOpen()) {
      return { kind: 'unreachable', reason: 'the event websocket of Asterisk is down' };
    }
    session.expect(request.callId);
    const body = originateBody({ request, settings, agent, target, application });
    const answer = await ari.ask({ method: 'POST', path: `/channels/${request.callId}`, body, signal });
    if (answer.kind === 'done') session.placed(request.callId);
    if (answer.kind === 'refused' && answer.status === 409) return alreadyThere(request.callId, signal);
    return placed(answer);
  }

  /**
   * ARI answers 409 if a channel with this id exists, from an earlier send. After that, it may also answer 409 to other failures on the same
   * connection, because the thread that serves the connection keeps the error. So we look for the channel itself.
   */
  async function alreadyThere(callId: string, signal: AbortSignal): Promise<PlaceResult> {
    const answer = await ari.ask({ method: 'GET', path: `/channels/${callId}`, signal });
    if (answer.kind === 'done') return placed(answer);
    return { kind: 'ambiguous', reason: 'ARI reports that the call exists, but has no such channel' };
  }

  async function lookUp(call: CallReference, signal: AbortSignal): Promise<LookUpResult> {
    const answer = await ari.ask({ method: 'GET', path: `/channels/${call.callId}`, signal });
    if (answer.kind === 'done') {
      const read = channel.safeParse(answer.body);
      if (!read.success) return { kind: 'unreachable', reason: 'the answer is not a channel' };
      const { state, protocol_id: protocolId } = read.data;
      return found(protocolId ?? null, progressOf(call, state));
    }
    if (answer.kind === 'refused' && answer.status === 404) return lookUpEnd(call, signal);
    return { kind: 'unreachable', reason: reasonOf(answer) };
  }

  /** The channel is gone, or never existed. The dialplan's end record tells how the call ended; Asterisk keeps it only until it restarts. */
  async function lookUpEnd(call: CallReference, signal: AbortSignal): Promise<LookUpResult> {
    const query = { variable: endVariableOf(call.callId) };
    const answer = await ari.ask({ method: 'GET', path: '/asterisk/variable', query, signal });
    if (answer.kind !== 'done') return { kind: 'unreachable', reason: reasonOf(answer) };
    const read = variable.safeParse(answer.body);
    const record = read.success ? readEndRecord(read.data.value) : null;
    if (record === null) return { kind: 'unknown' };
    const stored = await ari.ask({
      method: 'GET',
      path: `/recordings/stored/${recordingOf(call.callId)}`,
      signal,
    });
    // The end of a call is told once, and with its recording.
    if (stored.kind !== 'done' && !(stored.kind === 'refused' && stored.status === 404)) {
      return { kind: 'unreachable', reason: reasonOf(stored) };
    }
    setTimeout(() => void clearEnd(ari, call.callId, record.ending), clearAfterMs).unref();
    const recordingUrl = stored.kind === 'done' ? recordingUrlOf(call.callId) : null;
    return found(null, [endedFact(call.callId, record.at, record.ending, recordingUrl)]);
  }

  async function hangUp(call: CallReference, signal: AbortSignal): Promise<HangUpResult> {
    const path = `/channels/${call.callId}`;
    // Tells all listening processes why the call ended.
    const query = { variable: canceledVariableOf(call.callId), value: '1' };
    await ari.ask({ method: 'POST', path: '/asterisk/variable', query, signal });
    const answer = await ari.ask({ method: 'DELETE', path, query: { reason_code: normalClearing }, signal });
    // The end arrives as an event, and frees the line.
    if (answer.kind === 'done') return { kind: 'requested' };
    if (answer.kind !== 'refused' || answer.status !== 404) {
      return { kind: 'unreachable', reason: reasonOf(answer) };
    }
    await clearVariable(ari, canceledVariableOf(call.callId));
    return { kind: 'confirmed' };
  }

  return {
    name: settings.name,
    // Asterisk refuses a duplicate id only while the channel exists.
    idempotency: 'none',
    acceptsUnasked: true,
    place,
    lookUp,
    hangUp,
    async pressKeys(callId, digits, signal) {
      const query = { dtmf: digits };
      const answer = await ari.ask({ method: 'POST', path: `/channels/${callId}/dtmf`, query, signal });
      return answer.kind === 'done';
    },
    async listCalls(_since, signal) {
      const answer = await ari.ask({ method: 'GET', path: '/channels', signal });
      if (answer.kind !== 'done') return { kind: 'unreachable', reason: reasonOf(answer) };
      const read = channels.safeParse(answer.body);
      if (!read.success) return { kind: 'unreachable', reason: 'the answer is not a list of channels' };
      const calls = read.data
        .filter(({ id }) => isCallId(id))
        .map(({ id }) => ({ conversationId: id, callId: id, toPhone: null, at: null }));
      return { kind: 'listed', calls, areInProgress: true };
    },
    transfer: (request, signal) => transferCall(ari, settings, request, signal),
    deleteRecording: (call, signal) => deleteAsteriskRecording(ari, call.callId, signal),
    openRecording: (call, signal) => openAsteriskRecording(ari, call.callId, signal),
    async listen(listener, signal) {
      const session = openSession({ settings, ari, connections, listener, signal });
      sessions.add(session);
      await session.over;
      sessions.delete(session);
    },
  };
}

/** The media server that the engine has chosen. It is the operator's own, so it needs no entry in the list of allowed hosts. */
function chosenTarget({ mediaRuntime }: PlaceCallRequest): ResolvedTarget | null {
  if (!mediaRuntime) return null;
  const { url, token } = mediaRuntime;
  return { kind: 'target', target: { kind: 'media', url: mediaUrlOf(url), format: 'ulaw', token } };
}

const refused = (outcome: 'failed' | 'invalid_number', externalStatus: string): PlaceResult => ({
  kind: 'refused',
  outcome,
  externalStatus,
});

const misconfigured = (of: Misconfiguration['of'], code: string, remedy: string): PlaceResult => ({
  kind: 'misconfigured',
  of,
  code,
  remedy,
});

const checkRuntime = "check telephony.runtime in the agent's config, or the provider's runtime";

const found = (conversationId: string | null, progress: readonly CallFact[]): LookUpResult => ({
  kind: 'found',
  conversationId,
  progress,
  nextChangeAt: null,
});

/** Interprets the answer to an originate. */
function placed(answer: AriAnswer): PlaceResult {
  switch (answer.kind) {
    case 'done': {
      const read = channel.safeParse(answer.body);
      return { kind: 'accepted', conversationId: (read.success && read.data.protocol_id) || null };
    }
    case 'not_connected':
      return { kind: 'unreachable', reason: answer.reason };
    case 'broken':
      return { kind: 'ambiguous', reason: answer.reason };
    case 'not_ari':
      // Asterisk's HTTP server starts before ARI, and answers 404 until then. A proxy may or may not have forwarded the request.
      if (answer.status === 404) return { kind: 'unreachable', reason: 'ARI is not up' };
      return { kind: 'ambiguous', reason: `http_${answer.status}` };
    case 'refused':
      return refusedBy(answer.status, answer.message);
  }
}

function refusedBy(status: number, message: string): PlaceResult {
  if (status === 400) {
    return {
      kind: 'refused',
      outcome: 'failed',
      externalStatus: `http_400 ${message}`.slice(0, 200),
      isUnknownCode: true,
    };
  }
  if (status === 401 || status === 403) {
    const remedy = "check the provider's ARI user and password (ASTERISK_USER, ASTERISK_PASSWORD)";
    return misconfigured('provider', `http_${status}`, remedy);
  }
  // There is no channel: our credentials are wrong, or Asterisk cannot reach the trunk. The number is not at fault.
  return { kind: 'unreachable', reason: `http_${status} ${message}`.slice(0, 200) };
}

function progressOf(call: CallReference, state: string): CallFact[] {
  const { rang, answered } = channelState(state);
  const when = (kind: string) => ({ eventId: `${call.callId}:${kind}`, at: call.now });
  if (answered) return [{ kind: 'answered', ...when('answered') }];
  return rang ? [{ kind: 'ringing', ...when('ringing') }] : [];
}

function reasonOf(answer: Exclude<AriAnswer, { kind: 'done' }>): string {
  if (answer.kind === 'refused') return `http_${answer.status} ${answer.message}`.slice(0, 200);
  return answer.kind === 'not_ari' ? `http_${answer.status}` : answer.reason;
}
