import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rolesFrom } from '@outdial/contracts';
import {
  NotFoundError,
  type Recording,
  storedRecordingBytes,
  type FileStore,
  recordingKey,
} from '@outdial/core';
import { engineNow, findCall } from '@outdial/db';
import { z } from 'zod';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { callerGone, isCallerGone } from '../../http/caller-gone.ts';
import { defineRoute, sent } from '../../http/define-route.ts';
import { RetryLaterError, RangeNotSatisfiableError } from '../../http/errors.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { systemPrompt } from './call-view.ts';

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

/**
 * Answers with audio, whole or one range (RFC 9110, section 14). Requests for several ranges, or with `If-Range` (there is no validator),
 * get the whole, as the RFC allows.
 */
export async function sendAudio(req: Request, res: Response, recording: Recording): Promise<typeof sent> {
  const range = askedRange(req, recording.size);
  res.status(range === null ? 200 : 206);
  res.set({
    'Content-Type': audioType(recording.contentType),
    'Cache-Control': 'private',
    'Accept-Ranges': recording.size === null ? 'none' : 'bytes',
  });
  const length = range === null ? recording.size : range.end - range.start + 1;
  if (length !== null) res.set('Content-Length', String(length));
  if (range !== null) {
    res.set('Content-Range', `bytes ${range.start}-${range.end}/${recording.size}`);
  }
  if (req.method === 'HEAD') {
    res.end();
    return sent;
  }
  try {
    await pipeline(Readable.from(recording.read(range ?? undefined)), res);
  } catch (error) {
    if (!isCallerGone(error)) throw error;
  }
  return sent;
}

function askedRange(req: Request, size: number | null): { start: number; end: number } | null {
  if (size === null || req.method === 'HEAD' || req.headers['if-range'] !== undefined) return null;
  const ranges = req.range(size);
  if (ranges === -1) throw new RangeNotSatisfiableError(size);
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  const [only] = ranges;
  return only === undefined ? null : { start: only.start, end: only.end };
}

/** A provider must not serve a content type that browsers would execute. */
function audioType(contentType: string): string {
  return /^audio\/[\w.+-]+$/i.test(contentType) ? contentType : 'application/octet-stream';
}

function storedRecording(files: FileStore, callId: string, size: number): Recording {
  return {
    contentType: 'audio/wav',
    size,
    read: (range = { start: 0, end: size - 1 }) => files.read(recordingKey(callId), range),
  };
}
