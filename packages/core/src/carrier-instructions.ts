/** The operator's rules for what an agent may have the carrier do. */
export interface CarrierInstructionRules {
  /** Whether agents may bring TwiML, which can dial, send messages and join conferences at the operator's cost. */
  allowsOwnTwiml: boolean;
  /** The hosts to which calls may be connected, as in a URL: with the port, unless it is the default one. */
  hosts: readonly string[];
  /** The addresses of the installation's own voice processes, which are always allowed. */
  ownUrls: readonly string[];
  /** Whether the agent's `from_phone` is a number that the operator has confirmed for another organization. */
  isOthersFromPhone: boolean;
}

/** A field of an agent's config, and why the operator does not allow it. */
export interface RefusedInstructions {
  path: string[];
  message: string;
}

/**
 * Judges the caller id in an agent's `config.telephony.from_phone`, and the instructions in `config.telephony.voice`, which the carrier runs on the
 * operator's account. Null if they are allowed, or if there are none. What is not well-formed never reaches a carrier, and is left to its adapter.
 */
export function judgeCarrierInstructions(
  config: Readonly<Record<string, unknown>>,
  rules: CarrierInstructionRules,
): RefusedInstructions | null {
  if (rules.isOthersFromPhone) {
    const message = 'The number belongs to another organization of this installation';
    return { path: ['telephony', 'from_phone'], message };
  }
  const voice = fieldOf(config['telephony'], 'voice');
  const connect = fieldOf(voice, 'connect');
  if ((connect === 'twiml' || connect === 'twiml_url') && !rules.allowsOwnTwiml) {
    return refused('connect', `The operator does not allow \`${connect}\` for this organization`);
  }
  const address = fieldOf(voice, 'url');
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  // Programs disagree on where such an address leads.
  if (url.username !== '' || url.password !== '') {
    return refused('url', 'Input should be an address without a user or password');
  }
  const isAllowed =
    rules.hosts.includes(url.host) ||
    rules.ownUrls.some((own) => URL.canParse(own) && new URL(own).host === url.host);
  if (isAllowed) return null;
  return refused('url', `The operator has not allowed calls of this organization to go to ${url.host}`);
}

/** A host as in a URL, optionally with a port; null if the text is not one. */
export function hostOfUrl(text: string): string | null {
  const address = `https://${text}/`;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const isOnlyHost = url.href === `https://${url.host}/` && url.host !== '';
  return isOnlyHost ? url.host : null;
}

function refused(field: string, message: string): RefusedInstructions {
  return { path: ['telephony', 'voice', field], message };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
