import type { AgentContext, StartView } from '@outdial/db';

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
  choice: Pick<StartView, 'agent_provider' | 'default_provider'>,
  installationProvider: string,
): string {
  return choice.agent_provider ?? choice.default_provider ?? installationProvider;
}
