import { rolesFrom } from '@outdial/contracts';
import { NotFoundError, type Recording, storedRecordingBytes } from '@outdial/core';
import { engineNow, findCall } from '@outdial/db';
import { z } from 'zod';
import type { ApiDeps } from '../../deps.ts';
import { callerGone } from '../../http/caller-gone.ts';
import { defineRoute } from '../../http/define-route.ts';
import { RetryLaterError } from '../../http/errors.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { sendAudio } from './send-audio.ts';
import { systemPrompt } from './call-view.ts';
import { storedRecording } from './stored-recording.ts';

const askAgainSeconds = 5;

export const readRecording = defineRoute(
  {
    method: 'get',
    path: '/api/v1/calls/{call_id}/recording',
    operationId: 'readCallRecording',
    summary: "Read a call's recording",
    description: 'Returns the audio itself, or 404 if the call has no recording yet.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    params: z.object({ call_id: z.string() }),
    headers: { Range: { description: 'A single range of bytes, such as `bytes=0-1023`.' } },
    response: {
      kind: 'binary',
      contentType: 'audio/*',
      description: 'The audio of the recording',
      ranges: true,
    },
    errors: [416],
  },
  async ({ organizationId, params, req, res }, deps) => {
    const callId = resourceId(params.call_id, 'Call');
    const recording = await openRecording(deps, organizationId, callId, callerGone(res));
    return sendAudio(req, res, recording);
  },
);

async function openRecording(
  { db, files, providers }: ApiDeps,
  organizationId: string,
  callId: string,
  signal: AbortSignal,
): Promise<Recording> {
  const row = orNotFound(await findCall(db, { organizationId, callId }), 'Call');
  if (row.recording_url === null || row.gated_at === null) {
    throw new NotFoundError('The call has no recording');
  }
  const storedBytes = storedRecordingBytes(row.recording_url);
  if (storedBytes !== null) return storedRecording(files, row.id, storedBytes);
  const reference = {
    callId: row.id,
    organizationId,
    conversationId: row.conversation_id,
    toPhone: row.phone_number,
    attempt: row.attempt,
    systemPrompt: systemPrompt(row),
    gatedAt: row.gated_at,
    recordingUrl: row.recording_url,
    now: await engineNow(db),
  };
  let recording: Recording | null;
  try {
    recording = (await providers.get(row.provider)?.openRecording(reference, signal)) ?? null;
  } catch (error) {
    throw new RetryLaterError(
      503,
      'recording_unavailable',
      'The recording is temporarily unavailable from the provider',
      { retryAfterSeconds: askAgainSeconds, cause: error },
    );
  }
  if (recording === null) throw new NotFoundError('The call has no recording');
  return recording;
}
