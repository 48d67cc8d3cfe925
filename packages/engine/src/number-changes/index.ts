export { judgeNumberChanges, numberChangeOfFields } from './judge-changes.ts';
