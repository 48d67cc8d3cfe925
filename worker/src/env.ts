import { databaseEnv, engineEnv, healthEnv, opsEnv, queueEnv, telephonyEnv } from '@outdial/runtime';

export const workerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  health: healthEnv,
  ops: opsEnv,
};
