import { recordingKey } from '@outdial/core';
import { createPostgresFileStore } from '@outdial/db';
import { createSampleReader, lineRate } from '@outdial/voice/sound';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { Recording } from '../../support/voice/turns-in-recording.ts';

/** Waits until the call's record names the recording, and reads it. */
export async function recordingOf(
  { db }: Stack,
  { clients }: TestOrganization,
  callId: string,
): Promise<Recording> {
  await waitFor('the recording', async () => (await clients.viewer.readCall(callId)).recording_url);
  const chunks = await Array.fromAsync(createPostgresFileStore(db).read(recordingKey(callId)));
  const samples = createSampleReader()(Buffer.concat(chunks).subarray(44));
  const side = (nth: number) => samples.filter((_, index) => index % 2 === nth);
  return { seconds: samples.length / 2 / lineRate, left: side(0), right: side(1) };
}
