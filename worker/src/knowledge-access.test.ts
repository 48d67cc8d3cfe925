import { createKnowledgeTokens } from '@outdial/runtime';
import { expect, test } from 'vitest';
import { createKnowledgeAccess } from './knowledge-access.ts';

const secret = 'a secret of the tests, long enough for HMAC';
const settings = { secret, publicUrl: 'https://outdial.test', longestCallSeconds: 60 };
const now = new Date('2026-03-02T12:00:00Z');
const knowledgeBaseId = '01900000-0000-7000-8000-0000000000c1';
const skill = {
  id: '01900000-0000-7000-8000-0000000000d1',
  type: 'knowledge_base',
  exec_order: '1',
  enabled: true,
  config: { knowledge_base_ids: [knowledgeBaseId] },
};
const call = {
  callId: '01900000-0000-7000-8000-000000000001',
  organizationId: '01900000-0000-7000-8000-0000000000a1',
  skills: [skill],
  now,
};

test("lets a call search its agent's knowledge bases, for as long as it may last", async () => {
  const access = await createKnowledgeAccess(settings)(call);
  expect(access).toMatchObject({
    ids: [knowledgeBaseId],
    searchUrl: 'https://outdial.test/api/v1/knowledge-base/{id}/search',
  });
  const tokens = createKnowledgeTokens(secret);
  const { callId, organizationId } = call;
  const token = access?.token ?? '';
  const scope = { callId, organizationId, knowledgeBaseIds: [knowledgeBaseId] };
  expect(await tokens.verify(token, new Date(now.getTime() + 60_000))).toEqual(scope);
  expect(await tokens.verify(token, new Date(now.getTime() + 600_000))).toBeNull();
});

test('gives nothing without a secret, and to agents without knowledge bases', async () => {
  expect(await createKnowledgeAccess({ ...settings, secret: null })(call)).toBeNull();
  expect(await createKnowledgeAccess(settings)({ ...call, skills: [] })).toBeNull();
  expect(
    await createKnowledgeAccess(settings)({ ...call, skills: [{ ...skill, enabled: false }] }),
  ).toBeNull();
});
