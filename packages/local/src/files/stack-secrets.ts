import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const secretsFile = z.object({ jwt_secret: z.string().min(32), ops_password: z.string().min(8) });

/** Secrets that the local stack generates once and then keeps. */
export interface StackSecrets {
  jwtSecret: string;
  opsPassword: string;
}

/** Reads them, or makes them where there are none. */
export function loadStackSecrets(dataDir: string): StackSecrets {
  const path = join(dataDir, 'secrets.json');
  const kept = readJson(path, secretsFile);
  if (kept !== null) return { jwtSecret: kept.jwt_secret, opsPassword: kept.ops_password };
  const made = {
    jwtSecret: randomBytes(32).toString('base64url'),
    opsPassword: randomBytes(15).toString('base64url'),
  };
  writePrivateJson(path, { jwt_secret: made.jwtSecret, ops_password: made.opsPassword });
  return made;
}
