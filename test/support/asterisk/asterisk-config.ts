/** The files of `/etc/asterisk` for a test: one trunk to a carrier, and an agent that plays a tone. */
export interface AsteriskConfig {
  /** Folders, relative to the root of its system. */
  etc: string;
  run: string;
  modules: string;
  ports: { http: number; sip: number; rtpFirst: number; rtpLast: number };
  carrierPort: number;
  ari: { user: string; password: string };
  /** The content of examples/asterisk/outdial.conf. */
  outdialDialplan: string;
  /** For a carrier: it connects calls to people behind this websocket. */
  people?: { url: string };
}

export function asteriskFiles(config: AsteriskConfig): Record<string, string> {
  const { ports, run } = config;
  return {
    'asterisk.conf': `
[directories]
astetcdir => ${config.etc}
astmoddir => ${config.modules}
astvarlibdir => /var/lib/asterisk
astdatadir => /usr/share/asterisk
astkeydir => /var/lib/asterisk
astagidir => /usr/share/asterisk/agi-bin
astdbdir => ${run}
astspooldir => ${run}/spool
astrundir => ${run}
astlogdir => ${run}/log
[options]
dontwarn = yes
verbose = 3
`,
    // Loads no module that listens on a fixed port, because several Asterisks run on one machine.
    'modules.conf': `
[modules]
autoload=yes
${['chan_iax2', 'chan_unistim', 'chan_mgcp', 'chan_skinny', 'chan_ooh323', 'chan_sip', 'pbx_dundi', 'res_phoneprov', 'res_odbc', 'res_config_pgsql', 'res_config_ldap', 'res_config_sqlite3', 'cdr_pgsql', 'app_voicemail', 'app_voicemail_imap', 'app_voicemail_odbc', 'app_minivm', 'res_snmp', 'res_hep', 'res_xmpp', 'res_calendar', 'chan_motif', 'res_corosync', 'pbx_ael', 'pbx_lua'].map((name) => `noload=${name}.so`).join('\n')}
`,
    'logger.conf': '[general]\n[logfiles]\nfull => notice,warning,error,verbose\n',
    'http.conf': `[general]\nenabled=yes\nbindaddr=127.0.0.1\nbindport=${ports.http}\n`,
    'ari.conf': `[general]\nenabled=yes\n[${config.ari.user}]\ntype=user\npassword=${config.ari.password}\n`,
    'manager.conf': '[general]\nenabled=no\n',
    'rtp.conf': `[general]\nrtpstart=${ports.rtpFirst}\nrtpend=${ports.rtpLast}\n`,
    ...(config.people
      ? { 'websocket_client.conf': peopleConnection(config.people.url) }
      : { 'sorcery.conf': '[res_websocket_client]\nwebsocket_client=memory\n' }),
    'amd.conf': '[general]\n',
    'cdr.conf': '[general]\nenable=no\n',
    'pjsip.conf': `
[udp]
type=transport
protocol=udp
bind=127.0.0.1:${ports.sip}
${trunk('trunk', config.carrierPort, config.people ? 'people' : 'outdial-inbound')}
${trunk('nobody', 9)}
[from-trunk]
type=identify
endpoint=trunk
match=127.0.0.1
`,
    'outdial.conf': config.outdialDialplan,
    // The agent: it speaks, and hangs up if the number ends in 80.
    'extensions.conf': `
#include outdial.conf
[people]
; Some are on the telephone already, and some do not hear it.
exten => _+1212555017X,1,Hangup(17)
exten => _+1212555018X,1,Ringing()
 same => n,Wait(60)
exten => still,1,Answer()
 same => n,Wait(5)
exten => _[+0-9]!,1,Ringing()
 same => n,Dial(WebSocket/people/c(ulaw)v(number=\${EXTEN}),20)
 same => n,Hangup()
[agents]
exten => talk,1,GotoIf($["\${OUTDIAL_TO:-2}" = "80"]?short)
 same => n,PlayTones(425)
 same => n,Wait(3600)
 same => n(short),PlayTones(425)
 same => n,Wait(1.5)
 same => n,Hangup(16)
`,
  };
}

function peopleConnection(url: string): string {
  return `
[people]
type=websocket_client
connection_type=per_call_config
uri=${url}
protocols=media
connection_timeout=3000
reconnect_attempts=1
`;
}

function trunk(name: string, port: number, context = 'nowhere'): string {
  return `
[${name}]
type=aor
contact=sip:127.0.0.1:${port}
[${name}]
type=endpoint
context=${context}
disallow=all
allow=ulaw
aors=${name}
dtmf_mode=auto_info
direct_media=no
media_address=127.0.0.1
bind_rtp_to_media_address=yes
set_var=OUTDIAL_PROVIDER=trunk
`;
}
