import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openWorld } from './world.ts';

const world = await openWorld();

describe('knowledge bases', () => {
  test('are created, read, listed, updated and deleted', async () => {
    const caller = await world.newCaller();
    const created = await caller.post('/', { name: 'Help', description: 'Answers' });
    expect(created.status).toBe(200);
    expect(created.data).toMatchObject({
      name: 'Help',
      description: 'Answers',
      organization_id: caller.organizationId,
    });
    const path = `/${String(created.data['id'])}`;
    expect((await caller.get(path)).body).toEqual(created.body);
    expect((await caller.get('/')).body).toEqual({ data: [created.data] });

    const updated = await caller.put(path, { description: 'More answers' });
    expect(updated.data).toMatchObject({ name: 'Help', description: 'More answers' });
    expect(Object.keys(updated.body)).toEqual(['data']);

    const deleted = await caller.delete(path);
    expect(deleted.body).toEqual(updated.body);
    expect((await caller.get(path)).status).toBe(404);
    expect((await caller.delete(path)).status).toBe(404);
  });
});

test('a repeated request with an Idempotency-Key makes one base and one item, and leaves no second file', async () => {
  const caller = await world.newCaller();
  const key = { 'Idempotency-Key': 'once' };
  const made = await caller.post('/', { name: 'Help' }, key);
  expect((await caller.post('/', { name: 'Help' }, key)).body).toEqual(made.body);
  const other = { status: 409, body: { code: 'idempotency_key_reused' } };
  expect(await caller.post('/', { name: 'Other' }, key)).toMatchObject(other);
  expect((await caller.get('/')).body).toEqual({ data: [made.data] });

  const base = String(made.data['id']);
  const upload = (text: string, fileName = 'facts.txt') => caller.upload(base, text, { fileName }, key);
  const added = await upload('Some facts');
  expect(added).toMatchObject({ status: 200, data: { name: 'facts.txt', status: 'pending' } });
  expect((await upload('Some facts')).body).toEqual(added.body);
  expect(await upload('Other facts')).toMatchObject(other);
  expect(await upload('Some facts', 'other.txt')).toMatchObject(other);
  expect(await caller.settled(base, added.data['id'])).toMatchObject({ content: 'Some facts' });
  expect((await caller.get(`/${base}/items`)).body['data']).toHaveLength(1);
  const files = await world.db
    .selectFrom('stored_files')
    .select('state')
    .where('organization_id', '=', caller.organizationId)
    .execute();
  expect(files).toEqual([{ state: 'kept' }]);
});

describe('items', () => {
  test('a text file is extracted', async () => {
    const caller = await world.newCaller();
    const base = await caller.newBase();
    const answer = await caller.upload(base, 'Line one\r\nLine two\r\n', {
      fileName: 'notes.txt',
      notes: 'n',
    });
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({
      name: 'notes.txt',
      file_type: 'TXT',
      status: 'pending',
      knowledge_base_id: base,
      notes: 'n',
      error: null,
    });
    expect(answer.data).not.toHaveProperty('content');
    expect(await caller.settled(base, answer.data['id'])).toMatchObject({
      status: 'ready',
      content: 'Line one\nLine two',
    });
    const { body } = await caller.get(`/${base}/items?file_type=TXT&status=ready`);
    expect(body['data']).toEqual([expect.objectContaining({ id: answer.data['id'], status: 'ready' })]);
    expect((await caller.get(`/${base}/items?file_type=PDF`)).body).toEqual({ data: [] });
  });

  test('identical content is accepted twice and extracted once', async () => {
    const caller = await world.newCaller();
    const base = await caller.newBase();
    const first = await caller.upload(base, 'the same', { name: 'First' });
    await caller.settled(base, first.data['id']);
    const second = await caller.upload(base, 'the same', { name: 'Second' });
    expect(second).toMatchObject({ status: 200, data: { name: 'Second', status: 'ready' } });
    expect(second.data['id']).not.toBe(first.data['id']);
    expect((await caller.settled(base, second.data['id']))['content']).toBe('the same');
    const documents = await world.db
      .selectFrom('knowledge_base_documents')
      .select(['attempts', 'file_key'])
      .where('knowledge_base_id', '=', base)
      .execute();
    expect(documents).toEqual([expect.objectContaining({ attempts: 1 })]);
    const chunks = await world.db
      .selectFrom('file_chunks')
      .select('key')
      .where('key', 'like', `${caller.organizationId}/%`)
      .execute();
    expect(chunks.map((chunk) => chunk.key)).toEqual(documents.map((document) => document.file_key));
  });

  test.each([
    ['an empty file', '', /empty/],
    ['a picture named as a text', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /PNG/],
    ['an Office document named as a PDF', Buffer.from('504b030414000600080000002100', 'hex'), /ZIP|Office/],
    ['noise', Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251), /neither/],
  ])('%s is refused', async (_what, content, reason) => {
    const caller = await world.newCaller();
    const base = await caller.newBase();
    const bytes = typeof content === 'string' ? content : new Uint8Array(content);
    const answer = await caller.upload(base, bytes, { fileName: 'file.pdf' });
    expect(answer.status).toBe(422);
    const { detail } = answer.body;
    expect(detail).toMatchObject([{ loc: ['body', 'file'], type: 'value_error' }]);
    expect(JSON.stringify(detail)).toMatch(reason);
    expect((await caller.get(`/${base}/items`)).body).toEqual({ data: [] });
  });

  test('deleting the knowledge base removes everything of it', async () => {
    const caller = await world.newCaller();
    const base = await caller.newBase();
    const { data } = await caller.upload(base, 'to be deleted');
    await caller.settled(base, data['id']);
    expect((await caller.delete(`/${base}`)).status).toBe(200);
    for (const table of [
      'knowledge_base_items',
      'knowledge_base_documents',
      'knowledge_base_pages',
      'knowledge_base_passages',
      'knowledge_base_index',
      'knowledge_base_languages',
    ] as const) {
      const rows = await world.db
        .selectFrom(table)
        .selectAll()
        .where('knowledge_base_id', '=', base)
        .execute();
      expect({ table, rows }).toEqual({ table, rows: [] });
    }
    const { organizationId } = caller;
    const { rows } = await sql`
      select (select count(*)::int from stored_files where organization_id = ${organizationId}) as files,
        (select count(*)::int from file_chunks where key like ${`${organizationId}/%`}) as chunks,
        (select bytes_used::int from knowledge_base_usage where organization_id = ${organizationId}) as bytes`.execute(
      world.db,
    );
    expect(rows).toEqual([{ files: 0, chunks: 0, bytes: 0 }]);
  });
});
