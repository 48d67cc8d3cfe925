export { judgeNumberChanges, numberChangeOfCells } from './judge-changes.ts';
