import type { Call } from '@outdial/contracts';
import type { AsteriskSystem } from '../../asterisk/find-asterisk.ts';
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
import { makeTalkingAgent, uploadKnowledge } from '../talking-agent.ts';
import { startVoiceService, type VoiceService } from './voice-service.ts';

const patienceMs = 60_000;

export interface TalkOverTrunk {
  record: Call;
  /** A WAV file: the person on the left, the agent on the right. */
  recording: Buffer;
  pickedUpAt: number;
  lastVoiceAt: number;
  instants: LibraryInstants;
  /** The recognized speech of the person. */
  heard: readonly string[];
}

/**
 * One call of a library to a reader, with real processes (api, scheduler, worker and voice), one Asterisk for the installation and one as the
 * carrier, models behind the protocol of OpenAI, and a simulated person who measures at the far end.
 */
export async function talkOverTrunk(args: {
  system: AsteriskSystem;
  speech: SpeechPrograms;
  databaseUrl: string;
  say: (what: string) => void;
}): Promise<TalkOverTrunk> {
  const { system, speech, databaseUrl, say } = args;
  say('the agent speaks by espeak-ng, recognizes speech by pocketsphinx, and has a scripted chat model');
  const models = await startModelServers(speech, { phrases: libraryPhrases, answer: libraryLines });
  let service: VoiceService | null = null;
  try {
    service = await startVoiceService({ system, databaseUrl, modelsUrl: models.url, say });
    const { organization, baseUrl, db, people } = service;
    say("creating the agent's knowledge base");
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
    say('the agent calls a person, who asks, interrupts, and says goodbye (half a minute)');
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
    await service?.close();
    await models.close();
  }
}
