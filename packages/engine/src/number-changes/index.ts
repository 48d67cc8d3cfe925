export { judgeNumberChanges, numberChangeFields } from './judge-changes.ts';
