import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '@outdial/db';
import { freePort } from '@outdial/local';
import { sql } from 'kysely';
import type { AsteriskSystem } from '../../asterisk/find-asterisk.ts';
import { startAsterisk } from '../../asterisk/start-asterisk.ts';
import { callerId, startTrunkService, type TrunkService } from '../../asterisk/trunk-service.ts';
import { waitFor } from '../../stack/wait-for.ts';
import { type People, startPeople } from '../people.ts';

export interface VoiceService extends TrunkService {
  people: People;
  close(): Promise<void>;
}

/**
 * Conversations with real processes (api, scheduler, a worker and `voice`), one Asterisk for the installation, and one as the carrier, with simulated
 * people who measure at the far end.
 */
export async function startVoiceService(args: {
  system: AsteriskSystem;
  databaseUrl: string;
  /** The base URL of the models, with `/v1`. */
  modelsUrl: string;
  say?: (what: string) => void;
}): Promise<VoiceService> {
  const { system, databaseUrl, say = () => undefined } = args;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-voice-'));
  const closes: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const each of closes.splice(0).toReversed()) await each();
  };
  const opened = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const each = await opening;
    closes.push(() => each.close());
    return each;
  };
  try {
    say('starting two Asterisks: ours and the carrier');
    const people = await opened(startPeople());
    const carrier = await opened(startAsterisk({ system, carrierPort: 9, people: { url: people.url } }));
    const asterisk = await opened(startAsterisk({ system, carrierPort: carrier.sipPort }));
    say('starting api, scheduler, worker and voice');
    const service = await startTrunkService({
      databaseUrl,
      folder,
      asterisk,
      workers: 1,
      settings: { caller_id: callerId },
      env: voiceEnvironment(args.modelsUrl),
      further: [
        {
          name: 'voice',
          program: 'packages/voice/src/main.ts',
          env: { VOICE_PORT: String(await freePort()) },
        },
      ],
    });
    closes.push(() => service.stop());
    await voiceProcess(service.db);
    return { ...service, people, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until exactly one voice process accepts calls, and returns it. */
export function voiceProcess(db: Db, other: string | null = null): Promise<string> {
  return waitFor('a voice process', async () => {
    const { rows } = await sql<{ id: string }>`
        select id from voice_processes where seen_at > clock_timestamp() - interval '10 seconds'`.execute(db);
    const [first, ...more] = rows;
    return first !== undefined && more.length === 0 && first.id !== other ? first.id : null;
  });
}

function voiceEnvironment(url: string): Record<string, string> {
  return {
    VOICE_TOKEN_SECRET: randomBytes(24).toString('hex'),
    VOICE_DRAIN_SECONDS: '5',
    ...Object.fromEntries(
      ['LLM', 'STT', 'TTS'].flatMap((name) => [
        [`VOICE_ENDPOINT_${name}_URL`, url],
        [`VOICE_ENDPOINT_${name}_MODEL`, 'demo'],
      ]),
    ),
  };
}
