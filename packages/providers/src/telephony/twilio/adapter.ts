import type { TelephonyAdapter } from '../adapter.ts';
import { twilioEnvironment } from './environment.ts';
import { twilioRowSettings, twilioSettings, type EnvironmentTwilio } from './settings.ts';
import { createTwilio } from './twilio.ts';

export const twilioAdapter: TelephonyAdapter<'twilio', EnvironmentTwilio> = {
  name: 'twilio',
  environment: twilioEnvironment,
  requiredVariables: ['TWILIO_ACCOUNT_SID'],
  rowSettings: twilioRowSettings,
  // By default, an account dials one call a second and queues the rest.
  firstCallsPerSecond: 1,
  build(row, { installation, publicUrl, environment }) {
    const own = twilioSettings(row, { twilio: installation, publicUrl }, environment);
    return own && createTwilio(own);
  },
};
