import { endpointsByPart, readAgentVoice } from '@outdial/contracts';
import { chooseVoiceProcess, findAgentConfig, readVoiceRoom, releaseVoiceCall, type Db } from '@outdial/db';
import type { MediaRuntimes } from '@outdial/engine';
import { createCallTokens } from '@outdial/runtime';

/** When a call is tried again that found no voice process. */
const retryAfterMs = 5_000;
/** Between a placing and the first sound: a call that is placed again, and clocks that differ. */
const slackSeconds = 60;

/** Gives calls of agents that talk by `config.voice` to voice processes. */
export function createMediaRuntimes(args: {
  db: Db;
  secret: string;
  ringTimeoutSeconds: number;
  log: { warn(fields: object, message: string): void };
}): MediaRuntimes {
  const { db, log } = args;
  const tokens = createCallTokens(args.secret);
  const heldForSeconds = args.ringTimeoutSeconds + slackSeconds;
  return {
    async room(executor, agent) {
      const config = await findAgentConfig(executor, agent);
      const read = readAgentVoice(config ?? {}, null);
      if (read.kind === 'none') return null;
      if (read.kind === 'faulty' || read.voice.mode !== 'cascade') return 0;
      return readVoiceRoom(executor, endpointsByPart(read.voice));
    },
    async choose({ callId, organizationId, config, now }) {
      const read = readAgentVoice(config, null);
      if (read.kind === 'none') return { kind: 'none' };
      if (read.kind === 'faulty') {
        log.warn({ call_id: callId, faults: read.faults }, 'config.voice of an agent is not understood');
        return { kind: 'wait', retryAfterMs, reason: 'agent_voice_faulty' };
      }
      if (read.voice.mode !== 'cascade') {
        return { kind: 'wait', retryAfterMs, reason: 'voice_mode_not_carried' };
      }
      const endpoints = endpointsByPart(read.voice);
      const chosen = await chooseVoiceProcess(db, { callId, endpoints, heldForSeconds });
      if (chosen.kind === 'none') return { kind: 'wait', retryAfterMs, reason: chosen.reason };
      const token = await tokens.mint({ organizationId, callId }, { now, lifetimeSeconds: heldForSeconds });
      return { kind: 'chosen', runtime: { url: chosen.url, token, records: read.voice.record } };
    },
    release: (callId) => releaseVoiceCall(db, callId),
  };
}
