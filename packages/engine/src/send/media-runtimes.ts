import { endpointsByPart, readAgentVoice } from '@outdial/contracts';
import {
  chooseVoiceProcess,
  findAgentConfig,
  readVoiceCapacity,
  releaseVoiceCall,
  type Db,
  type CallKey,
} from '@outdial/db';
import type { MediaRuntimes } from '../deps.ts';

/** When to retry a call without a voice process. */
const retryAfterMs = 5_000;
/** Allows for a repeated send and for clocks that differ. */
const slackSeconds = 60;
/** A carrier may queue a call before it dials. A long lifetime is harmless: the token is useless after the end of its call. */
const carrierQueueSeconds = 600;
/** For faults that an operator has to correct first. */
const misfitRetryMs = 60_000;

/** Assigns voice processes to calls of agents with `config.voice`. */
export function createMediaRuntimes(args: {
  db: Db;
  /** Tokens that name a call to a voice process. */
  tokens: {
    mint(call: CallKey, valid: { now: Date; lifetimeSeconds: number }): Promise<string>;
  };
  ringTimeoutSeconds: number;
  log: { warn(fields: object, message: string): void };
}): MediaRuntimes {
  const { db, log } = args;
  const reservedForSeconds = args.ringTimeoutSeconds + slackSeconds;
  return {
    async freeCapacity(executor, agent) {
      const config = await findAgentConfig(executor, agent);
      const read = readAgentVoice(config ?? {}, null);
      if (read.kind === 'none') return null;
      if (read.kind === 'faulty') return 0;
      return readVoiceCapacity(executor, {
        organizationId: agent.organizationId,
        endpoints: endpointsByPart(read.voice),
      });
    },
    async choose({ callId, organizationId, config, now, support }) {
      const read = readAgentVoice(config, null);
      if (read.kind === 'none') return { kind: 'none' };
      if (read.kind === 'faulty') {
        log.warn({ call_id: callId, faults: read.faults }, 'config.voice of an agent is invalid');
        return { kind: 'wait', retryAfterMs, reason: 'agent_voice_faulty' };
      }
      const { voice } = read;
      const isText = voice.mode === 'relay';
      if (isText && !support.text) {
        log.warn(
          { call_id: callId, field: 'config.voice.mode', mode: voice.mode },
          'the carrier does not support the voice mode of the agent',
        );
        return { kind: 'wait', retryAfterMs: misfitRetryMs, reason: 'voice_mode_not_carried' };
      }
      const endpoints = endpointsByPart(voice);
      const chosen = await chooseVoiceProcess(db, { organizationId, callId, endpoints, reservedForSeconds });
      if (chosen.kind === 'none') return { kind: 'wait', retryAfterMs, reason: chosen.reason };
      if (support.secureOnly && !chosen.url.startsWith('wss:')) {
        await releaseVoiceCall(db, callId);
        log.warn(
          { call_id: callId, url: chosen.url },
          'the carrier can only reach voice processes over wss:, which VOICE_URL does not use',
        );
        return { kind: 'wait', retryAfterMs: misfitRetryMs, reason: 'voice_url_not_secure' };
      }
      const lifetimeSeconds = reservedForSeconds + carrierQueueSeconds;
      const token = await args.tokens.mint({ organizationId, callId }, { now, lifetimeSeconds });
      const text = isText ? { language: voice.language, voice: voice.tts.voice ?? null } : null;
      return { kind: 'chosen', runtime: { url: chosen.url, token, records: voice.record, text } };
    },
    release: (callId) => releaseVoiceCall(db, callId),
  };
}
