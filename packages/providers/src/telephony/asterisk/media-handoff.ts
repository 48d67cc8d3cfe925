import type { ProviderListener } from '@outdial/core';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { readNote, type HandoffNote } from './handoff-note.ts';
import {
  bridgeOf,
  listeningChannelOf,
  mediaChannelOf,
  recordingOf,
  transferChannelOf,
  transferredVariable,
} from './names.ts';
import { isTransferred } from './transfer.ts';
import type { RuntimeConnections } from './runtime-connections.ts';
import type { RuntimeTarget } from './runtime-target.ts';
import { readVariable, setVariable } from './variables.ts';

/** Connects answered calls to the agent's voice runtime. */
export interface MediaHandoff {
  /** The call has entered this process's ARI application. */
  begin(callId: string, noteText: string | undefined): Promise<void>;
  /** Calls in progress that were joined to their runtime. */
  joined(): string[];
  /** Whether `begin` or `adopt` was called for this call. */
  hasBegun(callId: string): boolean;
  /** The snoop channel of the recording has entered the application. */
  record(callId: string): Promise<void>;
  /** The websocket leg has entered the application. */
  join(callId: string): Promise<void>;
  /** The websocket leg is gone: the runtime has hung up, or never answered. */
  mediaGone(callId: string): Promise<void>;
  targetGone(callId: string): Promise<void>;
  /** Takes over a call that a process which is now gone had joined to its runtime. */
  adopt(callId: string, now: { hasMedia: boolean }): Promise<void>;
  callGone(callId: string): Promise<void>;
}

/** Asterisk refused a step, so the call cannot continue. */
class StepFailed extends Error {
  readonly code: string;

  constructor(code: string, answer: AriAnswer | null) {
    const said = answer?.kind === 'refused' ? answer.message : answer?.kind;
    super(`${code}: ${said ?? 'not asked'}`);
    this.name = 'StepFailed';
    this.code = code;
  }
}

export function createMediaHandoff(args: {
  ari: AriClient;
  connections: RuntimeConnections;
  application: string;
  log: ProviderListener['log'];
}): MediaHandoff {
  const { ari, connections, application, log } = args;
  /** Calls with a websocket leg, and whether the leg was joined to the call. */
  const media = new Map<string, 'connecting' | 'joined'>();
  const begun = new Set<string>();

  async function must(code: string, asked: Promise<AriAnswer>): Promise<void> {
    const answer = await asked;
    if (answer.kind !== 'done') throw new StepFailed(code, answer);
  }

  async function listenIn(callId: string): Promise<void> {
    const answer = await ari.ask({
      method: 'POST',
      path: `/channels/${callId}/snoop/${listeningChannelOf(callId)}`,
      query: { spy: 'both', app: application },
    });
    if (answer.kind !== 'done') log.warn({ call_id: callId, answer }, 'a call cannot be recorded');
  }

  async function connectMedia(callId: string, target: RuntimeTarget & { kind: 'media' }, note: HandoffNote) {
    const connection = await connections.nameOf(target.url);
    if (connection === null) throw new StepFailed('runtime_not_configured', null);
    media.set(callId, 'connecting');
    await must(
      'runtime_unreachable',
      ari.ask({
        method: 'POST',
        path: '/channels/externalMedia',
        query: {
          channelId: mediaChannelOf(callId),
          app: application,
          external_host: connection,
          transport: 'websocket',
          encapsulation: 'none',
          connection_type: 'client',
          format: target.format,
          transport_data: `v(call_id=${callId},agent_id=${note.agentId}${target.token === undefined ? '' : `,token=${target.token}`})`,
        },
        // If the call ends while no process is alive, the leg must end too.
        body: { variables: { 'TIMEOUT(absolute)': String(note.longestSeconds) } },
      }),
    );
  }

  async function toRuntime(callId: string, note: HandoffNote): Promise<void> {
    const { target } = note;
    if (target.kind === 'media') return connectMedia(callId, target, note);
    await must(
      'dialplan_refused',
      ari.ask({
        method: 'POST',
        path: `/channels/${callId}/continue`,
        query: { context: target.context, extension: target.extension, priority: '1' },
      }),
    );
  }

  /** Hangs up on a person whose voice runtime cannot be reached, because silence would be worse. */
  async function giveUp(callId: string, code: string): Promise<void> {
    log.warn(
      { call_id: callId, reason: code },
      'an answered call could not be connected to its voice runtime',
    );
    await setVariable(ari, ['OUTDIAL_FAILED', code], callId);
    await ari.ask({ method: 'DELETE', path: `/channels/${callId}` });
  }

  return {
    joined: () => [...media].flatMap(([callId, state]) => (state === 'joined' ? [callId] : [])),
    hasBegun: (callId) => begun.has(callId),
    async begin(callId, noteText) {
      begun.add(callId);
      const note = readNote(noteText);
      if (note === null) return giveUp(callId, 'no_note');
      if (note.records) await listenIn(callId);
      try {
        await toRuntime(callId, note);
      } catch (error) {
        await giveUp(callId, error instanceof StepFailed ? error.code : 'adapter_failed');
      }
    },
    async record(callId) {
      const answer = await ari.ask({
        method: 'POST',
        path: `/channels/${listeningChannelOf(callId)}/record`,
        query: { name: recordingOf(callId), format: 'wav', ifExists: 'overwrite' },
      });
      if (answer.kind !== 'done') log.warn({ call_id: callId, answer }, 'a call cannot be recorded');
    },
    async join(callId) {
      const bridge = bridgeOf(callId);
      try {
        await must(
          'no_bridge',
          ari.ask({ method: 'POST', path: '/bridges', query: { type: 'mixing', bridgeId: bridge } }),
        );
        await must(
          'not_bridged',
          ari.ask({
            method: 'POST',
            path: `/bridges/${bridge}/addChannel`,
            query: { channel: `${callId},${mediaChannelOf(callId)}` },
          }),
        );
        media.set(callId, 'joined');
        await setVariable(ari, ['OUTDIAL_JOINED', '1'], callId);
      } catch (error) {
        await giveUp(callId, error instanceof StepFailed ? error.code : 'adapter_failed');
      }
    },
    async mediaGone(callId) {
      if (media.get(callId) === 'connecting') return giveUp(callId, 'runtime_unreachable');
      if (await isTransferred(ari, callId)) return;
      await ari.ask({ method: 'DELETE', path: `/channels/${callId}` });
    },
    async adopt(callId, { hasMedia }) {
      begun.add(callId);
      media.set(callId, 'joined');
      if (hasMedia || (await isTransferred(ari, callId))) return;
      // The runtime has hung up meanwhile.
      await ari.ask({ method: 'DELETE', path: `/channels/${callId}` });
    },
    async targetGone(callId) {
      // If the target did not answer, the person stays with the agent.
      if ((await readVariable(ari, transferredVariable, callId)) !== '1') return;
      await ari.ask({ method: 'DELETE', path: `/channels/${callId}` });
    },
    async callGone(callId) {
      begun.delete(callId);
      if (!media.delete(callId)) return;
      await ari.ask({ method: 'DELETE', path: `/channels/${transferChannelOf(callId)}` });
      await ari.ask({ method: 'DELETE', path: `/channels/${mediaChannelOf(callId)}` });
      await ari.ask({ method: 'DELETE', path: `/bridges/${bridgeOf(callId)}` });
    },
  };
}
