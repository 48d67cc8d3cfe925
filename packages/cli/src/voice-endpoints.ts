import { loadEnv, voiceEndpointsEnv, type VoiceEndpoints, voiceToolsEnv } from '@outdial/runtime';
import { CliError } from './cli-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The voice endpoints in the environment. Null if there are none, as on a machine that is only used for administration. */
export function knownEndpoints(env: Environment): VoiceEndpoints | null {
  const { endpoints } = loadEnv({ endpoints: voiceEndpointsEnv }, env);
  return endpoints.size === 0 ? null : endpoints;
}

/** @throws CliError if there are none */
export function requireEndpoints(env: Environment): {
  endpoints: VoiceEndpoints;
  tools: ReturnType<typeof voiceToolsEnv.read>;
} {
  const read = loadEnv({ endpoints: voiceEndpointsEnv, tools: voiceToolsEnv }, env);
  if (read.endpoints.size === 0) {
    throw new CliError('no_endpoints', 'no model is known: set VOICE_ENDPOINT_LLM_URL (see docs/voice.md)');
  }
  return read;
}
