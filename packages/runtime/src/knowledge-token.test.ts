import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createKnowledgeTokens, knowledgeBasesOf } from './knowledge-token.ts';

const secret = 'a secret of the tests, long enough for HMAC';
const now = new Date('2026-01-01T12:00:00Z');
const base = '01890a5d-ac96-774b-bcce-b302099a8057';
const scope = {
  organizationId: '01890a5d-ac96-774b-bcce-b302099a8051',
  callId: '01890a5d-ac96-774b-bcce-b302099a8052',
  knowledgeBaseIds: [base],
};
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

test('a token carries its purpose until it expires', async () => {
  const tokens = createKnowledgeTokens(secret);
  const token = await tokens.mint(scope, { now, lifetimeSeconds: 600 });
  expect(await tokens.verify(token, later(599))).toEqual(scope);
  expect(await tokens.verify(token, later(601))).toBeNull();
});

test('a token of another secret, of another audience, or a changed one is invalid', async () => {
  const tokens = createKnowledgeTokens(secret);
  const token = await tokens.mint(scope, { now, lifetimeSeconds: 600 });
  expect(await createKnowledgeTokens(`${secret}!`).verify(token, now)).toBeNull();
  const [head, , signature] = token.split('.');
  const body = Buffer.from(JSON.stringify({ org: scope.organizationId })).toString('base64url');
  expect(await tokens.verify(`${head}.${body}.${signature}`, now)).toBeNull();
  expect(await tokens.verify('od_something', now)).toBeNull();
  const users = await new SignJWT({ org: scope.organizationId, role: 'admin', kb: [base] })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('outdial')
    .setAudience('outdial')
    .setSubject(scope.callId)
    .setExpirationTime(later(600))
    .sign(new TextEncoder().encode(secret));
  expect(await tokens.verify(users, now)).toBeNull();
});

test('skills name knowledge bases', () => {
  const skill = (type: string, enabled: boolean, ids: unknown) => ({
    type,
    enabled,
    config: { knowledge_base_ids: ids },
  });
  expect(
    knowledgeBasesOf([
      skill('knowledge_base', true, [base, base.toUpperCase()]),
      skill('knowledge_base', false, [scope.callId]),
      skill('transfer', true, [scope.callId]),
      skill('knowledge_base', true, 'all'),
    ]),
  ).toEqual([base]);
});
