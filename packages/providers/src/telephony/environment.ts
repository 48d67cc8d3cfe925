export { adapterNames, type AdapterName } from './registry.ts';
export { telephonyEnv, type TelephonyEnvironment } from './telephony-env.ts';
