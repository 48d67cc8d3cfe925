import type { TelephonyAdapter } from '../adapter.ts';
import { createAsterisk } from './asterisk.ts';
import { asteriskEnvironment } from './environment.ts';
import { asteriskRowSettings, asteriskSettings, type EnvironmentAsterisk } from './settings.ts';

export const asteriskAdapter: TelephonyAdapter<'asterisk', EnvironmentAsterisk> = {
  name: 'asterisk',
  environment: asteriskEnvironment,
  requiredVariables: ['ASTERISK_URL', 'ASTERISK_ENDPOINT'],
  rowSettings: asteriskRowSettings,
  firstCallsPerSecond: null,
  build(row, { installation, environment }) {
    const own = asteriskSettings(row, installation, environment);
    return own && createAsterisk(own);
  },
};
