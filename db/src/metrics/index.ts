export * from './measure-state.ts';
