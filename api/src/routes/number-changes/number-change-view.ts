import { numberChange, viewOf } from '@outdial/contracts';

export const numberChangeView = viewOf(numberChange);
