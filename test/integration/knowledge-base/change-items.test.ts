import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Caller, openWorld } from './world.ts';

const world = await openWorld();

async function setup(content = 'the first text') {
  const caller = await world.newCaller();
  const base = await caller.newBase();
  const id = String((await caller.upload(base, content, { name: 'Guide', notes: 'draft' })).data['id']);
  await caller.settled(base, id);
  return { caller, base, id, path: `/${base}/items/${id}` };
}

/** The organization's stored bytes and files. */
async function kept({ organizationId }: Caller) {
  const { rows } = await sql<{ bytes: number; files: number; items: number }>`
    select (select bytes_used::float8 from knowledge_base_usage where organization_id = ${organizationId}) as bytes,
      (select count(*)::int from stored_files where organization_id = ${organizationId}) as files,
      (select sum(item_count)::int from knowledge_bases where organization_id = ${organizationId}) as items`.execute(
    world.db,
  );
  return rows[0];
}

describe('an item is replaced by', () => {
  test('another name or other notes, in JSON, and its text stays', async () => {
    const { caller, path } = await setup();
    const named = await caller.put(path, { name: ' Manual ' });
    expect(named).toMatchObject({ status: 200, data: { name: 'Manual', notes: 'draft', status: 'ready' } });
    expect(Object.keys(named.body)).toEqual(['data']);
    expect((await caller.put(path, { notes: null })).data).toMatchObject({ name: 'Manual', notes: null });
    expect((await caller.put(path, {})).data).toMatchObject({ name: 'Manual' });
    expect((await caller.get(path)).data).toMatchObject({ content: 'the first text' });
  });

  test('another file, which is read, and the old one is deleted', async () => {
    const { caller, base, id, path } = await setup();
    const replaced = await caller.putForm(path, { file: new Blob(['another text']), notes: 'final' });
    expect(replaced).toMatchObject({ status: 200, data: { id, name: 'Guide', notes: 'final' } });
    expect(await caller.settled(base, id)).toMatchObject({ status: 'ready', content: 'another text' });
    expect((await caller.get(`/${base}/search?q=first`)).body['data']).toEqual([]);
    expect(await kept(caller)).toEqual({ bytes: 'another text'.length, files: 1, items: 1 });
  });

  test('a form without a file, and the same file once more, and its text stays', async () => {
    const { caller, path } = await setup();
    expect((await caller.putForm(path, { name: 'Form' })).data).toMatchObject({
      name: 'Form',
      status: 'ready',
    });
    const same = await caller.putForm(path, { file: new Blob(['the first text']) });
    expect(same.data).toMatchObject({ name: 'Form', status: 'ready' });
    expect(await kept(caller)).toEqual({ bytes: 'the first text'.length, files: 1, items: 1 });
  });

  test('a file of another item, which keeps it after a further change', async () => {
    const { caller, base, id, path } = await setup();
    const other = String((await caller.upload(base, 'shared text')).data['id']);
    await caller.settled(base, other);
    await caller.putForm(path, { file: new Blob(['shared text']) });
    expect(await caller.settled(base, id)).toMatchObject({ content: 'shared text' });
    await caller.putForm(path, { file: new Blob(['third text']) });
    expect((await caller.get(`/${base}/items/${other}`)).data).toMatchObject({ content: 'shared text' });
    expect((await caller.delete(`/${base}/items/${other}`)).status).toBe(200);
    expect(await caller.settled(base, id)).toMatchObject({ content: 'third text' });
    expect(await kept(caller)).toEqual({ bytes: 'third text'.length, files: 1, items: 1 });
  });
});

describe('an item is deleted', () => {
  test('with its text, its file and its place', async () => {
    const { caller, base, id, path } = await setup();
    expect(await caller.delete(path)).toMatchObject({ status: 200, data: { id, name: 'Guide' } });
    expect((await caller.get(path)).status).toBe(404);
    expect((await caller.delete(path)).status).toBe(404);
    expect((await caller.get(`/${base}/items`)).body).toEqual({ data: [] });
    expect((await caller.get(`/${base}/search?q=first`)).body['data']).toEqual([]);
    expect(await kept(caller)).toEqual({ bytes: 0, files: 0, items: 0 });
  });
});

describe('is refused', () => {
  test('to another base or organization: 404 and 403', async () => {
    const { caller, path } = await setup();
    const stranger = await world.newCaller('admin');
    const elsewhere = await caller.newBase();
    const foreign = { name: 'x', organization_id: stranger.organizationId };
    expect(await caller.put(path, foreign)).toMatchObject({
      status: 403,
      body: { code: 'forbidden_organization' },
    });
    for (const answer of [
      await stranger.putForm(path, { file: new Blob(['mine']) }),
      await caller.put(`/${elsewhere}/items/${path.split('/').at(-1)}`, { name: 'x' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await caller.get(path)).data).toMatchObject({ name: 'Guide', content: 'the first text' });
    expect(await kept(stranger)).toMatchObject({ files: 0 });
  });

  test('an invalid one: 422, and nothing of the file stays', async () => {
    const { caller, path } = await setup();
    for (const [body, field] of [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ notes: 7 }, 'notes'],
      [{ nam: 'x' }, 'nam'],
    ] as const) {
      expect(await caller.put(path, body)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', field] }] },
      });
    }
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x00, 0x01]);
    const picture = await caller.putForm(path, { file: new Blob([png]) });
    expect(picture).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'file'] }] } });
    const unnamed = await caller.putForm(path, { name: ' ', file: new Blob(['another']) });
    expect(unnamed.status).toBe(422);
    expect(await kept(caller)).toEqual({ bytes: 'the first text'.length, files: 1, items: 1 });
  });
});
