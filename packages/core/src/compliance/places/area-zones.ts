/**
 * Area codes (the first digits of the national number) whose zones are known, of countries with several. A code has every zone in which it is used; one
 * that is not listed may be in any zone of the country, so that a new code is never called by a wrong clock. Countries that are missing, such as Australia and
 * Chile, let a fixed line keep its number in another area (ACMA, out-of-area geographic numbers; Subtel, portabilidad geográfica), or are small.
 *
 * Brazil: Anatel, Plano Geral de Códigos Nacionais (Resolução 263/2001); Lei 12.876/2013. Fernando de Noronha shares 81; the west of Amazonas shares 97; towns of 66 and 67
 * at the border keep the time of Brasília. China: MIIT, area codes; Xinjiang has 90 and 99. Ecuador: Arcotel, Plan Técnico Fundamental de Numeración; the Galápagos share 5.
 * Indonesia: Kominfo, Fundamental Technical Plan; 51 and 52 are of provinces of both clocks. Mexico: IFT, Plan Técnico Fundamental de Numeración (DOF 11 May 2018), and
 * Ley de los Husos Horarios (DOF 28 October 2022), articles 3 and 4, for the municipalities at the border. Portugal: ANACOM, Plano Nacional de Numeração. Russia: Mintsifry,
 * numbering plan (ABC codes); Federal Law 107-FZ of 2011. Spain: CNMC, Plan Nacional de Numeración; 8 may be nomadic.
 */
export const areaZones: Readonly<Record<string, ReadonlyArray<readonly [zones: string, codes: string]>>> = {
  BR: [
    [
      'America/Sao_Paulo',
      '11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 61 62 63 64 71 73 74 75 77 79 82 83 84 85 86 87 88 89 91 93 94 96 98 99',
    ],
    ['America/Sao_Paulo America/Noronha', '81'],
    ['America/Manaus', '65 69 92 95'],
    ['America/Manaus America/Sao_Paulo', '66 67'],
    ['America/Manaus America/Rio_Branco', '97'],
    ['America/Rio_Branco', '68'],
  ],
  CN: [['Asia/Shanghai', '10 2 3 4 5 6 7 8']],
  EC: [['America/Guayaquil', '2 3 4 6 7']],
  ES: [
    ['Europe/Madrid', '91 920 921 923 924 925 926 927 929 93 94 95 96 97 98'],
    ['Atlantic/Canary', '922 928'],
  ],
  ID: [
    ['Asia/Jakarta', '2 31 32 33 34 35 53 56 6 7'],
    ['Asia/Jakarta Asia/Makassar', '51 52'],
    ['Asia/Makassar', '36 37 38 4 54 55'],
    ['Asia/Jayapura', '9'],
  ],
  MX: [
    [
      'America/Mexico_City',
      '22 23 24 27 28 29 312 313 314 315 316 317 321 326 328 33 34 35 37 381 382 383 384 385 387 39 41 42 43 44 45 46 47 48 49 55 56 58 59 614 618 621 625 627 628 629 635 639 648 649 652 659 671 674 675 676 677 71 72 73 74 75 76 77 78 79 81 82 83 842 844 845 846 866 870 871 872 91 92 93 95 96 97 981 982 988 990 991 992 993 994 995 996 999',
    ],
    // Nayarit, without Bahía de Banderas, and the places of Jalisco and Zacatecas next to it.
    ['America/Mazatlan America/Mexico_City', '311 319 322 323 324 325 327 329 386 388 389 437 457'],
    [
      'America/Mazatlan',
      '612 613 622 623 624 631 632 633 634 637 638 641 642 643 644 645 647 651 660 662 667 668 669 672 673 687 69',
    ],
    ['America/Tijuana', '646 658 661 663 664 665 686'],
    ['America/Tijuana America/Mazatlan', '615 616 653'],
    ['America/Ciudad_Juarez America/Mexico_City', '636 656 657'],
    // Ojinaga keeps the time of Matamoros.
    ['America/Matamoros America/Mexico_City', '626 823 824 841 86 87 89'],
    ['America/Cancun', '987 998'],
    ['America/Cancun America/Mexico_City', '983 984 985 986 997'],
  ],
  PT: [
    ['Europe/Lisbon', '21 22 23 24 25 26 27 28 291'],
    ['Atlantic/Azores', '292 295 296'],
  ],
  RU: [
    ['Europe/Kaliningrad', '401'],
    [
      'Europe/Moscow',
      '365 471 472 473 474 475 481 482 483 484 485 486 487 491 492 493 494 495 496 498 499 811 812 813 814 815 816 817 818 820 821 831 833 834 835 836 841 843 844 847 855 861 862 863 865 866 867 869 871 872 873 877 878 879',
    ],
    ['Europe/Samara', '341 842 845 846 848 851'],
    ['Asia/Yekaterinburg', '342 343 345 346 347 349 351 352 353'],
    ['Asia/Omsk', '381'],
    ['Asia/Krasnoyarsk', '382 383 384 385 388 390 391 394'],
    ['Asia/Irkutsk', '301 395'],
    ['Asia/Yakutsk', '302 416'],
    // Yakutia has three.
    ['Asia/Yakutsk Asia/Vladivostok Asia/Magadan', '411'],
    ['Asia/Vladivostok', '421 423 426'],
    ['Asia/Magadan', '413 424'],
    ['Asia/Kamchatka', '415 427'],
  ],
};
