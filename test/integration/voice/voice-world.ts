import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Call } from '@outdial/contracts';
import type { RunningVoiceProcess } from '@outdial/voice/voice-process';
import { z } from 'zod';
import { startAsterisk, type RunningAsterisk } from '../../support/asterisk/start-asterisk.ts';
import { type JitteryTrunk, startJitteryTrunk } from '../../support/asterisk/jittery-trunk.ts';
import { trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { findSpeech, type SpeechPrograms } from '../../support/voice/find-speech.ts';
import { type ChatAnswer, type ModelServers, startModelServers } from '../../support/voice/model-servers.ts';
import { type People, startPeople } from '../../support/voice/people.ts';
import { type AgentSkill, makeTalkingAgent } from '../../support/voice/talking-agent.ts';
import type { Recording } from '../../support/voice/turns-in-recording.ts';
import { conversationOf, endedCall } from './call-records.ts';
import { knowledgeSkill } from './knowledge-skill.ts';
import { recordingOf } from './recording-of.ts';
import { allAt, mediaRuntimes, openTalkingProcess } from './talking-process.ts';

const trunk = await trunkForTests();
const speech = trunk.isMissing ? null : await findSpeech();
if (speech?.state === 'missing') {
  if (process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1') throw new Error(speech.reason);
  console.error(`!!! LEFT OUT: conversations on a real Asterisk, since ${speech.reason}.`);
}
/** Whether this machine lacks Asterisk, or programs for speech synthesis and recognition. */
export const isVoiceMissing = speech?.state !== 'found';
/** @throws if they are missing */
export function speechPrograms(): SpeechPrograms {
  if (speech?.state !== 'found') throw new Error('this machine has no programs that speak and hear');
  return speech.program;
}

const channels = z.array(z.object({ name: z.string(), dialplan: z.object({ exten: z.string() }) }));

export interface VoiceWorld {
  stack: Stack;
  organization: TestOrganization;
  agentId: string;
  people: People;
  /** How long each audio packet was held back on the trunk, in milliseconds. */
  waits(): readonly number[];
  models: ModelServers;
  speech: SpeechPrograms;
  voice: RunningVoiceProcess;
  call(phone: string): Promise<string>;
  /** A person calls a number of the organization, and the agent answers. */
  callIn(from: string, to: string): Promise<void>;
  /** Somebody presses a key: the person in the only call, or the one who was called at a number with this ending. */
  press(digit: string, ending?: string): Promise<void>;
  /** The recording: the person on the left channel, the agent on the right. */
  recording(callId: string): Promise<Recording>;
  /** The record of an ended call. */
  ended(callId: string): Promise<Call>;
  record(callId: string): Promise<Call>;
}

/** Two Asterisks for the tests of a `describe`: the installation's and its carrier's. */
export function useVoice({ jitterMs }: { jitterMs?: number } = {}): (args: {
  phrases: readonly string[];
  answer: (words: string, results: readonly string[]) => ChatAnswer;
  /** The extract that the chat model returns for an ended conversation. */
  afterwards?: string;
  voice?: Record<string, unknown>;
  compliance?: Record<string, unknown>;
  skills?: readonly AgentSkill[];
  /** The text of its knowledge base. None by default. */
  knowledge?: { name: string; text: string } | null;
  /** The address of the endpoint `llm`, if it is not the scripted chat model. */
  llmUrl?: string;
}) => Promise<VoiceWorld> {
  const opened: {
    people?: People;
    carrier?: RunningAsterisk;
    trunk?: JitteryTrunk;
    own?: RunningAsterisk;
  } = {};
  beforeAll(async () => {
    const { system } = trunk.programs();
    opened.people = await startPeople();
    opened.carrier = await startAsterisk({ system, carrierPort: 9, people: { url: opened.people.url } });
    let carrierPort = opened.carrier.sipPort;
    if (jitterMs !== undefined) {
      opened.trunk = await startJitteryTrunk({ carrierPort, jitterMs });
      carrierPort = opened.trunk.sipPort;
    }
    opened.own = await startAsterisk({ system, carrierPort });
  });
  afterAll(async () => {
    await opened.own?.close();
    opened.trunk?.close();
    await opened.carrier?.close();
    await opened.people?.close();
  });
  return async ({
    phrases,
    answer,
    afterwards,
    voice = {},
    compliance = {},
    skills = [{ type: 'end_call', config: {} }],
    knowledge = null,
    llmUrl,
  }) => {
    const { people, own: asterisk, carrier } = opened;
    if (!people || !asterisk || !carrier || speech?.state !== 'found') {
      throw new Error('the Asterisks of these tests do not run');
    }
    const models = await startModelServers(speech.program, {
      phrases,
      answer,
      ...(afterwards !== undefined && { afterwards }),
    });
    onTestFinished(() => models.close());
    const stack = await useStack({
      // What reads the knowledge takes its jobs from Postgres.
      backend: knowledge === null ? anyBackend() : 'postgres',
      telephony: () => ({
        asterisk: { url: asterisk.url, user: asterisk.user, password: asterisk.password },
      }),
      mediaRuntimes,
    });
    await stack.setProvider('trunk', { adapter: 'asterisk', settings: { endpoint: 'PJSIP/{number}@trunk' } });
    const organization = await stack.organization({ default_provider: 'trunk' });
    const own = knowledge === null ? [] : [await knowledgeSkill(stack, organization, knowledge)];
    const agentId = await makeTalkingAgent(stack.db, {
      organizationId: organization.id,
      voice: { greeting: 'Hello, this is Ada from the library.', ...voice },
      compliance,
      skills: [...own, ...skills],
    });
    const process = await openTalkingProcess(
      stack,
      { ...allAt(models), ...(llmUrl && { llm: llmUrl }) },
      { ringTimeoutSeconds: 3, providerOf: (name) => stack.providers.get(name) },
    );
    onTestFinished(() => process.close());
    return {
      stack,
      organization,
      agentId,
      people,
      waits: () => opened.trunk?.waits() ?? [],
      models,
      speech: speech.program,
      voice: process,
      async call(phone) {
        const { id } = await organization.clients.member.makeCall(agentId, { to_phone: phone });
        if (id === null) throw new Error('a call without an id');
        return id;
      },
      async callIn(from, to) {
        const body = {
          endpoint: `PJSIP/trunk/sip:${to}@127.0.0.1:${asterisk.sipPort}`,
          context: 'people',
          extension: from,
          priority: 1,
          callerId: `<${from}>`,
        };
        const answer = await carrier.ari('POST', '/channels', body);
        if (answer?.status !== 200) throw new Error(`the carrier says ${JSON.stringify(answer)}`);
      },
      async press(digit, ending = '') {
        const answer = await carrier.ari('GET', '/channels');
        const line = channels
          .parse(answer?.body)
          .find(({ name, dialplan }) => name.startsWith('PJSIP/trunk-') && dialplan.exten.endsWith(ending));
        if (line === undefined) throw new Error('no person is on the line');
        const keys = `SendDTMF ${digit},250,120,${line.name}`;
        await carrier.cli(`channel originate Local/still@people application ${keys}`);
      },
      recording: (callId) => recordingOf(stack, organization, callId),
      ended: (callId) => endedCall(organization, callId),
      record: (callId) => conversationOf(organization, callId),
    };
  };
}
