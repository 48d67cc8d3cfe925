import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const secretsFile = z.object({ jwt_secret: z.string().min(32), ops_password: z.string().min(8) });

/** Secrets that the local stack generates once and stores. */
export interface StackSecrets {
  jwtSecret: string;
  opsPassword: string;
}

export function loadStackSecrets(dataDir: string): StackSecrets {
  const path = join(dataDir, 'secrets.json');
  const stored = readJson(path, secretsFile);
  if (stored !== null) return { jwtSecret: stored.jwt_secret, opsPassword: stored.ops_password };
  const created = {
    jwtSecret: randomBytes(32).toString('base64url'),
    opsPassword: randomBytes(15).toString('base64url'),
  };
  writePrivateJson(path, { jwt_secret: created.jwtSecret, ops_password: created.opsPassword });
  return created;
}
