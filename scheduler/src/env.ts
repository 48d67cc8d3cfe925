import { databaseEnv, filesEnv, healthEnv, opsEnv, queueEnv } from '@outdial/runtime';

export const schedulerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  files: filesEnv,
  health: healthEnv,
  ops: opsEnv,
};
