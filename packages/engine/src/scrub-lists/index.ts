export { faultOfOlder, faultOfScrub, faultOfSmaller } from './judge-scrub.ts';
