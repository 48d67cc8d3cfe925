import { openingOf, type CallerPlace, type Opening } from '@outdial/core';
import type { AgentContext } from '@outdial/db';
import { complianceOfAgent } from './compliance-of-agent.ts';

/** The disclosure at the beginning of a call, and whether the call is recorded. */
export function openingOfCall(
  agent: Pick<AgentContext, 'name' | 'config' | 'callingPolicy' | 'organizationName' | 'openingRules'>,
  person: { phoneNumber: string; place: CallerPlace; fromPhone: string | null },
): Opening {
  const { discloses, language, records } = complianceOfAgent(agent.config);
  return openingOf(
    {
      policy: agent.callingPolicy,
      ...person,
      isAsked: discloses,
      language,
      records,
      organizationName: agent.organizationName,
      agentName: agent.name,
    },
    agent.openingRules,
  );
}
