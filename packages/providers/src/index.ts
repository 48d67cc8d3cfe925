export * from './telephony/build-provider.ts';
export { checkRow } from './telephony/check-row.ts';
export { settingsFaults } from './telephony/settings-faults.ts';
