import type { TelephonyAdapter } from '../adapter.ts';
import { checkGatewayRow } from './check-row.ts';
import { gatewayEnvironment } from './environment.ts';
import { createGateway } from './gateway.ts';
import { gatewayRowSettings, gatewaySettings, type EnvironmentGateway } from './settings.ts';

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
