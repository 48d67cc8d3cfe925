export * from './voice-call.ts';
export * from './voice-processes.ts';
