import { loadEnv, voiceEndpointsEnv } from '@outdial/runtime';

/** The names of the voice endpoints that the environment gives; null where it gives none, as on a machine that only administers. */
export function endpointNames(env: Readonly<Record<string, string | undefined>>): ReadonlySet<string> | null {
  const { endpoints } = loadEnv({ endpoints: voiceEndpointsEnv }, env);
  return endpoints.size === 0 ? null : new Set(endpoints.keys());
}
