export { faultOfOlder, faultOfScrub } from './judge-scrub.ts';
