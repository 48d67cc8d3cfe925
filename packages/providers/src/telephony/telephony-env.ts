import { envFragment, envVariable, type EnvFragment } from '@outdial/runtime';
import { adapterNames, adapters, findAdapter, type Installations } from './registry.ts';

const { choice, integer, url, withDefault } = envVariable;

const ofAll = envFragment(
  {
    TELEPHONY_PROVIDER: withDefault(
      choice(adapterNames),
      'simulator',
      `The provider of calls if neither the agent nor the organization names one: ${adapterNames.slice(0, -1).join(', ')} or ${adapterNames.at(-1)}.`,
    ),
    PUBLIC_URL: withDefault(
      url('http', 'https'),
      'http://localhost:3000',
      'The address at which providers and API callers reach the api. Providers send their events there.',
    ),
    RING_TIMEOUT_SECONDS: withDefault(
      integer(1, 300),
      '45',
      'How long a phone rings before the call ends as `no_answer`.',
    ),
    MAX_CALL_SECONDS: withDefault(integer(1, 86_400), '1800', 'A call that lasts longer is hung up.'),
  },
  (env) => ({
    provider: env.TELEPHONY_PROVIDER,
    publicUrl: env.PUBLIC_URL.replace(/\/+$/, ''),
    ringTimeoutSeconds: env.RING_TIMEOUT_SECONDS,
    maxCallSeconds: env.MAX_CALL_SECONDS,
  }),
);

type OfAll = typeof ofAll extends EnvFragment<infer Settings> ? Settings : never;
export type TelephonyEnvironment = OfAll & Installations;

/** The environment's settings for calls: those of all carriers, and those of each adapter under its name. */
export const telephonyEnv: EnvFragment<TelephonyEnvironment> = {
  variables: Object.fromEntries(
    [ofAll, ...adapters.map((adapter) => adapter.environment)].flatMap((part) =>
      Object.entries(part.variables),
    ),
  ),
  furtherSecrets: new RegExp(`^(${adapterNames.join('|').toUpperCase()})_`),
  read(source, report) {
    let isFaulty = false;
    const note: typeof report = (variable, message) => {
      isFaulty = true;
      report(variable, message);
    };
    const common = ofAll.read(source, note);
    const isSet = (name: string) => (source[name] ?? '').trim() !== '';
    for (const name of findAdapter(common?.provider ?? '')?.requiredVariables ?? []) {
      if (!isSet(name)) note(name, `is not set, and TELEPHONY_PROVIDER is ${common?.provider}`);
    }
    // Each adapter reads its own variables, under its own name.
    const installations = Object.fromEntries(
      adapters.map((adapter) => [adapter.name, adapter.environment.read(source, note)]),
    ) as Installations;
    return common === undefined || isFaulty ? undefined : { ...common, ...installations };
  },
};
