import { createProgressRecorder, type ControlDeps } from '@outdial/engine';
import { createPostgresFileStore, type Db } from '@outdial/db';
import { createCallTokens, type VoiceEndpoints } from '@outdial/runtime';
import { openConversation } from '@outdial/voice';
import type { VoiceMetrics } from '@outdial/voice/voice-metrics';
import { startVoiceProcess, type RunningVoiceProcess } from '@outdial/voice/voice-process';
import { Agent } from 'undici';

export const voiceSecret = 'a-secret-of-these-tests-of-32-characters';

/** A voice process in this one. What it left open is closed by `close`. */
export async function openTalkingProcess(
  { db, control }: { db: Db; control: ControlDeps },
  models: { url: string },
  options: {
    capacity?: number;
    webOrigins?: readonly string[];
    longestCallSeconds?: number;
    metrics?: VoiceMetrics;
  } = {},
): Promise<RunningVoiceProcess> {
  const endpoints: VoiceEndpoints = new Map(
    ['llm', 'stt', 'tts'].map((name) => [name, { name, url: models.url, key: null, model: 'test' }]),
  );
  const longestCallSeconds = options.longestCallSeconds ?? 120;
  const progress = createProgressRecorder({
    ...control,
    settings: { ringTimeoutSeconds: 20, maxCallSeconds: longestCallSeconds },
    metrics: { callEnded: () => undefined },
  });
  const connections = new Agent();
  const voice = await startVoiceProcess({
    db,
    log: control.log,
    tokens: createCallTokens(voiceSecret),
    endpoints,
    files: createPostgresFileStore(db),
    host: '127.0.0.1',
    port: 0,
    url: null,
    webUrl: null,
    webOrigins: options.webOrigins ?? null,
    capacity: options.capacity ?? 10,
    longestCallSeconds,
    ringTimeoutSeconds: 20,
    providerOf: () => undefined,
    record: (report) => progress.record(report),
    openConversation: ({ call, models: asked, note }) =>
      openConversation(
        {
          ...control,
          endpoints,
          connections,
          http: null,
          onFigures({ endpoint, firstPartMs }) {
            asked.note(endpoint, true);
            options.metrics?.took('model', firstPartMs);
          },
          onModelFailure: (failure) => asked.noteFailure(failure),
          onToolEnd: (tool, end) => options.metrics?.toolCalled(tool, end),
        },
        call,
        { note, carries: { transfers: false, keys: false } },
      ),
    nowMs: () => performance.now(),
    ...(options.metrics && { metrics: options.metrics }),
  });
  return {
    ...voice,
    async close() {
      await voice.close();
      await progress.drain();
      await connections.close();
    },
  };
}
