import { expect, test } from 'vitest'
import { forbidsCalls, readConsent, readDoNotCall } from '../../../src/files/tables/index.ts'

test.each([
  ...[
    'yes',
    'Y',
    'TRUE',
    '1',
    '1.0',
    'Ja',
    'sí',
    'да',
    'はい',
    '✓',
    '✔️',
    'given',
    'opted in',
    'Opt-in',
    '2026-01-02',
    '02.01.2026',
  ],
  ...[
    'yes, web form 2026-01-02',
    'Ja (mündlich)',
    'signed form 2026-01-02',
    'granted',
    'erteilt',
    '2026-01-02T10:00:00Z',
    '同意',
  ],
])('consent %j is a yes', cell => {
  expect(readConsent(cell)).toBe('yes')
})

test.each([
  ...[
    'no',
    'N',
    'FALSE',
    '0',
    '0,0',
    'Nein',
    'non',
    'нет',
    'いいえ',
    '✗',
    'revoked',
    'REVOKED 2026-01-02',
    'withdrawn',
    'widerrufen',
  ],
  ...[
    'opted out',
    'Opt-out',
    'not given',
    'keine',
    'no consent',
    'nie erteilt',
    'refused by phone',
    '不同意',
    'none',
    'wurde widerrufen',
  ],
])('consent %j is a no', cell => {
  expect(readConsent(cell)).toBe('no')
})

test.each([
  ...[
    '?',
    'yes?',
    'maybe',
    'pending',
    'to be signed',
    'must be signed',
    'web form',
    'n/a',
    'x',
    '#N/A',
    'yes, but not by phone',
    '2',
    'da verificare',
  ],
  ...['yes, by email', 'ja, E-Mail', 'true, sms', 'yes, except calls', '0000-00-00', '1970-01-01'],
  ...['email only', 'given until 2020', 'sent', '45321', 'S', 'opted in, withdrawn 2026-01-02'],
])('consent %j is unclear', cell => {
  expect(readConsent(cell)).toBe('unclear')
})

test.each(['', ' ', '-', '—', 'NULL', 'NaN'])('%j is empty', cell => {
  expect([readConsent(cell), readDoNotCall(cell)]).toEqual(['empty', 'empty'])
})

test.each([
  ...[
    'yes',
    'TRUE',
    '1',
    '1.0',
    'x',
    'X',
    '✓',
    'ja',
    'opted out',
    'DNC',
    'Unsubscribed',
    'do not call',
    '2026-01-02',
    'revoked',
  ],
  ...['yes, asked 3 May', 'opted out on 2026-01-02', 'gesperrt', 'Do Not Allow', 'widerrufen am 02.01.2026'],
])('do not call %j is a yes', cell => {
  expect(readDoNotCall(cell)).toBe('yes')
})

test.each(['no', 'FALSE', '0', '0.0', 'nein', 'Allow', 'opted in', 'subscribed', 'none'])(
  'do not call %j is a no',
  cell => {
    expect(readDoNotCall(cell)).toBe('no')
  },
)

test.each([
  ...[
    'Do not call',
    'DO NOT CALL, asked to stop',
    "don't call!",
    'DNC',
    'opted out',
    'Opted-out',
    'do not contact again',
  ],
  ...['Bitte nicht mehr anrufen', 'ne plus appeler', 'No llamar', 'не звонить'],
  ...[
    'Do not call\nasked on 3 May',
    'Please do not call',
    'do not  call',
    'Do\u00a0not\u00a0call',
    'Don´t call',
    'dont call',
  ],
  ...[
    "'Do not call",
    '*** DO NOT CALL ***',
    '(DNC)',
    'DoNotCall',
    'opt-out',
    'DO NOT CALL - attorney',
    'VIP, DNC',
    'dnc 2026',
  ],
  ...[
    'Please stop calling',
    'VIP, opted out',
    'No calls',
    'Stop calling',
    'Bitte keine Anrufe',
    'Möchte nicht mehr angerufen werden',
    'Bitte nicht mehr kontaktieren',
  ],
  ...[
    'ne pas appeler !!!',
    'Ne pas appeler SVP',
    'Merci de ne pas appeler',
    'no llamar más',
    'No volver a llamar',
  ],
])('%j forbids calls in any column', cell => {
  expect(forbidsCalls(cell)).toBe(true)
})

test.each([
  '',
  'Do not call before 9',
  'DNC Ltd',
  'blocked',
  'call',
  'opted outside',
  'we do not call',
  'dncx',
])('%j does not forbid calls', cell => {
  expect(forbidsCalls(cell)).toBe(false)
})

test.each([
  ...['?', 'maybe', 'n/a', 'asked by mail', 'no, asked 2026-01-02', 'not opted out', '2', '#REF!'],
  ...['ok', 'liegt vor', 'erteilt', 'confirmed', 'granted', 'signed', 'accordé'],
])('do not call %j is unclear', cell => {
  expect(readDoNotCall(cell)).toBe('unclear')
})
