import type { CallingRule } from '../calling-rule.ts';
import { unitedStates } from './us.ts';
import { alabama } from './us-alabama.ts';
import { california } from './us-california.ts';
import { connecticut } from './us-connecticut.ts';
import { florida } from './us-florida.ts';
import { illinois } from './us-illinois.ts';
import { indiana } from './us-indiana.ts';
import { kentucky } from './us-kentucky.ts';
import { louisiana } from './us-louisiana.ts';
import { massachusetts } from './us-massachusetts.ts';
import { maryland } from './us-maryland.ts';
import { maine } from './us-maine.ts';
import { michigan } from './us-michigan.ts';
import { minnesota } from './us-minnesota.ts';
import { mississippi } from './us-mississippi.ts';
import { newMexico } from './us-new-mexico.ts';
import { nebraska } from './us-nebraska.ts';
import { nevada } from './us-nevada.ts';
import { oklahoma } from './us-oklahoma.ts';
import { oregon } from './us-oregon.ts';
import { pennsylvania } from './us-pennsylvania.ts';
import { rhodeIsland } from './us-rhode-island.ts';
import { southCarolina } from './us-south-carolina.ts';
import { southDakota } from './us-south-dakota.ts';
import { texas } from './us-texas.ts';
import { utah } from './us-utah.ts';
import { washington } from './us-washington.ts';
import { wyoming } from './us-wyoming.ts';
import { canada } from './canada.ts';
import { unitedKingdom } from './united-kingdom.ts';
import { ireland } from './ireland.ts';
import { germany } from './germany.ts';
import { france } from './france.ts';
import { spain } from './spain.ts';
import { italy } from './italy.ts';
import { netherlands } from './netherlands.ts';
import { australia } from './australia.ts';
import { india } from './india.ts';
import { brazil } from './brazil.ts';
import { mexico } from './mexico.ts';
import { japan } from './japan.ts';
import { norway } from './norway.ts';
import { portugal } from './portugal.ts';
import { southAfrica } from './south-africa.ts';
import { unitedArabEmirates } from './united-arab-emirates.ts';
import { colombia } from './colombia.ts';
import { peru } from './peru.ts';
import { vietnam } from './vietnam.ts';
import { saudiArabia } from './saudi-arabia.ts';
import { indonesia } from './indonesia.ts';
import { thailand } from './thailand.ts';
import { chile } from './chile.ts';
import { ecuador } from './ecuador.ts';
import { hongKong } from './hong-kong.ts';
import { newZealand } from './new-zealand.ts';
import { switzerland } from './switzerland.ts';
import { singapore } from './singapore.ts';
import { russia } from './russia.ts';
import { ukraine } from './ukraine.ts';
import { southKorea } from './south-korea.ts';
import { nigeria } from './nigeria.ts';
import { greece } from './greece.ts';
import { elsewhere, countriesWithoutHours } from './elsewhere.ts';

/** The rule for countries without their own. */
export const elsewhereJurisdiction = 'XX';

export const builtInRules: readonly CallingRule[] = [
  unitedStates,
  alabama,
  california,
  connecticut,
  florida,
  illinois,
  indiana,
  kentucky,
  louisiana,
  massachusetts,
  maryland,
  maine,
  michigan,
  minnesota,
  mississippi,
  newMexico,
  nebraska,
  nevada,
  oklahoma,
  oregon,
  pennsylvania,
  rhodeIsland,
  southCarolina,
  southDakota,
  texas,
  utah,
  washington,
  wyoming,
  canada,
  unitedKingdom,
  ireland,
  germany,
  france,
  spain,
  italy,
  netherlands,
  australia,
  india,
  brazil,
  mexico,
  japan,
  norway,
  portugal,
  southAfrica,
  unitedArabEmirates,
  colombia,
  peru,
  vietnam,
  saudiArabia,
  indonesia,
  thailand,
  chile,
  ecuador,
  hongKong,
  newZealand,
  switzerland,
  singapore,
  russia,
  ukraine,
  southKorea,
  nigeria,
  greece,
  ...countriesWithoutHours,
  elsewhere,
];
