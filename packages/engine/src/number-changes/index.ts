export { judgeNumberChanges, numberChangeOfCells, type NumberChangeLine } from './judge-changes.ts';
