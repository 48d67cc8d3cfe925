/**
 * The first three digits of ZIP codes of the United States, by state or territory (USPS Publication 65, National Five-Digit ZIP Code and Post
 * Office Directory): from, to. Territories are countries of ISO 3166.
 */
const zipPrefixes = `
PR 006-007 009-009
VI 008-008
US-MA 010-027 055-055
US-RI 028-029
US-NH 030-038
US-ME 039-049
US-VT 050-054 056-059
US-CT 060-069
US-NJ 070-089
US-NY 005-005 100-149
US-PA 150-196
US-DE 197-199
US-DC 200-200 202-205 569-569
US-VA 201-201 220-246
US-MD 206-219
US-WV 247-268
US-NC 270-289
US-SC 290-299
US-GA 300-319 398-399
US-FL 320-339 341-342 344-344 346-347 349-349
US-AL 350-352 354-369
US-TN 370-385
US-MS 386-397
US-KY 400-427
US-OH 430-459
US-IN 460-479
US-MI 480-499
US-IA 500-528
US-WI 530-532 534-535 537-549
US-MN 550-551 553-567
US-SD 570-577
US-ND 580-588
US-MT 590-599
US-IL 600-620 622-629
US-MO 630-631 633-641 644-658
US-KS 660-662 664-679
US-NE 680-681 683-693
US-LA 700-701 703-708 710-714
US-AR 716-729
US-OK 730-731 734-741 743-749
US-TX 733-733 750-799 885-885
US-CO 800-816
US-WY 820-831
US-ID 832-838
US-UT 840-847
US-AZ 850-853 855-857 859-860 863-865
US-NM 870-871 873-875 877-884
US-NV 889-891 893-895 897-898
US-CA 900-908 910-928 930-961
US-HI 967-968
US-OR 970-979
US-WA 980-986 988-994
US-AK 995-999
`;

/** Islands of the Pacific share their prefixes: whole ZIP codes. Those in free association are countries of their own. */
const zipsOfIslands: ReadonlyArray<readonly [region: string, from: number, to: number]> = [
  ['AS', 96_799, 96_799],
  ['GU', 96_910, 96_932],
  ['PW', 96_939, 96_940],
  ['FM', 96_941, 96_944],
  ['MP', 96_950, 96_952],
  ['MH', 96_960, 96_970],
];

/** Post offices of the armed forces, which say nothing about a place. */
const militaryZip = /^(?:09\d|340|96[2-6])/;

/** The first letter of Canadian postal codes (Canada Post, Addressing Guidelines); X is shared by two territories. */
const canadianLetters: Readonly<Record<string, readonly string[]>> = {
  A: ['CA-NL'],
  B: ['CA-NS'],
  C: ['CA-PE'],
  E: ['CA-NB'],
  G: ['CA-QC'],
  H: ['CA-QC'],
  J: ['CA-QC'],
  K: ['CA-ON'],
  L: ['CA-ON'],
  M: ['CA-ON'],
  N: ['CA-ON'],
  P: ['CA-ON'],
  R: ['CA-MB'],
  S: ['CA-SK'],
  T: ['CA-AB'],
  V: ['CA-BC'],
  X: ['CA-NT', 'CA-NU'],
  Y: ['CA-YT'],
};

const regionOfZip = new Map<number, string>();
for (const line of zipPrefixes.trim().split('\n')) {
  const [region = '', ...ranges] = line.split(' ');
  for (const range of ranges) {
    const [from = 0, to = 0] = range.split('-').map(Number);
    for (let prefix = from; prefix <= to; prefix++) regionOfZip.set(prefix, region);
  }
}

const isZip = (text: string) => /^\d{5}(?:-?\d{4})?$/.test(text);

export function isMilitaryPostalCode(code: string): boolean {
  const text = code.trim();
  return isZip(text) && militaryZip.test(text);
}

/** The regions of a postal code of the United States or Canada; empty if it is not such a code. */
export function regionsOfPostalCode(code: string): readonly string[] {
  const text = code.trim().toUpperCase();
  if (isZip(text)) {
    const zip = Number(text.slice(0, 5));
    const island = zipsOfIslands.find(([, from, to]) => from <= zip && zip <= to);
    const region = island?.[0] ?? regionOfZip.get(Number(text.slice(0, 3)));
    return region === undefined ? [] : [region];
  }
  const isCanadian = /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/.test(text);
  return isCanadian ? (canadianLetters[text.slice(0, 1)] ?? []) : [];
}
