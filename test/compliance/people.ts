/**
 * The places of numbers, independent of the engine's data: jurisdictions with all of their clocks, and numbers in them. Area codes by state are from
 * the administrator of the North American plan; the engine's are from libphonenumber.
 */
export interface Somewhere {
  country: string;
  /** The region, if there is one. */
  region: string | null;
  zones: readonly string[];
  numbers: readonly string[];
}

const [ET, CT, MT, AZ, PT] = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
];

const states: ReadonlyArray<readonly [string, readonly string[], string]> = [
  ['AK', ['America/Anchorage', 'America/Adak'], '907'],
  ['AL', [CT], '205 251 256 334 659 938'],
  ['AR', [CT], '327 479 501 870'],
  ['AZ', [AZ, MT], '480 520 602 623 928'],
  [
    'CA',
    [PT],
    '209 213 279 310 323 341 350 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747 760 805 818 820 831 840 858 909 916 925 949 951',
  ],
  ['CO', [MT], '303 719 720 748 970 983'],
  ['CT', [ET], '203 475 860 959'],
  ['DC', [ET], '202 771'],
  ['DE', [ET], '302'],
  [
    'FL',
    [ET, CT],
    '239 305 321 324 352 386 407 448 561 645 656 689 727 728 754 772 786 813 850 863 904 941 954',
  ],
  ['GA', [ET], '229 404 470 478 678 706 762 770 912 943'],
  ['HI', ['Pacific/Honolulu'], '808'],
  ['IA', [CT], '319 515 563 641 712'],
  ['ID', [MT, PT], '208 986'],
  ['IL', [CT], '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 872'],
  ['IN', [ET, CT], '219 260 317 463 574 765 812 930'],
  ['KS', [CT, MT], '316 620 785 913'],
  ['KY', [ET, CT], '270 364 502 606 859'],
  ['LA', [CT], '225 318 337 504 985'],
  ['MA', [ET], '339 351 413 508 617 774 781 857 978'],
  ['MD', [ET], '227 240 301 410 443 667'],
  ['ME', [ET], '207'],
  ['MI', [ET, CT], '231 248 269 313 517 586 616 734 810 906 947 989'],
  ['MN', [CT], '218 320 507 612 651 763 952'],
  ['MO', [CT], '235 314 417 557 573 636 660 816 975'],
  ['MS', [CT], '228 601 662 769'],
  ['MT', [MT], '406'],
  ['NC', [ET], '252 336 472 704 743 828 910 919 980 984'],
  ['ND', [CT, MT], '701'],
  ['NE', [CT, MT], '308 402 531'],
  ['NH', [ET], '603'],
  ['NJ', [ET], '201 551 609 640 732 848 856 862 908 973'],
  ['NM', [MT], '505 575'],
  ['NV', [PT, MT], '702 725 775'],
  ['NY', [ET], '212 315 329 332 347 363 516 518 585 607 631 646 680 716 718 838 845 914 917 929 934'],
  ['OH', [ET], '216 220 234 283 326 330 380 419 440 513 567 614 740 937'],
  ['OK', [CT], '405 539 572 580 918'],
  ['OR', [PT, MT], '458 503 541 971'],
  ['PA', [ET], '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878'],
  ['RI', [ET], '401'],
  ['SC', [ET], '803 821 839 843 854 864'],
  ['SD', [CT, MT], '605'],
  ['TN', [ET, CT], '423 615 629 731 865 901 931'],
  [
    'TX',
    [CT, MT],
    '210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830 832 903 915 936 940 945 956 972 979',
  ],
  ['UT', [MT], '385 435 801'],
  ['VA', [ET], '276 434 540 571 686 703 757 804 826 948'],
  ['VT', [ET], '802'],
  ['WA', [PT], '206 253 360 425 509 564'],
  ['WI', [CT], '262 274 353 414 534 608 715 920'],
  ['WV', [ET], '304 681'],
  ['WY', [MT], '307'],
];

const elsewhere: ReadonlyArray<readonly [string, readonly string[], string]> = [
  ['CA', ['America/Toronto', 'America/Winnipeg', 'America/Panama'], '+14165550123'],
  ['CA', ['America/Vancouver', 'America/Edmonton', 'America/Dawson_Creek'], '+16045550123'],
  ['CA', ['America/Halifax'], '+19025550123'],
  ['GB', ['Europe/London'], '+442071838750 +447400123456'],
  ['IE', ['Europe/Dublin'], '+35315134000 +353850123456'],
  ['DE', ['Europe/Berlin'], '+493012345678 +4915123456789'],
  ['FR', ['Europe/Paris'], '+33123456789 +33612345678'],
  ['ES', ['Europe/Madrid', 'Atlantic/Canary'], '+34612345678'],
  ['IT', ['Europe/Rome'], '+390612345678 +393123456789'],
  ['NL', ['Europe/Amsterdam'], '+31201234567 +31612345678'],
  [
    'AU',
    [
      'Australia/Sydney',
      'Australia/Brisbane',
      'Australia/Adelaide',
      'Australia/Darwin',
      'Australia/Perth',
      'Australia/Eucla',
      'Australia/Lord_Howe',
    ],
    '+61412345678',
  ],
  ['IN', ['Asia/Kolkata'], '+919876543210'],
  ['BR', ['America/Sao_Paulo'], '+551123456789'],
  ['MX', ['America/Mexico_City'], '+525512345678'],
  ['JP', ['Asia/Tokyo'], '+81312345678 +819012345678'],
  ['AT', ['Europe/Vienna'], '+431234567890'],
  ['BE', ['Europe/Brussels'], '+3212345678'],
  ['CH', ['Europe/Zurich'], '+41446681800'],
  ['DK', ['Europe/Copenhagen'], '+4532123456'],
  ['FI', ['Europe/Helsinki'], '+358412345678'],
  ['GR', ['Europe/Athens'], '+302123456789'],
  ['NZ', ['Pacific/Auckland', 'Pacific/Chatham'], '+64211234567'],
  ['NO', ['Europe/Oslo'], '+4740612345'],
  ['PL', ['Europe/Warsaw'], '+48512345678'],
  ['PT', ['Europe/Lisbon', 'Atlantic/Azores'], '+351912345678'],
  ['SE', ['Europe/Stockholm'], '+46701234567'],
  ['SG', ['Asia/Singapore'], '+6581234567'],
  ['ZA', ['Africa/Johannesburg'], '+27711234567'],
  ['KR', ['Asia/Seoul'], '+821023456789'],
  ['AE', ['Asia/Dubai'], '+971501234567'],
  ['AR', ['America/Argentina/Buenos_Aires'], '+541123456789'],
  ['KE', ['Africa/Nairobi'], '+254712123456'],
  ['CO', ['America/Bogota'], '+573001234567 +576012345678'],
  ['PE', ['America/Lima'], '+51912345678 +5112345678'],
];

export const people: readonly Somewhere[] = [
  ...states.map(([state, zones, codes]) => ({
    country: 'US',
    region: `US-${state}`,
    zones,
    numbers: codes.split(' ').map((code) => `+1${code}5550123`),
  })),
  ...elsewhere.map(([country, zones, numbers]) => ({
    country,
    region: null,
    zones,
    numbers: numbers.split(' '),
  })),
];
