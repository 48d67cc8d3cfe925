export { judgeConsent, type ConsentFault } from './judge-consent.ts';
export { consentOfCells, judgeConsents, type ConsentItem, type RefusedConsent } from './judge-items.ts';
