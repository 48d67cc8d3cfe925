import type { Call } from '@outdial/contracts';
import { createTwilioHandshakeCheck } from '@outdial/providers/environment';
import type { RunningVoiceProcess } from '@outdial/voice/voice-process';
import { onTestFinished } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { readConnect, type ConnectNoun } from '../../support/twilio/connect-noun.ts';
import {
  accountSid,
  authToken,
  startTwilioStandIn,
  type TwilioStandIn,
} from '../../support/twilio/stand-in.ts';
import { type AgentSkill, makeTalkingAgent } from '../../support/voice/talking-agent.ts';
import { conversationOf, endedCall } from './call-records.ts';
import { knowledgeSkill } from './knowledge-skill.ts';
import { mediaRuntimes, openTalkingProcess, voiceSecret } from './talking-process.ts';

const voiceUrl = 'wss://voice.example.com';

export interface TwilioVoiceWorld {
  stack: Stack;
  organization: TestOrganization;
  agentId: string;
  twilio: TwilioStandIn;
  voice: RunningVoiceProcess;
  /** Calls a person who answers. Returns the call, and the instructions that Twilio gets. */
  call: (toPhone?: string) => Promise<{ callId: string; noun: ConnectNoun }>;
  /** The call's record once it has the conversation. By then the person's line is free. */
  record: (callId: string) => Promise<Call>;
  /** The call's record once it has its outcome. */
  ended: (callId: string) => Promise<Call>;
}

/** The service with a Twilio account that the test simulates, and a voice process. */
export async function openTwilioVoice(args: {
  endpoints: Readonly<Record<string, string>>;
  voice: Record<string, unknown>;
  skills?: readonly AgentSkill[];
  /** The text of its knowledge base. None by default. */
  knowledge?: { name: string; text: string };
  /** The address that the process reports. */
  url?: string;
  process?: Parameters<typeof openTalkingProcess>[2];
}): Promise<TwilioVoiceWorld> {
  const twilio = await startTwilioStandIn({ talkMs: 60_000 });
  onTestFinished(() => twilio.close());
  const stack = await useStack({
    // What reads the knowledge takes its jobs from Postgres.
    backend: args.knowledge === undefined ? anyBackend() : 'postgres',
    api: { callTokenSecret: voiceSecret },
    telephony: (publicUrl) => ({
      twilio: { accountSid, authToken, from: '+15550009999', apiUrl: twilio.url },
      publicUrl,
    }),
    mediaRuntimes,
  });
  await stack.setProvider('twilio', { adapter: 'twilio', settings: {} });
  const organization = await stack.organization({ default_provider: 'twilio' });
  const known = args.knowledge ? [await knowledgeSkill(stack, organization, args.knowledge)] : [];
  const agentId = await makeTalkingAgent(stack.db, {
    organizationId: organization.id,
    voice: args.voice,
    skills: [...known, ...(args.skills ?? [{ type: 'end_call', config: {} }])],
  });
  const voice = await openTalkingProcess(stack, args.endpoints, {
    url: args.url ?? voiceUrl,
    ...args.process,
    isTwilio: createTwilioHandshakeCheck({
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_AUTH_TOKEN_EU: 'of another',
    }),
  });
  onTestFinished(() => voice.close());
  return {
    stack,
    organization,
    agentId,
    twilio,
    voice,
    async call(toPhone = '+12125550100') {
      const { id } = await organization.clients.member.makeCall(agentId, { to_phone: toPhone });
      if (id === null) throw new Error('a call without an id');
      const call = await waitFor('the call to be answered', () => {
        const standing = twilio.callOf(id);
        return standing?.status === 'in-progress' ? standing : null;
      });
      return { callId: id, noun: readConnect(call.form.get('Twiml') ?? '') };
    },
    async record(callId) {
      const record = await conversationOf(organization, callId);
      const call = twilio.callOf(callId);
      if (call !== undefined) twilio.end(call);
      await twilio.settled();
      return record;
    },
    ended: (callId) => endedCall(organization, callId),
  };
}
