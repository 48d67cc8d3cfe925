import { once } from 'node:events';
import type { Call } from '@outdial/contracts';
import type { RunningVoiceProcess } from '@outdial/voice/voice-process';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { makeTalkingAgent } from '../../support/voice/talking-agent.ts';
import { startToneModels } from '../../support/voice/tone-models.ts';
import { endedCall, voiceProcessToBeKnown } from './call-records.ts';
import { allAt, openTalkingProcess, voiceSecret } from './talking-process.ts';

const made = z.object({ data: z.object({ call_id: z.guid(), url: z.string(), token: z.string() }) });

export interface WebCallWorld {
  stack: Stack;
  organization: TestOrganization;
  voice: RunningVoiceProcess;
  agentId: string;
  /** Requests a call. */
  ask(): Promise<{ call_id: string; url: string; token: string }>;
  record(callId: string): Promise<Call>;
  /** Waits until the call has its outcome. */
  ended(callId: string): Promise<Call>;
}

/** The service with a voice process, and an agent that greets, and hangs up when the person says goodbye. */
export async function webCallWorld(
  script: Parameters<typeof startToneModels>[0] = {},
  process: Parameters<typeof openTalkingProcess>[2] = {},
): Promise<WebCallWorld> {
  const stack = await useStack({ backend: anyBackend(), workers: 0, api: { callTokenSecret: voiceSecret } });
  const voice = await openTalkingProcess(stack, allAt(await startToneModels(script)), process);
  onTestFinished(() => voice.close());
  await voiceProcessToBeKnown(stack.db);
  const organization = await stack.organization();
  const agentId = await makeTalkingAgent(stack.db, {
    organizationId: organization.id,
    voice: { greeting: 'Hello, this is Ada.' },
    skills: [{ type: 'end_call', config: {} }],
  });
  return {
    stack,
    organization,
    voice,
    agentId,
    async ask() {
      const response = await fetch(`${stack.baseUrl}/api/v1/agents/${agentId}/web-call`, {
        method: 'POST',
        headers: { 'x-api-key': organization.apiKeys.member },
      });
      return made.parse(await response.json()).data;
    },
    record: (callId) => organization.clients.viewer.readCall(callId),
    ended: (callId) => endedCall(organization, callId),
  };
}

/** A page, from the point of view of the voice process. */
export interface Page {
  socket: WebSocket;
  /** Text messages received so far. */
  told: Array<Record<string, unknown>>;
  /** Bytes of audio that were not silent. */
  loudBytes(): number;
  /** The close code and reason of the connection. */
  closed: Promise<{ code: number; reason: string }>;
}

/**
 * Opens the WebSocket of a call.
 * @throws if it is refused, with the status
 */
export async function openPage(
  { url, token }: { url: string; token: string },
  options: { origin?: string; path?: string } = {},
): Promise<Page> {
  const address = new URL(options.path ?? url);
  address.searchParams.set('token', token);
  const { origin } = options;
  const socket = new WebSocket(address, origin === undefined ? {} : { origin });
  onTestFinished(() => socket.terminate());
  const told: Page['told'] = [];
  let loudBytes = 0;
  socket.on('message', (data, isBinary) => {
    if (!Buffer.isBuffer(data)) return;
    // Not near either of the two µ-law codes for silence.
    if (isBinary) loudBytes += data.filter((byte) => (byte & 0x7f) < 0x60).length;
    else told.push(JSON.parse(data.toString()) as Record<string, unknown>);
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({
    code: Number(code),
    reason: String(reason),
  }));
  closed.catch(() => undefined);
  await once(socket, 'open');
  return { socket, told, loudBytes: () => loudBytes, closed };
}
