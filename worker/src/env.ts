import {
  databaseEnv,
  engineEnv,
  extractionEnv,
  filesEnv,
  healthEnv,
  opsEnv,
  queueEnv,
  telephonyEnv,
} from '@outdial/runtime';

export const workerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  files: filesEnv,
  extraction: extractionEnv,
  health: healthEnv,
  ops: opsEnv,
};
