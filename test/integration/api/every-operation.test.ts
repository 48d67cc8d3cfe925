import { randomUUID } from 'node:crypto';
import { roles, type Role } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import { callEveryOperation, everyOperationWorld, itemForm } from './call-every-operation.ts';
import { importForm } from './campaign-operations.ts';
import type { ApiRequest } from './contract-client.ts';

const { client, db, organization } = await apiWorld(everyOperationWorld);

function operationIds(isWanted: (method: string) => boolean): string[] {
  return Object.values(client.document.paths)
    .flatMap((item) => Object.entries(item))
    .filter(([method]) => isWanted(method))
    .map(([, operation]) => operation.operationId)
    .toSorted();
}

/**
 * Calls every operation once, in an order in which each finds the objects that it needs. Validates every answer against the document, and expects an
 * audit log entry for each write.
 */
test(
  'every operation answers as documented, with and without a trailing slash',
  { timeout: 120_000 },
  async () => {
    for (const slash of ['', '/']) {
      const acme = await organization();
      const key = acme.keys.admin;
      const agentId = await acme.agent();
      const send = async (label: string, request: ApiRequest = {}) => {
        const answer = await client.send(label.replace(/(\?|$)/, `${slash}$1`), { key, ...request });
        expect(`${label} ${answer.status} ${answer.status === 200 ? '' : answer.bytes.toString()}`).toBe(
          `${label} 200 `,
        );
        return answer.json;
      };
      await callEveryOperation(db, agentId, send);
      const audited = await db
        .selectFrom('audit_log')
        .select('action')
        .distinct()
        .where('organization_id', '=', acme.id)
        .where('actor_type', '=', 'user')
        .execute();
      expect(audited.map((row) => row.action).toSorted()).toEqual(
        // Exports are reads that are logged. A forecast writes nothing.
        [
          ...operationIds((method) => method !== 'get').filter((id) => id !== 'forecastCampaign'),
          'exportCampaign',
          'defendPerson',
          'exportPerson',
          'proveConsent',
        ].toSorted(),
      );
    }
    expect([...client.succeeded].toSorted()).toEqual(operationIds(() => true));
  },
);

const labels = Object.entries(client.document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([method, { operationId }]) =>
      [`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, randomUUID())}`, operationId] as const,
  ),
);
const takesForm = (label: string) => label.endsWith('/items') || label.endsWith('/campaigns/import');
const bodyFor = (label: string): ApiRequest => {
  if (label.endsWith('/items')) return label.startsWith('POST') ? { body: itemForm() } : {};
  if (takesForm(label)) return { body: importForm(randomUUID()) };
  return /^(POST|PUT)/.test(label) ? { json: {} } : {};
};

test.each(labels)('%s is 401 to a stranger', async (label) => {
  const answer = await client.send(label, bodyFor(label));
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).not.toBeNull();
});

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The operations that need more than the role of a viewer (docs/behaviour.md, "Authentication and roles"), by the least role that they need. */
const operationsBeyondViewers: Partial<Record<Role, readonly string[]>> = {
  member: words(`
    makeCall makeWebCall annotateCall hangUpCall createCampaign importCampaign forecastCampaign exportCampaign
    addSuppression addConsent revokeConsent createKnowledgeBase updateKnowledgeBase deleteKnowledgeBase
    uploadKnowledgeBaseItem updateKnowledgeBaseItem deleteKnowledgeBaseItem`),
  manager: words(`
    updateCampaign deleteCampaign setCampaignStatus setCampaignConfig addRecipients withdrawRecipient
    retryRecipients createAgent updateAgent deleteAgent addPrompt addCallerId updateCallerId removeCallerId
    importSuppressions removeSuppression importScrubList removeScrubList importNumberChanges removeNumberChange
    importConsents proveConsent defendPerson importPersonNumbers importNumberQueries createWebhookEndpoint listWebhookEndpoints readWebhookEndpoint
    updateWebhookEndpoint deleteWebhookEndpoint rotateWebhookSecret testWebhookEndpoint listWebhookDeliveries
    redeliverWebhook redeliverWebhooksSince`),
  admin: words(`
    updateOrganization listUsers readUser createUser updateUser createSignInLink listApiKeys createApiKey
    rotateApiKey revokeApiKey listAuditLog erasePerson exportPerson listErasures readErasure`),
};

test.each(labels)('%s is 403 to every role below its own', async (label, operationId) => {
  const acme = await organization();
  const least = roles.find((role) => operationsBeyondViewers[role]?.includes(operationId)) ?? 'viewer';
  const as = (role: Role) => client.send(label, { key: acme.keys[role], ...bodyFor(label) });
  for (const role of roles.slice(0, roles.indexOf(least))) {
    expect(await as(role)).toMatchObject({ status: 403, json: { code: 'forbidden_role' } });
  }
  expect((await as(least)).status).not.toBe(403);
});

test.each(labels.filter(([label]) => /^(POST|PUT)/.test(label)))(
  '%s is 415 for text and 400 for what is cut',
  async (label) => {
    const acme = await organization();
    const send = (type: string, body: string) =>
      client.send(label, { key: acme.keys.admin, headers: { 'Content-Type': type }, body });
    expect((await send('text/plain', 'x')).status).toBe(415);
    const cut = takesForm(label)
      ? await send(
          'multipart/form-data; boundary=x',
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
        )
      : await send('application/json', '{"name":');
    expect(cut.status).toBe(400);
  },
);
