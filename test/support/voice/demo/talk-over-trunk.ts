import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '@outdial/contracts';
import { freePort } from '@outdial/local';
import type { AsteriskSystem } from '../../asterisk/find-asterisk.ts';
import { startAsterisk } from '../../asterisk/start-asterisk.ts';
import { callerId, startTrunkService } from '../../asterisk/trunk-service.ts';
import { waitFor } from '../../stack/wait-for.ts';
import type { SpeechPrograms } from '../find-speech.ts';
import {
  callTheLibrary,
  libraryCall,
  type LibraryInstants,
  libraryLines,
  libraryPhrases,
} from '../library-call.ts';
import { startModelServers } from '../model-servers.ts';
import { startPeople } from '../people.ts';
import { makeTalkingAgent, uploadKnowledge } from '../talking-agent.ts';

const patienceMs = 60_000;

export interface TalkOverTrunk {
  record: Call;
  /** A WAV file: the person on the left, the agent on the right. */
  recording: Buffer;
  pickedUpAt: number;
  lastVoiceAt: number;
  instants: LibraryInstants;
  /** What the recognizer understood of the person. */
  heard: readonly string[];
}

/**
 * One call of a library to a reader by real processes: api, scheduler, worker and voice, an Asterisk as the installation's and another as its carrier,
 * models behind the protocol of OpenAI, and a person who measures at the far end.
 */
export async function talkOverTrunk(args: {
  system: AsteriskSystem;
  speech: SpeechPrograms;
  databaseUrl: string;
  say: (what: string) => void;
}): Promise<TalkOverTrunk> {
  const { system, speech, databaseUrl, say } = args;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-voice-'));
  const closes: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })];
  const opened = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const each = await opening;
    closes.push(() => each.close());
    return each;
  };
  try {
    say('two Asterisks start: one is ours, the other is its carrier');
    const people = await opened(startPeople());
    const carrier = await opened(startAsterisk({ system, carrierPort: 9, people: { url: people.url } }));
    const asterisk = await opened(startAsterisk({ system, carrierPort: carrier.sipPort }));
    say('espeak-ng speaks for the agent, pocketsphinx hears for it, and a script is its chat model');
    const models = await opened(startModelServers(speech, { phrases: libraryPhrases, answer: libraryLines }));
    say('api, scheduler, worker and voice start');
    const service = await startTrunkService({
      databaseUrl,
      folder,
      asterisk,
      workers: 1,
      settings: { caller_id: callerId },
      env: voiceEnvironment(models.url),
      further: [
        {
          name: 'voice',
          program: 'packages/voice/src/main.ts',
          env: { VOICE_PORT: String(await freePort()) },
        },
      ],
    });
    closes.push(() => service.stop());
    const { organization, baseUrl, db } = service;
    say('the agent gets its knowledge base');
    const base = await uploadKnowledge({
      baseUrl,
      apiKey: organization.apiKeys.member,
      ...libraryCall.knowledge,
    });
    const agentId = await makeTalkingAgent(db, {
      organizationId: organization.id,
      voice: { greeting: libraryCall.greeting, record: true },
      skills: [
        { type: 'knowledge_base', config: { knowledge_base_ids: [base] } },
        { type: 'end_call', config: {} },
      ],
    });
    say('the agent calls somebody, who asks, interrupts, and says goodbye (half a minute)');
    const { id } = await organization.clients.member.makeCall(agentId, { to_phone: '+12125550101' });
    if (id === null) throw new Error('a call without an id');
    const person = await people.next();
    const instants = await callTheLibrary(person, speech);
    const record = await waitFor(
      'the record of the call',
      async () => {
        const call = await organization.clients.viewer.readCall(id);
        return call.recording_url !== null && call.meta?.['outcome'] !== undefined ? call : null;
      },
      { withinMs: patienceMs },
    );
    const { bytes } = await organization.clients.viewer.readRecording(record.recording_url ?? '');
    return {
      record,
      recording: bytes,
      pickedUpAt: person.pickedUpAt,
      lastVoiceAt: person.lastVoiceAt(),
      instants,
      heard: models.heard(),
    };
  } finally {
    for (const close of closes.toReversed()) await close();
  }
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
