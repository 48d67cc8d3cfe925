import { join } from 'node:path';
import {
  createApiKey,
  createOrganization,
  createUser,
  type Db,
  ensureProvider,
  findAgentsByName,
  findApiKey,
  findOrganizations,
  findUsers,
  hashApiKey,
  importAgent,
  inTransaction,
  type Role,
  type Tx,
} from '@outdial/db';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../files/private-file.ts';
import { reminderAgent, simulatedAgent } from './demo-agents.ts';

export interface DemoOrganization {
  organizationId: string;
  agentId: string;
  /** The agent that only calls through the simulator. */
  simulatedAgentId: string;
  keys: Record<Role, string>;
  /** Whether this start created the organization. */
  isNew: boolean;
}

const organizationName = 'Harbour Dental (demo)';
const people = {
  admin: ['Ada', 'Admin'],
  manager: ['Max', 'Manager'],
  member: ['Mia', 'Member'],
  viewer: ['Vic', 'Viewer'],
} as const satisfies Record<Role, readonly [string, string]>;

const roleKeys = z.object({ admin: z.string(), manager: z.string(), member: z.string(), viewer: z.string() });
/** By organization, because a data directory may be used with more than one database. */
const keysFile = z.record(z.string(), roleKeys);

/**
 * Finds or creates the demo organization with its two agents, and a user and a key for each role. Changes that users made stay.
 * The database only has hashes of keys, so the keys themselves are stored in the data directory. Lost keys are replaced.
 */
export async function seedDemo(db: Db, args: { dataDir: string; now: Date }): Promise<DemoOrganization> {
  await ensureProvider(db, { name: 'simulator', adapter: 'simulator' });
  const path = join(args.dataDir, 'demo-keys.json');
  const stored = readJson(path, keysFile) ?? {};
  return inTransaction(db, async (tx) => {
    const [known] = await findOrganizations(tx, { named: organizationName, limit: 1 });
    const organizationId = known?.id ?? (await createOrganization(tx, { name: organizationName }));
    const agentId = await seedAgent(tx, organizationId, reminderAgent, args.now);
    const simulatedAgentId = await seedAgent(tx, organizationId, simulatedAgent, args.now);
    const keyOf = (role: Role) =>
      seedKey(tx, { organizationId, role, stored: stored[organizationId]?.[role], now: args.now });
    const keys = {
      admin: await keyOf('admin'),
      manager: await keyOf('manager'),
      member: await keyOf('member'),
      viewer: await keyOf('viewer'),
    };
    // Before the commit, so that no committed key is lost in a crash.
    writePrivateJson(path, { ...stored, [organizationId]: keys });
    return { organizationId, agentId, simulatedAgentId, keys, isNew: known === undefined };
  });
}

async function seedAgent(
  tx: Tx,
  organizationId: string,
  agent: typeof reminderAgent,
  now: Date,
): Promise<string> {
  const [known] = await findAgentsByName(tx, { organizationId, name: agent.name });
  return known ?? (await importAgent(tx, { organizationId, ...agent }, now)).agentId;
}

/** The stored key if it is still valid, else a new one. */
async function seedKey(
  tx: Tx,
  args: { organizationId: string; role: Role; stored: string | undefined; now: Date },
): Promise<string> {
  const { organizationId, role, stored } = args;
  if (stored !== undefined) {
    const found = await findApiKey(tx, hashApiKey(stored));
    const isValid =
      found !== null &&
      found.organizationId === organizationId &&
      found.role === role &&
      found.revokedAt === null &&
      (found.expiresAt === null || found.expiresAt > args.now);
    if (isValid) return stored;
  }
  const email = `${role}@demo.example`;
  const [user] = await findUsers(tx, { organizationId, named: email, limit: 1 });
  const [firstName, lastName] = people[role];
  const userId = user?.id ?? (await createUser(tx, { organizationId, email, firstName, lastName, role }));
  return (await createApiKey(tx, { organizationId, userId, name: `demo ${role}`, role })).key;
}
