import { type InboundAnswer, numberFromCarrier, type ProviderListener } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import type { AriChannel } from './ari-events.ts';
import type { CallNotes } from './call-notes.ts';
import { writeNote } from './handoff-note.ts';
import { callerEndOf } from './names.ts';
import { mediaUrlOf } from './originate.ts';
import type { RuntimeConnections } from './runtime-connections.ts';
import type { AsteriskSettings } from './settings.ts';

/** The first argument with which the dialplan sends an incoming call to an application. */
export const inboundMark = 'inbound';

/** Handles incoming calls of the trunk. */
export interface Inbound {
  /** An incoming call has entered this process's application. `args` are the mark, the called number and the caller's number. */
  begin(channel: AriChannel, args: readonly string[]): Promise<void>;
}

/** Hangup causes (Q.850) for calls that are not answered. */
const causes = { unknownNumber: '1', busy: '17' };

/**
 * A channel's id cannot be changed, and every part of a call is found by the call's id. So an incoming call gets a second channel with that id: one end of
 * a local channel, which is handled like a dialed call. The dialplan bridges the other end with the caller (`outdial.conf`), so that the hang-up of either
 * side ends both, even if this process is gone.
 */
export function createInbound(args: {
  ari: AriClient;
  settings: AsteriskSettings;
  connections: RuntimeConnections;
  application: string;
  notes: CallNotes;
  listener: ProviderListener;
}): Inbound {
  const { ari, settings, connections, application, notes, listener } = args;
  const context = `${settings.context}-inbound`;

  const hangUp = (channelId: string, cause: string) =>
    ari.ask({ method: 'DELETE', path: `/channels/${channelId}`, query: { reason_code: cause } });

  /** False if Asterisk refuses a step. Then only the caller's channel is left. */
  async function connect(channelId: string, answer: InboundAnswer & { kind: 'answered' }): Promise<boolean> {
    const { callId, agentId, runtime, longestSeconds } = answer;
    const url = mediaUrlOf(runtime.url);
    if ((await connections.nameOf(url)) === null) return false;
    const rings = await ari.ask({
      method: 'POST',
      path: `/channels/${channelId}/continue`,
      query: { context, extension: 'ring', priority: '1' },
    });
    if (rings.kind !== 'done') return false;
    const note = notes.of(callId);
    note.owned = true;
    // The caller hears ringing. If they hang up before the agent answers, the outcome is "no answer".
    note.rang = true;
    const target = { kind: 'media', url, format: 'ulaw', token: runtime.token } as const;
    const placed = await ari.ask({
      method: 'POST',
      path: `/channels/${callId}`,
      body: {
        // `/n` keeps Asterisk from optimizing away the channel with the call's id.
        endpoint: `Local/agent@${context}/n`,
        otherChannelId: callerEndOf(callId),
        // Without it, Asterisk converts the sound of each call twice, and it arrives at half its loudness.
        formats: 'ulaw',
        context: settings.context,
        extension: 'start',
        priority: 1,
        variables: {
          OUTDIAL_CALL_ID: callId,
          OUTDIAL_CALLER: channelId,
          OUTDIAL_APP: application,
          OUTDIAL_HANDOVER: writeNote({ records: false, agentId, longestSeconds, target }),
          'TIMEOUT(absolute)': String(longestSeconds),
          'CHANNEL(hangup_handler_push)': `${settings.context},end,1`,
        },
      },
    });
    if (placed.kind === 'done') note.placed = true;
    return placed.kind === 'done';
  }

  return {
    async begin(channel, [, toPhone, fromPhone]) {
      const answer = await listener.inbound?.({
        // Not the SIP Call-ID: the caller chooses it, and could end another call by reusing its id.
        conversationId: channel.id,
        toPhone: numberFromCarrier(toPhone),
        fromPhone: numberFromCarrier(fromPhone),
      });
      if (answer?.kind !== 'answered') {
        await hangUp(channel.id, answer?.isUnknownNumber === true ? causes.unknownNumber : causes.busy);
        return;
      }
      if (await connect(channel.id, answer)) return;
      const { callId } = answer;
      listener.log.warn({ call_id: callId }, 'Asterisk did not connect an incoming call');
      await hangUp(channel.id, causes.busy);
      const details = { externalStatus: 'not_connected' };
      const at = new Date();
      await listener.deliver(callId, {
        kind: 'ended',
        eventId: `${callId}:ended`,
        at,
        outcome: 'failed',
        details,
      });
    },
  };
}
