import type { AgentContext } from '@outdial/db';

/** Reads the agent's `config.telephony`. */
export function agentTelephony(config: AgentContext['config']): {
  provider: string | null;
  fromPhone: string | null;
} {
  const { telephony } = config;
  if (typeof telephony !== 'object' || telephony === null) return { provider: null, fromPhone: null };
  return {
    provider: 'provider' in telephony && typeof telephony.provider === 'string' ? telephony.provider : null,
    fromPhone:
      'from_phone' in telephony && typeof telephony.from_phone === 'string' ? telephony.from_phone : null,
  };
}

export function resolveProvider(
  choice: { agentProvider: string | null; organizationProvider: string | null },
  installationProvider: string,
): string {
  return choice.agentProvider ?? choice.organizationProvider ?? installationProvider;
}
