export { hasBasicAuth } from './http/basic-auth.ts';
export { createHttpServer, type HttpServerOptions } from './http/create-server.ts';
export { FailedCredentials, failuresWindowMs, operatorFailuresPerMinute } from './http/failed-credentials.ts';
export { misspeltMessage, misspeltVariables, type Misspelt } from './env/misspelt.ts';
export { describeEnv, type EnvDoc, renderEnvExample } from './env/docs.ts';
export { type EnvFragment, envFragment } from './env/fragment.ts';
export {
  authEnv,
  databaseEnv,
  engineEnv,
  healthEnv,
  httpEnv,
  logEnv,
  opsEnv,
  type OpsCredentials,
  queueEnv,
} from './env/fragments.ts';
export { oidcEnv } from './env/oidc-fragment.ts';
export { tracingEnv } from './env/tracing-fragment.ts';
export {
  type VoiceEndpoint,
  type VoiceEndpoints,
  voiceEndpointsEnv,
} from './env/voice-endpoints-fragment.ts';
export { voiceToolsEnv } from './env/voice-tools-fragment.ts';
export { voiceEnv, voiceTokenEnv } from './env/voice-fragment.ts';
export { webhookEnv } from './env/webhook-fragment.ts';
export { extractionEnv, filesEnv, knowledgeTokenEnv, uploadEnv } from './env/knowledge-base-fragments.ts';
export { createCallTokens, type CallScope, type CallTokens } from './call-token.ts';
export {
  createKnowledgeTokens,
  type KnowledgeScope,
  knowledgeBasesOf,
  type KnowledgeTokens,
} from './knowledge-token.ts';
export { EnvError, loadEnv, type SettingsOf } from './env/load-env.ts';
export * as envVariable from './env/variable.ts';
export { readVariableFiles } from './env/variable-files.ts';
export { type HealthOptions, type HealthServer, startHealthServer } from './http/health.ts';
export { exitBadEnvironment, type ProcessContext, type ProcessOptions, run } from './lifecycle.ts';
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { type Loop, type LoopOptions, startLoop } from './loop.ts';
export { maskLine } from './mask-line.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { startSweeps, type SweepObserver } from './sweeps.ts';
export { Shutdown } from './shutdown.ts';
export { systemClock } from './system-clock.ts';
