import { fromMuLaw, lineRate } from '@outdial/voice/sound';
import type { SpeechPrograms } from './find-speech.ts';
import { libraryAfterwards, libraryLines, libraryPhrases } from './library-call.ts';
import { type RealtimeAnswer, type RealtimeServer, startRealtimeServer } from './realtime-server.ts';
import { agentSays, recognizerFile, understand } from './speech.ts';

/** A realtime model with the script of the library call. Recognizes speech by pocketsphinx and speaks by espeak-ng. */
export async function startLibraryRealtime(programs: SpeechPrograms): Promise<RealtimeServer> {
  const model: RealtimeServer = await startRealtimeServer({
    phrases: [],
    sound: {
      hears: (bytes) => understand(programs, libraryPhrases, recognizerFile(fromMuLaw(bytes))),
      speaks: (text) => agentSays(programs, text, lineRate),
    },
    answer: (words) => realtimeLines(words, model.outputs()),
    afterwards: libraryAfterwards,
  });
  return model;
}

function realtimeLines(words: string, results: readonly string[]): RealtimeAnswer {
  const isResult = words.includes('result of knowledge_base');
  const line = isResult ? libraryLines('how long', results) : libraryLines(words, []);
  const said = line.say === undefined ? {} : { say: line.say };
  return 'tool' in line ? { ...said, tool: { name: line.tool, arguments: line.input } } : said;
}
