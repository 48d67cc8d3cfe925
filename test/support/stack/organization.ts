import {
  addPrompt,
  addSkill,
  createAgent,
  createApiKey,
  createOrganization,
  createUser,
  updateOrganization,
  type Db,
  type OrganizationChange,
  type Role,
} from '@outdial/db';
import { OutdialClient } from './http-client.ts';

/** An organization with a user and a client per role, and an agent with a prompt. */
export interface TestOrganization {
  id: string;
  agentId: string;
  users: Record<Role, { id: string; firstName: string; lastName: string }>;
  clients: Record<Role, OutdialClient>;
  apiKeys: Record<Role, string>;
}

const roles: readonly Role[] = ['admin', 'manager', 'member', 'viewer'];

export async function makeOrganization(
  db: Db,
  {
    baseUrl,
    now,
    change = {},
    agentConfig = {},
  }: { baseUrl: string; now: Date; change?: OrganizationChange; agentConfig?: Record<string, unknown> },
): Promise<TestOrganization> {
  const id = await createOrganization(db, { name: 'Acme' });
  await updateOrganization(db, id, { timezone: 'America/New_York', ...change }, now);
  const agentId = await createAgent(db, {
    organizationId: id,
    name: 'Caller',
    config: { voice: 'calm', ...agentConfig },
  });
  await addSkill(db, {
    organizationId: id,
    agentId,
    type: 'transfer',
    exec_order: '1',
    enabled: true,
    config: {},
  });
  await addPrompt(db, { organizationId: id, agentId, level: 1, prompt: 'Call {{name}} about {{topic}}.' });
  const made = await Promise.all(
    roles.map(async (role) => {
      const user = { firstName: 'Ada', lastName: role };
      const userId = await createUser(db, {
        organizationId: id,
        email: `${role}@example.com`,
        role,
        ...user,
      });
      const { key } = await createApiKey(db, { organizationId: id, userId, name: role, role });
      return { role, user: { id: userId, ...user }, client: new OutdialClient(baseUrl, key), key };
    }),
  );
  const of = (role: Role) => {
    const found = made.find((one) => one.role === role);
    if (!found) throw new Error(`no user with the role ${role}`);
    return found;
  };
  return {
    id,
    agentId,
    users: {
      admin: of('admin').user,
      manager: of('manager').user,
      member: of('member').user,
      viewer: of('viewer').user,
    },
    clients: {
      admin: of('admin').client,
      manager: of('manager').client,
      member: of('member').client,
      viewer: of('viewer').client,
    },
    apiKeys: {
      admin: of('admin').key,
      manager: of('manager').key,
      member: of('member').key,
      viewer: of('viewer').key,
    },
  };
}
