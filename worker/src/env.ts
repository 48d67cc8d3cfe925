import {
  databaseEnv,
  engineEnv,
  extractionEnv,
  filesEnv,
  healthEnv,
  knowledgeTokenEnv,
  opsEnv,
  queueEnv,
  telephonyEnv,
} from '@outdial/runtime';

export const workerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  knowledgeToken: knowledgeTokenEnv,
  files: filesEnv,
  extraction: extractionEnv,
  health: healthEnv,
  ops: opsEnv,
};
