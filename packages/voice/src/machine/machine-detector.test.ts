import { describe, expect, test } from 'vitest';
import { createMachineDetector, type MachineDetector } from './machine-detector.ts';
import { framesOf, silence, tone, vowels } from './sound.fixture.ts';

interface Heard {
  sound: Int16Array;
  voiced: boolean;
}

/** Plays sounds to the detector. Returns its reports, with their times. */
function listen(detector: MachineDetector, sounds: readonly Heard[]): Array<[number, string]> {
  const said: Array<[number, string]> = [];
  let at = 0;
  for (const { sound, voiced } of sounds) {
    for (const frame of framesOf(sound)) {
      at += 20;
      const verdict = detector.frame(at, voiced, frame);
      if (verdict !== null) said.push([at, verdict]);
    }
  }
  return said;
}

const speaks = (ms: number): Heard => ({ sound: vowels(ms), voiced: true });
const waits = (ms: number): Heard => ({ sound: silence(ms), voiced: false });
/** A noise that the voice detector may take for a voice. */
const beeps = (ms: number): Heard => ({ sound: tone(1_000, ms), voiced: false });

const turn = (text: string, startedAt = 0, endedAt = 2_000) => ({ text, startedAt, endedAt });

const shoes = 'we sell shoes and boots';

/** A detector that has heard these sounds. */
function afterHearing(...sounds: readonly Heard[]): MachineDetector {
  const detector = createMachineDetector(0);
  expect(listen(detector, sounds)).toEqual([]);
  return detector;
}

describe('a mailbox', () => {
  test('is recognized by its beep, after an announcement or after silence', () => {
    expect(listen(createMachineDetector(0), [speaks(3_000), waits(200), beeps(400), waits(200)])).toEqual([
      [3_620, 'mailbox_beep'],
    ]);
    expect(listen(createMachineDetector(0), [waits(800), beeps(400), waits(200)])).toEqual([
      [1_220, 'mailbox_beep'],
    ]);
  });

  test('is recognized because it does not stop talking', () => {
    expect(listen(createMachineDetector(0), [speaks(12_100)])[0]).toEqual([12_020, 'machine']);
    expect(afterHearing(speaks(4_000), waits(500), speaks(2_600)).said(turn(shoes, 0, 7_100))).toBe(
      'machine',
    );
  });

  test.each([
    'Please leave a message after the tone.',
    "Hi, you've reached Ann, I can’t come to the phone right now.",
    'The person you are calling is not available',
    'Sorry I missed your call',
    'The customer you are calling cannot be reached at the moment.',
    'We are not able to take your call.',
    'El cliente al que llama no está disponible',
    "Le correspondant que vous demandez n'est pas joignable",
    'Bitte hinterlassen Sie eine Nachricht nach dem Signalton.',
    'Deje su mensaje después del tono',
    'Vous êtes sur le répondeur de Paul',
    'Deixe sua mensagem após o sinal',
  ])('is known by its words: %s', (text) => {
    expect(createMachineDetector(0).said(turn(text))).toBe('machine');
  });
});

describe('a person is not taken for a mailbox', () => {
  test.each([
    'Hello?',
    'Hello, this is Ann speaking, who is this?',
    'I am not interested, thank you',
    'Did you leave me a letter about this?',
    'Could you call me back later, I am at work',
    'He is not available, can I take a message?',
    "She can't come to the phone, could you call back tomorrow?",
    'I cannot answer that',
    "She's at work. Would you like to leave a message?",
    'Do you want me to record a message for him?',
  ])('is not taken for a mailbox: %s', (text) => {
    expect(createMachineDetector(0).said(turn(text))).toBeNull();
  });

  test('because of a kettle that beeps after "Hello?"', () => {
    expect(listen(createMachineDetector(0), [speaks(600), waits(200), beeps(400), waits(200)])).toEqual([]);
  });

  test('later in the conversation, whatever is said', () => {
    const detector = createMachineDetector(0);
    for (const text of ['Hello?', 'Yes.', 'Go on.']) expect(detector.said(turn(text))).toBeNull();
    expect(detector.said(turn('I will leave you a message on your voicemail', 9_000, 17_000))).toBeNull();
    expect(listen(detector, [speaks(13_000), beeps(400), waits(200)])).toEqual([]);
  });

  test('because of a turn that is long only because of its silences', () => {
    expect(
      afterHearing(speaks(600), waits(6_000), speaks(600)).said(turn('Hello? Hello?', 0, 7_200)),
    ).toBeNull();
  });

  test('because of a noise before the first word', () => {
    const detector = afterHearing(speaks(8_000), waits(1_000), speaks(600));
    expect(detector.said(turn('Hello?', 9_000, 9_600))).toBeNull();
  });

  test('because of a long answer to the agent', () => {
    const detector = afterHearing(speaks(8_000));
    detector.agentHeard();
    expect(detector.said(turn('Yes, it has come, but', 0, 8_000))).toBeNull();
  });

  test.each([12, 16, 20, 25, 30])('because of a first turn of %i seconds', (seconds) => {
    const detector = createMachineDetector(0);
    expect(listen(detector, [waits(300)])).toEqual([]);
    detector.agentHeard();
    expect(listen(detector, [speaks(seconds * 1_000)])).toEqual([]);
    expect(detector.said(turn('Yes, it has come, but the box was open', 300, seconds * 1_000))).toBeNull();
  });

  test('because of a long turn after a short one', () => {
    const detector = afterHearing(speaks(600), waits(1_000));
    expect(detector.said(turn('Hello?', 0, 600))).toBeNull();
    expect(listen(detector, [speaks(13_000)])).toEqual([]);
    expect(detector.said(turn('Who is this, I was just about to', 1_600, 14_600))).toBeNull();
  });

  test('after a minute', () => {
    const detector = createMachineDetector(-60_000);
    expect(listen(detector, [speaks(3_000), beeps(400), waits(200)])).toEqual([]);
  });
});

describe('a number that nobody has', () => {
  const gap = waits(20);
  /** Their lengths differ: ITU-T E.180 has 330 ms for each, Telcordia 274 or 380. */
  const tones = (hz: readonly number[], lengthsMs: readonly number[] = []): Heard[] => [
    waits(200),
    ...hz.flatMap((each, nth) => [{ sound: tone(each, lengthsMs[nth] ?? 330), voiced: true }, gap]),
    waits(300),
  ];

  test.each([
    [913.8, 1_370.6, 1_776.7],
    [985.2, 1_370.6, 1_776.7],
    [950, 1_400, 1_800],
  ])('is known by the information tones %s, %s and %s Hz', (...hz) => {
    for (const lengthsMs of [
      [330, 330, 330],
      [380, 274, 380],
      [274, 274, 380],
    ]) {
      const heard = listen(createMachineDetector(0), tones(hz, lengthsMs));
      expect(heard.map(([, found]) => found)).toEqual(['unused_number']);
    }
  });

  test('is not known by the tones of a network that is overloaded', () => {
    const heard = listen(createMachineDetector(0), tones([913.8, 1_428.5, 1_776.7]));
    expect(heard.map(([, found]) => found)).toEqual(['overloaded']);
  });

  test('is not known by the beep of a mailbox that has the first tone', () => {
    const heard = listen(createMachineDetector(0), [
      waits(500),
      { sound: tone(950, 400), voiced: false },
      waits(400),
    ]);
    expect(heard.map(([, found]) => found)).toEqual(['mailbox_beep']);
  });

  test.each([
    'The number you have dialed is not in service. Please check the number and dial again.',
    'We are sorry, the number you have reached has been disconnected or is no longer in service.',
    'Your call cannot be completed as dialed.',
    'We are sorry, your call could not be completed as dialed.',
    'The number you have called does not exist.',
    'The number you have dialed is not recognised.',
    'Diese Rufnummer ist uns nicht bekannt.',
    'Die gewählte Rufnummer ist ungültig.',
    'El número al que llama no está asignado.',
    'Kein Anschluss unter dieser Nummer.',
    'El número que usted marcó no existe.',
    "Le numéro que vous avez composé n'est pas attribué.",
  ])('is known by its words: %s', (text) => {
    expect(createMachineDetector(0).said(turn(text))).toBe('unused_number');
  });

  test.each([
    'I am not in the office now',
    'My number has changed last week, hello?',
    'My number is not working properly',
    'Wrong number!',
  ])('is not known by the words of a person: %s', (text) =>
    expect(createMachineDetector(0).said(turn(text))).toBeNull(),
  );
});

describe('an assistant that screens calls', () => {
  test.each([
    'Hi, this is Bixby Text Call. The person you are calling reads what you say.',
    'Hello, I am an automated assistant answering for the owner of this phone. Please say who you are and why you are calling.',
    'Please state the reason for your call.',
    'Hi, the person you are calling is using a screening service from Google. Go ahead and say your name and why you are calling.',
    "If you record your name and reason for calling, I'll see if this person is available.",
    'Please tell me who is calling and why.',
    "Please say your name after the tone, and I'll try to connect you.",
  ])('is answered, however long it talks: %s', (text) => {
    expect(createMachineDetector(0).said(turn(text, 0, 9_000))).toBe('screening');
  });
});
