import { expect, test } from 'vitest';
import { z } from 'zod';
import { viewOf } from './view-of.ts';

test('shows only the fields of the schema, and instants as text', () => {
  const view = viewOf(
    z.object({ name: z.string(), made_at: z.iso.datetime(), ended_at: z.iso.datetime().nullable() }),
  );
  const row = { ended_at: null, key_hash: 'secret', made_at: new Date(Date.UTC(2026, 2, 1, 9)), name: 'Ada' };

  const text = JSON.stringify(view(row));

  expect(text).toBe('{"name":"Ada","made_at":"2026-03-01T09:00:00.000Z","ended_at":null}');
});
