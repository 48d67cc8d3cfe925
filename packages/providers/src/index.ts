export * from './telephony/build-provider.ts';
export { settingsFaults } from './telephony/settings-faults.ts';
