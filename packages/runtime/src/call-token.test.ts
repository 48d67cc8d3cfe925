import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCallTokens } from './call-token.ts';
import { createKnowledgeTokens } from './knowledge-token.ts';

const secret = 's'.repeat(32);
const now = new Date('2026-03-02T12:00:00Z');
const scope = { organizationId: randomUUID(), callId: randomUUID() };

test('a token names its call until it ends, for those who have the secret', async () => {
  const tokens = createCallTokens(secret);
  const token = await tokens.mint(scope, { now, lifetimeSeconds: 60 });
  expect(await tokens.verify(token, now)).toEqual(scope);
  expect(await tokens.verify(token, new Date(now.getTime() + 61_000))).toBeNull();
  expect(await createCallTokens('t'.repeat(32)).verify(token, now)).toBeNull();
  expect(await tokens.verify('nonsense', now)).toBeNull();
});

test('a token of another kind under the same secret is invalid', async () => {
  const other = await createKnowledgeTokens(secret).mint(
    { ...scope, knowledgeBaseIds: [] },
    { now, lifetimeSeconds: 60 },
  );
  expect(await createCallTokens(secret).verify(other, now)).toBeNull();
});
