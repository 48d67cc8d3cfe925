import type { TelephonyProvider } from '@outdial/core';
import {
  type CallReport,
  type ControlDeps,
  createMediaRuntimes,
  createProgressRecorder,
} from '@outdial/engine';
import { createPostgresFileStore, type Db } from '@outdial/db';
import { createCallTokens, type VoiceEndpoints } from '@outdial/runtime';
import { canTransfer, openConversation } from '@outdial/voice';
import type { VoiceMetrics } from '@outdial/voice/voice-metrics';
import { startVoiceProcess, type RunningVoiceProcess } from '@outdial/voice/voice-process';
import type { KyselyPlugin } from 'kysely';
import { Agent } from 'undici';

export const voiceSecret = 'a-secret-of-these-tests-of-32-characters';

/** Assigns calls to the voice processes of a stack. */
export const mediaRuntimes = (db: Db) =>
  createMediaRuntimes({
    db,
    tokens: createCallTokens(voiceSecret),
    ringTimeoutSeconds: 20,
    log: { warn: () => undefined },
  });

const longestCallSeconds = 120;

/** The default endpoints of an agent, all on one server. */
export const allAt = ({ url }: { url: string }) => ({ llm: url, stt: url, tts: url });

/**
 * A voice process within the test's process. `close` ends what it left open.
 * @param addresses of its endpoints, by name; each expects `the-key`
 */
export async function openTalkingProcess(
  { db, control }: { db: Db; control: ControlDeps },
  addresses: Readonly<Record<string, string>>,
  options: {
    /** The address that it reports. */
    url?: string;
    capacity?: number;
    webOrigins?: readonly string[];
    /** How long the target of a transfer rings. */
    ringTimeoutSeconds?: number;
    providerOf?: (name: string) => TelephonyProvider | undefined;
    isTwilio?: Parameters<typeof startVoiceProcess>[0]['isTwilio'];
    metrics?: VoiceMetrics;
    /** A delay before a conversation is opened. */
    beforeOpening?: () => Promise<void>;
    /** How the opening of a conversation fails. */
    opening?: 'breaks' | 'is refused';
    /** Reports that cannot be recorded. */
    failsToRecord?: (report: CallReport) => boolean;
    /** The database as the process sees it. */
    through?: KyselyPlugin;
  } = {},
): Promise<RunningVoiceProcess> {
  const endpoints: VoiceEndpoints = new Map(
    Object.entries(addresses).map(([name, url]) => [name, { name, url, key: 'the-key', model: 'test' }]),
  );
  const { providerOf = () => undefined, metrics } = options;
  const progress = createProgressRecorder({
    ...control,
    settings: { ringTimeoutSeconds: 20, maxCallSeconds: longestCallSeconds },
    metrics: { callEnded: () => undefined },
  });
  const connections = new Agent();
  const voice = await startVoiceProcess({
    db: options.through === undefined ? db : db.withPlugin(options.through),
    log: control.log,
    tokens: createCallTokens(voiceSecret),
    endpoints,
    files: createPostgresFileStore(db),
    host: '127.0.0.1',
    port: 0,
    url: options.url ?? null,
    webUrl: null,
    webOrigins: options.webOrigins ?? null,
    capacity: options.capacity ?? 10,
    longestCallSeconds,
    ringTimeoutSeconds: options.ringTimeoutSeconds ?? 20,
    providerOf,
    async record(report) {
      if (options.failsToRecord?.(report) === true) throw new Error('the database fails over');
      return progress.record(report);
    },
    async openConversation({ call, models: asked, note }) {
      if (options.opening === 'breaks') throw new Error('the conversation cannot be opened');
      if (options.opening === 'is refused') return { kind: 'refused', faults: [] };
      await options.beforeOpening?.();
      return openConversation(
        {
          ...control,
          endpoints,
          connections,
          http: null,
          onFigures({ endpoint, firstPartMs }) {
            asked.note(endpoint, true);
            metrics?.took('model', firstPartMs);
          },
          onModelFailure: (failure) => asked.noteFailure(failure),
          onToolEnd: (tool, end) => metrics?.toolCalled(tool, end),
        },
        call,
        { note, canTransfer: canTransfer(providerOf(call.provider)) },
      );
    },
    nowMs: () => performance.now(),
    isTwilio: options.isTwilio ?? null,
    ...(metrics && { metrics }),
  });
  return {
    ...voice,
    async close() {
      await voice.close();
      await progress.drain();
      await connections.destroy();
    },
  };
}
