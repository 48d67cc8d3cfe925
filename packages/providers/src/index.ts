export * from './telephony/build-provider.ts';
