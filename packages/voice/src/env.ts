import { telephonyEnv } from '@outdial/providers/environment';
import {
  databaseEnv,
  filesEnv,
  healthEnv,
  opsEnv,
  queueEnv,
  voiceEndpointsEnv,
  voiceEnv,
  voiceToolsEnv,
} from '@outdial/runtime';

export const voiceProcessEnv = {
  database: databaseEnv,
  files: filesEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  voice: voiceEnv,
  endpoints: voiceEndpointsEnv,
  tools: voiceToolsEnv,
  health: healthEnv,
  ops: opsEnv,
};
