import type { BackendRole, QueueBackend } from './backend.ts';
import type { QueueBackendConfig } from './backend-config.ts';
import type { QueueLog } from './ports.ts';
import { openPostgresBackend } from './postgres-backend.ts';
import { openRedisBackend } from './redis-backend.ts';

export function openBackend(config: QueueBackendConfig, role: BackendRole, log: QueueLog): QueueBackend {
  return config.kind === 'redis'
    ? openRedisBackend(config, role, log)
    : openPostgresBackend(config, role, log);
}
