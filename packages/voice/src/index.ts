export { abilitiesOf } from './call/line-of-call.ts';
export * from './conversation/index.ts';
export * from './language-model/index.ts';
export * from './rehearsal/index.ts';
export * from './tools/index.ts';
