import { openingOf, type CallerPlace, type Opening } from '@outdial/core';
import type { AgentContext } from '@outdial/db';

export interface AgentCompliance {
  /** The key that a person presses to opt out. */
  optOutKey: string | null;
  discloses: boolean;
  /** A language tag; default `en`. */
  language: string;
  records: boolean;
}

const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Invalid settings count as missing. */
export function complianceOfAgent(config: Record<string, unknown>): AgentCompliance {
  const compliance = objectOf(config['compliance']);
  const voice = objectOf(config['voice']);
  const key = compliance['opt_out_key'];
  const language = compliance['language'] ?? voice['language'];
  return {
    optOutKey: typeof key === 'string' && /^[0-9*#]$/.test(key) ? key : null,
    discloses: compliance['disclose'] === true,
    language: typeof language === 'string' && languageTag.test(language) ? language : 'en',
    records: voice['record'] === true || objectOf(config['telephony'])['record'] === true,
  };
}

/** `config.telephony` takes precedence over `config.voice`. */
export function wantsRecording(config: Record<string, unknown>): boolean {
  const { record } = objectOf(config['telephony']);
  return (typeof record === 'boolean' ? record : objectOf(config['voice'])['record']) === true;
}

export function withoutRecording(config: Record<string, unknown>): Record<string, unknown> {
  const off = (part: unknown) =>
    typeof part === 'object' && part !== null && 'record' in part ? { ...part, record: false } : part;
  return {
    ...config,
    ...(config['voice'] !== undefined && { voice: off(config['voice']) }),
    ...(config['telephony'] !== undefined && { telephony: off(config['telephony']) }),
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The disclosure at the beginning of a call, and whether the call is recorded. */
export function openingOfCall(
  agent: AgentContext,
  person: { phoneNumber: string; place: CallerPlace; fromPhone: string | null },
): Opening {
  const { discloses, language, records } = complianceOfAgent(agent.config);
  return openingOf(
    {
      policy: agent.calling_policy,
      ...person,
      isAsked: discloses,
      language,
      records,
      organizationName: agent.organization_name,
      agentName: agent.name,
    },
    agent.opening_rules,
  );
}
