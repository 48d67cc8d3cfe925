/** An area code of each state of the United States, and of provinces of Canada. */
const areas =
  '205 907 480 501 213 303 203 302 305 404 808 208 312 317 515 316 502 504 207 301 617 313 612 601 314 406 402 702 603 201 505 212 704 701 216 405 503 215 401 803 605 615 214 801 802 703 206 304 414 307 202 204 416 604 514 306 403 506 709 902'.split(
    ' ',
  );
const states =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  );
const countries =
  'AR AT AU BE BG BR CH CL CO CY CZ DE DK EE ES FI FR GB GR HR HU IE IN IS IT JP KE KR LT LU LV MT MX MY NG NL NO NZ PE PH PL PT RO RS SE SG SI SK TH TR TW UA VN ZA'.split(
    ' ',
  );
const regions = [...states.map((state) => `US-${state}`), ...countries];

/** People of whom nearly each has another calling key under the policy `strict`: the rules of the number's place and those of the named one count. */
export function peopleOfPlaces(
  count: number,
  from = 0,
): Array<{ phone_number: string; region: string | undefined }> {
  return Array.from({ length: count }, (_, n) => {
    const at = from + n;
    return {
      phone_number: `+1${areas[at % areas.length]}${2_000_000 + at * 7}`,
      region: regions[Math.floor(at / areas.length) % regions.length],
    };
  });
}
