/**
 * Zones of the states of the United States (15 U.S.C. § 263 and 49 CFR part 71) and of the provinces and territories of Canada, by the
 * IANA time zone database; the zone of most people first. Zones that have kept the same time since 2007 stand as one.
 */
const zones = {
  atlantic: 'America/Halifax',
  eastern: 'America/New_York',
  central: 'America/Chicago',
  mountain: 'America/Denver',
  arizona: 'America/Phoenix',
  pacific: 'America/Los_Angeles',
  alaska: 'America/Anchorage',
  aleutian: 'America/Adak',
  hawaii: 'Pacific/Honolulu',
  toronto: 'America/Toronto',
  winnipeg: 'America/Winnipeg',
  regina: 'America/Regina',
  edmonton: 'America/Edmonton',
  vancouver: 'America/Vancouver',
} as const;

const { eastern, central, mountain, arizona, pacific, alaska, aleutian, hawaii } = zones;
const { atlantic, toronto, winnipeg, regina, edmonton, vancouver } = zones;

const inTwo: Readonly<Record<string, readonly string[]>> = {
  'US-AK': [alaska, aleutian],
  // The Navajo Nation keeps daylight saving time.
  'US-AZ': [arizona, mountain],
  'US-FL': [eastern, central],
  'US-HI': [hawaii],
  'US-ID': [mountain, pacific],
  'US-IN': [eastern, central],
  'US-KS': [central, mountain],
  'US-KY': [eastern, central],
  'US-MI': [eastern, central],
  'US-ND': [central, mountain],
  'US-NE': [central, mountain],
  // West Wendover.
  'US-NV': [pacific, mountain],
  'US-OR': [pacific, mountain],
  'US-SD': [central, mountain],
  'US-TN': [central, eastern],
  'US-TX': [central, mountain],
  'CA-AB': [edmonton],
  // The Peace River and Creston keep no daylight saving time; the East Kootenay keeps Alberta's.
  'CA-BC': [vancouver, edmonton, 'America/Dawson_Creek'],
  'CA-MB': [winnipeg],
  'CA-NB': [atlantic],
  'CA-NL': ['America/St_Johns', atlantic],
  'CA-NS': [atlantic],
  'CA-NT': [edmonton],
  'CA-NU': [toronto, winnipeg, edmonton, 'America/Panama'],
  'CA-ON': [toronto, winnipeg, 'America/Panama'],
  'CA-PE': [atlantic],
  // The eastern North Shore keeps Atlantic standard time.
  'CA-QC': [toronto, atlantic, 'America/Puerto_Rico'],
  'CA-SK': [regina, edmonton],
  'CA-YT': ['America/Whitehorse'],
};

const inOne: ReadonlyArray<readonly [string, string]> = [
  [eastern, 'CT DC DE GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV'],
  [central, 'AL AR IA IL LA MN MO MS OK WI'],
  [mountain, 'CO MT NM UT WY'],
  [pacific, 'CA WA'],
];

/** ISO 3166-2 → zones. */
export const regionZones: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(inTwo),
  ...inOne.flatMap(([zone, states]) => states.split(' ').map((state) => [`US-${state}`, [zone]] as const)),
]);

/** Countries whose regions are known. */
export const countriesWithRegions: ReadonlySet<string> = new Set(['US', 'CA']);
