import { randomUUID } from 'node:crypto';
import { recordingKey, type FileStore } from '@outdial/core';
import { releaseRecording, hasRoomToRecord, reserveRecording, updateOrganization } from '@outdial/db';
import { applyReports, deleteRecordings, removeUnrecordedFiles } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, db, control, organization } = await apiWorld();
const gigabyte = 1_000_000_000;

function store() {
  const kept = new Set<string>();
  const files: FileStore = {
    write: (key) => Promise.resolve(void kept.add(key)),
    read: () => {
      throw new Error('nothing is read');
    },
    remove: (key) => Promise.resolve(void kept.delete(key)),
  };
  return { kept, files };
}

async function counted(organizationId: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select bytes from recorded_bytes where organization_id = ${organizationId}`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

const checkedAt = (callId: string, at: Date) =>
  sql`update stored_recordings set check_at = ${at} where call_id = ${callId}`.execute(db);

/** An ended call with a recording that was stored a while ago. */
async function recordedCall(
  acme: Awaited<ReturnType<typeof organization>>,
  files: FileStore,
  call: { isRecorded: boolean; minutesAgo: number },
) {
  const at = new Date(Date.now() - call.minutesAgo * 60_000);
  const callId = await acme.call({
    phone_number: '+12125550177',
    created_at: at,
    recording_url: call.isRecorded ? 'outdial-recording:1000' : null,
  });
  await reserveRecording(db, { organizationId: acme.id, callId, bytes: 1_000 });
  await checkedAt(callId, new Date(at.getTime() + 3_600_000));
  await files.write(recordingKey(callId), (async function* () {})());
  return callId;
}

test('a file without a record after an hour is removed and no longer counts; others stay', async () => {
  const acme = await organization();
  const { kept, files } = store();
  const lost = await recordedCall(acme, files, { isRecorded: false, minutesAgo: 61 });
  const recorded = await recordedCall(acme, files, { isRecorded: true, minutesAgo: 61 });
  const fresh = await recordedCall(acme, files, { isRecorded: false, minutesAgo: 10 });
  expect(await counted(acme.id)).toBe(3_000);
  expect(await removeUnrecordedFiles({ ...control, files })).toMatchObject({ done: 1 });
  expect([...kept].toSorted()).toEqual([recordingKey(recorded), recordingKey(fresh)].toSorted());
  expect(kept.has(recordingKey(lost))).toBe(false);
  expect(await counted(acme.id)).toBe(2_000);
  expect(await removeUnrecordedFiles({ ...control, files })).toMatchObject({ done: 0 });
});

test('files that cannot be removed do not delay others, and are retried an hour later', async () => {
  const acme = await organization();
  const { kept, files } = store();
  const stuck = new Set<string>();
  const failing: FileStore = {
    ...files,
    remove: async (key) => {
      if (stuck.has(key)) throw new Error('the store is read-only there');
      await files.remove(key);
    },
  };
  // More than one batch, all of them older than the file that can be removed.
  for (let n = 0; n < 200; n += 1) {
    const callId = randomUUID();
    stuck.add(recordingKey(callId));
    await reserveRecording(db, { organizationId: acme.id, callId, bytes: 1 });
    await checkedAt(callId, new Date(Date.now() - 60_000));
  }
  await recordedCall(acme, files, { isRecorded: false, minutesAgo: 60.1 });
  expect(await removeUnrecordedFiles({ ...control, files: failing })).toEqual({ done: 0, isFull: true });
  expect(await removeUnrecordedFiles({ ...control, files: failing })).toEqual({ done: 1, isFull: false });
  expect(kept.size).toBe(0);
  expect(await removeUnrecordedFiles({ ...control, files: failing })).toEqual({ done: 0, isFull: false });
  await sql`update stored_recordings set check_at = now() - interval '1 minute'
    where organization_id = ${acme.id}`.execute(db);
  stuck.clear();
  expect(await removeUnrecordedFiles({ ...control, files: failing })).toEqual({ done: 200, isFull: true });
  expect(await counted(acme.id)).toBe(0);
});

test('the record of a call marks the recording that it names, so that no sweep has to look at it', async () => {
  const acme = await organization();
  const { files } = store();
  const callId = await recordedCall(acme, files, { isRecorded: false, minutesAgo: 10 });
  const isMarked = async () => {
    const { rows } = await sql<{ is_recorded: boolean }>`
      select is_recorded from stored_recordings where call_id = ${callId}`.execute(db);
    return rows[0]?.is_recorded;
  };
  expect(await isMarked()).toBe(false);
  const progress = {
    ...control,
    settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  await applyReports(progress, [
    {
      callId,
      withoutAcceptance: true,
      facts: [{ kind: 'recording', eventId: 'r', at: new Date(), recordingUrl: 'outdial-recording:1000' }],
    },
  ]);
  expect(await isMarked()).toBe(true);
});

test('an erasure removes the recorded file of a call, and the sweep unrecorded ones', async () => {
  const acme = await organization();
  const { kept, files } = store();
  await recordedCall(acme, files, { isRecorded: true, minutesAgo: 61 });
  await recordedCall(acme, files, { isRecorded: false, minutesAgo: 61 });
  const erased = await client.send('POST /api/v1/erasures', {
    key: acme.keys.admin,
    json: { phone_number: '+12125550177' },
  });
  expect(erased.status).toBe(200);
  await deleteRecordings({ ...control, files, providers: new Map() });
  await removeUnrecordedFiles({ ...control, files });
  expect(kept.size).toBe(0);
  expect(await counted(acme.id)).toBe(0);
});

test('the limit of bytes holds for recordings that end at the same time', async () => {
  const acme = await organization();
  await updateOrganization(db, acme.id, { max_recorded_gigabytes: 1 }, new Date());
  const calls = Array.from({ length: 8 }, () => randomUUID());
  const intend = (callId: string, bytes: number) =>
    reserveRecording(db, { organizationId: acme.id, callId, bytes });
  const taken = await Promise.all(calls.map((callId) => intend(callId, gigabyte / 4)));
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(4);
  expect(await hasRoomToRecord(db, acme.id)).toBe(false);
  const first = calls[taken.indexOf(true)] ?? '';
  // Reported twice, counted once.
  expect(await intend(first, gigabyte / 4)).toBe(true);
  expect(await counted(acme.id)).toBe(gigabyte);
  await releaseRecording(db, first);
  await releaseRecording(db, first);
  expect(await counted(acme.id)).toBe((gigabyte * 3) / 4);
  expect(await hasRoomToRecord(db, acme.id)).toBe(true);
  const answer = await client.send('GET /api/v1/organization', { key: acme.keys.viewer });
  expect(answer.json).toMatchObject({ data: { limits: { max_recorded_gigabytes: 1 } } });
});
