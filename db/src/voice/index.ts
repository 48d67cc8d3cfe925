export * from './voice-call.ts';
export * from './voice-processes.ts';
export * from './web-calls.ts';
