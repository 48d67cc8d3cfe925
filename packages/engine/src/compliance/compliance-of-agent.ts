export interface AgentCompliance {
  /** The key by which a person asks for no further calls. */
  optOutKey: string | null;
  /** Whether its calls begin by disclosing the caller and the means of the call. */
  discloses: boolean;
  /** A language tag; English where the config names none. */
  language: string;
  /** Whether it records its calls. */
  records: boolean;
}

const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** The settings of an agent's config that concern the law. A setting that cannot be parsed counts as missing. */
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

/** Whether the agent asks for a recording; what is said of the telephone goes before what is said of the voice. */
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
