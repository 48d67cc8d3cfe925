import { databaseEnv, healthEnv, opsEnv, queueEnv } from '@outdial/runtime';

export const schedulerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  health: healthEnv,
  ops: opsEnv,
};
