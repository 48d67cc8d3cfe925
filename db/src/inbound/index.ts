export * from './inbound-calls.ts';
