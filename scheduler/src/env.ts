import { callingRulesEnv, databaseEnv, filesEnv, healthEnv, opsEnv, queueEnv } from '@outdial/runtime';

export const schedulerEnv = {
  database: databaseEnv,
  callingRules: callingRulesEnv,
  queue: queueEnv,
  files: filesEnv,
  health: healthEnv,
  ops: opsEnv,
};
