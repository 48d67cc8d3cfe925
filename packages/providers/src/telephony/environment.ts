export { adapterNames, type AdapterName } from './registry.ts';
export { telephonyEnv, type TelephonyEnvironment } from './telephony-env.ts';
export { relayPath, streamPath, tokenParameter } from './twilio/own-runtime.ts';
export { createTwilioHandshakeCheck } from './twilio/websocket-signature.ts';
