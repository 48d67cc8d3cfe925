export * from './errors.ts';
export type * from './ports/clock.ts';
export type * from './ports/telephony-provider.ts';
