import type { EnvFragment } from './fragment.ts';

/** Names every fault of the environment, but no value. */
export class EnvError extends Error {
  readonly code = 'invalid_environment';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`the environment is invalid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'EnvError';
    this.faults = faults;
  }
}

type Fragments = Readonly<Record<string, EnvFragment<unknown>>>;

export type SettingsOf<Parts extends Fragments> = {
  readonly [Name in keyof Parts]: Parts[Name] extends EnvFragment<infer Settings> ? Settings : never;
};

/**
 * Reads the environment for all parts of a process.
 * @throws EnvError with every fault
 */
export function loadEnv<Parts extends Fragments>(
  parts: Parts,
  source: Readonly<Record<string, string | undefined>>,
): SettingsOf<Parts> {
  const faults = new Set<string>();
  const settings = Object.entries(parts).map(([name, part]) => {
    return [name, part.read(source, (variable, message) => faults.add(`${variable}: ${message}`))] as const;
  });
  if (faults.size > 0) throw new EnvError([...faults]);
  // Without a fault, each part returned its settings.
  return Object.fromEntries(settings) as SettingsOf<Parts>;
}
