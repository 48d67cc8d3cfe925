import type { TelephonyAdapter, ProviderRow, RowCheck } from '../adapter.ts';
import { createGateway } from './gateway.ts';
import { gatewayRowSettings, gatewaySettings, type EnvironmentGateway } from './settings.ts';
import { withoutNulls } from '../row-settings.ts';
import { gatewaySecrets, installationGateway } from './secrets.ts';
import { envFragment, envVariable } from '@outdial/runtime';

const { optional, secret, url } = envVariable;

const signingSecret = secret(1).regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
  error: 'must be whsec_ and at least 24 bytes of base64',
});

const gatewayEnvironment = envFragment(
  {
    GATEWAY_URL: optional(
      url('http', 'https'),
      'https://voice.example.com',
      'Base url of the voice gateway.',
    ),
    GATEWAY_SECRET: optional(
      signingSecret,
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMQ==',
      'Signs requests to the gateway and events from it, as Standard Webhooks describes.',
    ),
    GATEWAY_SECRET_PREVIOUS: optional(
      signingSecret,
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMA==',
      'The previous secret, while the secret is being changed. Both are valid then.',
    ),
  },
  ({ GATEWAY_URL: baseUrl, GATEWAY_SECRET: own }, report): EnvironmentGateway | undefined => {
    if (baseUrl === undefined) return undefined;
    if (own === undefined) {
      report('GATEWAY_SECRET', 'is not set, and GATEWAY_URL is');
      return undefined;
    }
    return { url: baseUrl.replace(/\/+$/, ''), secret: own };
  },
);

export const gatewayAdapter: TelephonyAdapter<'gateway', EnvironmentGateway> = {
  name: 'gateway',
  environment: gatewayEnvironment,
  requiredVariables: ['GATEWAY_URL'],
  rowSettings: gatewayRowSettings,
  checkRow: checkGatewayRow,
  firstCallsPerSecond: null,
  build(row, { installation, publicUrl, environment }) {
    const own = gatewaySettings(row, { gateway: installation, publicUrl }, environment);
    return own && createGateway(own);
  },
};

/** Checks whether a gateway's row can work beside the other rows in this environment. */
function checkGatewayRow(
  row: ProviderRow,
  others: readonly ProviderRow[],
  environment: Readonly<Record<string, string | undefined>>,
): RowCheck {
  const check: RowCheck = { faults: [], hints: [], secret: null };
  const settings = gatewayRowSettings.safeParse(withoutNulls(row.settings));
  if (!settings.success) {
    check.faults.push('its settings cannot be read');
    return check;
  }
  const { url, secret_env: secretEnv, previous_secret_env: previousSecretEnv } = settings.data;
  if (url === undefined && !environment['GATEWAY_URL']) {
    check.faults.push('it has no url: give one with --set url=https://…, or set GATEWAY_URL');
  }
  const twin = secretEnv === undefined ? undefined : others.find((other) => usesVariable(other, secretEnv));
  if (twin) check.faults.push(`${secretEnv} is the secret of ${twin.name}: each gateway needs its own`);
  const secrets = gatewaySecrets({ name: row.name, secretEnv, previousSecretEnv }, {}, environment);
  if (secretEnv !== undefined) {
    if (secrets === null) {
      check.hints.push(
        `${secretEnv} is not a secret here: set it to whsec_ and 24 bytes or more of base64 for the api and the workers`,
      );
    }
  } else if (secrets === null) {
    check.faults.push(
      'it has no secret: set GATEWAY_SECRET, from which its secret is derived, or name a variable with --set secret_env=GATEWAY_SECRET_…',
    );
  } else if (row.name !== installationGateway) {
    check.secret = secrets.current;
  }
  return check;
}

function usesVariable(row: ProviderRow, variable: string): boolean {
  return row.settings['secret_env'] === variable || row.settings['previous_secret_env'] === variable;
}
