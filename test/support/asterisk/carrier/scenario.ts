import { fates } from './fates.ts';

/** How long the carrier rings and talks, and the files of its voices. */
export interface CarrierTimes {
  ringMs: number;
  talkMs: number;
  /** Talks on, again and again for this long, until somebody whose fate is `releases` was called. */
  untilReleased?: boolean;
}

/**
 * The carrier as a scenario of sipp (https://sipp.readthedocs.io/en/latest/scenarios/). It branches by the called number, and logs how each call
 * ended.
 */
export function carrierScenario(times: CarrierTimes, files: { human: string; machine: string }): string {
  const endings = Object.keys(fates);
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="carrier">
  <Global variables="busy_before,released" />
  <recv request="INVITE" rrs="true">
    <action>
      <ereg regexp="sip:([^@]*)" search_in="hdr" header="To:" assign_to="ignored,number" />
      <ereg regexp="sip:([^@>]*)" search_in="hdr" header="From:" assign_to="ignored,caller" />
      <ereg regexp=".*" search_in="hdr" header="From:" assign_to="remote" />
      ${endings.map((ending) => `<ereg regexp="${ending}$" search_in="var" variable="number" assign_to="n${ending}" />`).join('\n      ')}
      <log message="[call_id]|[$number]|[$caller]|invited" />
    </action>
  </recv>
  <Reference variables="ignored,number,caller,remote,busy_before,released,${endings.map((ending) => `n${ending}`).join(',')}" />
  ${branch('n89', 'dead')}
  ${branch('n91', 'busy')}
  ${branch('n93', 'declined')}
  ${branch('n95', 'congestion')}
  ${branch('n96', 'unknown_number')}
  ${branch('n97', 'busy_once')}
  ${branch('n98', 'releases')}
  ${branch('n87', 'early_media')}
  <label id="ring" />
  ${response('180 Ringing')}
  ${branch('n86', 'until_canceled')}
  <pause milliseconds="${times.ringMs}" />
  ${branch('n92', 'rang_out')}
  ${answer}
  ${branch('n90', 'hang_up_early')}
  ${branch('n94', 'machine')}
  ${play(files.human)}
  ${branch('n81', 'keys')}
  ${branch('n80', 'stay')}
  ${branch('n99', 'stay')}
  <label id="talk" />
  <recv request="BYE" timeout="${times.talkMs}" ontimeout="talked" next="hung_up_by_us" />
  <label id="talked" />
  ${times.untilReleased === true ? `${branch('released', 'hang_up')}<nop next="talk" />` : '<nop next="hang_up" />'}

  <label id="stay" />
  <recv request="BYE" timeout="600000" ontimeout="hang_up" next="hung_up_by_us" />

  <label id="machine" />
  ${play(files.machine)}
  <recv request="BYE" timeout="9000" ontimeout="hang_up" next="hung_up_by_us" />

  <label id="keys" />
  <pause milliseconds="1000" />
  ${key('4', 2)}
  <pause milliseconds="200" />
  ${key('2', 3)}
  <nop next="talk" />

  <label id="hang_up_early" />
  <pause milliseconds="100" />
  <label id="hang_up" />
  ${log('hung_up_by_carrier')}
  ${request('BYE', 10)}
  <recv response="200" next="end" />

  <label id="hung_up_by_us" />
  ${log('hung_up_by_us')}
  ${response('200 OK', { isFirst: false, next: 'end' })}

  <label id="releases" />
  <nop><action><assign assign_to="released" value="1" /></action></nop>
  <nop next="busy" />
  <label id="busy_once" />
  ${branch('busy_before', 'ring')}
  <nop><action><assign assign_to="busy_before" value="1" /></action></nop>
  <label id="busy" />
  ${log('busy')}
  ${response('486 Busy Here', { next: 'ack' })}
  <label id="declined" />
  ${log('declined')}
  ${response('603 Decline', { next: 'ack' })}
  <label id="congestion" />
  ${log('congestion')}
  ${response('503 Service Unavailable', { next: 'ack' })}
  <label id="unknown_number" />
  ${log('unknown_number')}
  ${response('404 Not Found', { next: 'ack' })}
  <label id="early_media" />
  ${response('183 Session Progress', { hasMedia: true })}
  <pause milliseconds="${times.ringMs}" />
  <label id="rang_out" />
  ${log('rang_out')}
  ${response('480 Temporarily Unavailable', { next: 'ack' })}

  <label id="until_canceled" />
  <recv request="CANCEL" timeout="600000" />
  ${log('canceled')}
  ${response('200 OK', { isFirst: false })}
  ${response('487 Request Terminated', { ofInvite: true })}
  <label id="ack" />
  <recv request="ACK" next="end" />

  <label id="dead" />
  <pause milliseconds="600000" />
  <label id="end" />
</scenario>
`;
}

const branch = (variable: string, to: string): string => `<nop next="${to}" test="${variable}" />`;

const log = (how: string): string =>
  `<nop><action><log message="[call_id]|[$number]|[$caller]|${how}" /></action></nop>`;

const play = (file: string): string => `<nop><action><exec rtp_stream="${file},1,0" /></action></nop>`;

const sdp = `
v=0
o=carrier 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [rtpstream_audio_port] RTP/AVP 0
a=rtpmap:0 PCMU/8000
`;

function response(
  status: string,
  options: {
    isFirst?: boolean;
    next?: string;
    hasMedia?: boolean;
    ofInvite?: boolean;
    retrans?: boolean;
  } = {},
): string {
  const { isFirst = true, next, hasMedia = false, ofInvite = false, retrans = false } = options;
  const attributes = `${next ? ` next="${next}"` : ''}${retrans ? ' retrans="500"' : ''}`;
  return `<send${attributes}><![CDATA[
SIP/2.0 ${status}
[last_Via:]
[last_From:]
[last_To:]${isFirst ? ';tag=[pid]carrier[call_number]' : ''}
[last_Call-ID:]
${ofInvite ? 'CSeq: [cseq] INVITE' : '[last_CSeq:]'}
Contact: <sip:[local_ip]:[local_port]>
${hasMedia ? 'Content-Type: application/sdp\n' : ''}Content-Length: ${hasMedia ? '[len]' : '0'}
${hasMedia ? sdp : ''}
]]></send>`;
}

const answer = `${response('200 OK', { hasMedia: true, retrans: true })}
  <recv request="ACK" />`;

function request(method: string, number: number, body?: { type: string; text: string }): string {
  return `<send retrans="500"><![CDATA[
${method} [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:[$number]@[local_ip]>;tag=[pid]carrier[call_number]
To:[$remote]
[last_Call-ID:]
CSeq: ${number} ${method}
Max-Forwards: 70
${body ? `Content-Type: ${body.type}\nContent-Length: [len]\n\n${body.text}` : 'Content-Length: 0\n'}
]]></send>`;
}

function key(digit: string, number: number): string {
  return `${request('INFO', number, { type: 'application/dtmf-relay', text: `Signal=${digit}\nDuration=160` })}
  <recv response="200" />`;
}
