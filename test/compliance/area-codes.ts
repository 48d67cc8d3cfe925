/**
 * Countries whose area codes tell the clock: the country, its calling code, the rest of a number, and the codes by place. Independent of the engine's data: these
 * are read by state or province, with the clock of its capital; the engine's are listed by clock.
 */
export const areas: ReadonlyArray<
  readonly [string, string, string, ReadonlyArray<readonly [zones: readonly string[], codes: string]>]
> = [
  [
    'BR',
    '55',
    '32123456',
    [
      [['America/Sao_Paulo'], '11 21 31 41 51 61 63'],
      [['America/Belem'], '91 93 94 96'],
      [['America/Fortaleza', 'America/Bahia'], '71 79 82 83 84 85 86 87 88 89 98 99'],
      [['America/Recife', 'America/Noronha'], '81'],
      [['America/Porto_Velho'], '69'],
      [['America/Manaus', 'America/Boa_Vista'], '92 95'],
      [['America/Cuiaba'], '65'],
      [['America/Cuiaba', 'America/Sao_Paulo'], '66'],
      [['America/Campo_Grande', 'America/Sao_Paulo'], '67'],
      [['America/Manaus', 'America/Eirunepe'], '97'],
      [['America/Rio_Branco'], '68'],
    ],
  ],
  // Mobile numbers.
  [
    'BR',
    '55',
    '981234567',
    [
      [['America/Belem'], '91 93 94'],
      [['America/Recife', 'America/Noronha'], '81'],
    ],
  ],
  [
    'MX',
    '52',
    '1234567',
    [
      [['America/Mexico_City'], '551 331 222 229 442 444 449 477 722 744 777 771 951 961 993'],
      [['America/Monterrey'], '811 821 833 834 844 871 618'],
      [['America/Merida'], '999 981'],
      [['America/Chihuahua'], '614 621 625 627 628 629 635 639 648 649 652 659'],
      [['America/Ciudad_Juarez', 'America/Chihuahua'], '636 656 657'],
      [['America/Ojinaga', 'America/Chihuahua'], '626'],
      [
        ['America/Matamoros', 'America/Monterrey'],
        '841 861 862 864 867 868 869 873 877 878 891 892 894 897 899',
      ],
      [['America/Tijuana'], '646 658 661 663 664 665 686'],
      [['America/Tijuana', 'America/Hermosillo'], '653'],
      [['America/Tijuana', 'America/Mazatlan'], '615 616'],
      [['America/Hermosillo'], '622 631 637 644 662'],
      [['America/Mazatlan'], '612 624 660 667 668 669 695'],
      [['America/Mazatlan', 'America/Bahia_Banderas'], '311 319 322 323 324 325 327 329 389 437'],
      [['America/Cancun'], '987 998'],
      [['America/Cancun', 'America/Merida'], '983 984 985 986 997'],
      [
        [
          'America/Tijuana',
          'America/Mazatlan',
          'America/Ciudad_Juarez',
          'America/Mexico_City',
          'America/Matamoros',
          'America/Cancun',
        ],
        // Not assigned, and a freephone number.
        '610 989 800',
      ],
    ],
  ],
  [
    'RU',
    '7',
    '2123456',
    [
      [['Europe/Kaliningrad'], '401'],
      [['Europe/Moscow'], '495 499 812 831 833 841 843 855 861 863 871'],
      [['Europe/Volgograd'], '844'],
      [['Europe/Saratov'], '845'],
      [['Europe/Samara'], '341 846 848'],
      [['Europe/Ulyanovsk', 'Europe/Astrakhan'], '842 851'],
      [['Asia/Yekaterinburg'], '342 343 345 346 347 349 351 352 353'],
      [['Asia/Omsk'], '381'],
      [
        ['Asia/Novosibirsk', 'Asia/Tomsk', 'Asia/Barnaul', 'Asia/Krasnoyarsk'],
        '382 383 384 385 388 390 391 394',
      ],
      [['Asia/Irkutsk'], '301 395'],
      [['Asia/Chita'], '302 416'],
      [['Asia/Yakutsk', 'Asia/Ust-Nera', 'Asia/Srednekolymsk'], '411'],
      [['Asia/Vladivostok'], '421 423 426'],
      [['Asia/Magadan', 'Asia/Sakhalin'], '413 424'],
      [['Asia/Kamchatka', 'Asia/Anadyr'], '415 427'],
    ],
  ],
  [
    'ID',
    '62',
    '2345678',
    [
      [['Asia/Jakarta', 'Asia/Pontianak'], '21 22 31 61 711 561 531'],
      [['Asia/Makassar'], '361 370 380 411 431 541 551'],
      [['Asia/Pontianak', 'Asia/Makassar'], '511 513'],
      [['Asia/Jayapura'], '911 967'],
    ],
  ],
  [
    'ES',
    '34',
    '123456',
    [
      [['Europe/Madrid', 'Africa/Ceuta'], '911 956 927'],
      [['Atlantic/Canary'], '922 928'],
    ],
  ],
  [
    'PT',
    '351',
    '123456',
    [
      [['Europe/Lisbon', 'Atlantic/Madeira'], '211 291'],
      [['Atlantic/Azores'], '292 295 296'],
    ],
  ],
  ['CN', '86', '12345678', [[['Asia/Shanghai'], '10 21 571']]],
  ['EC', '593', '2345678', [[['America/Guayaquil'], '2 4 7']]],
];
