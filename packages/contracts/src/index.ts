export * from './jobs/index.ts';
export * from './http/index.ts';
export { readRulesDocument } from './rules/rules-document.ts';
export * from './voice/index.ts';
