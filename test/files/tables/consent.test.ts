import { expect, test } from 'vitest'

import * as consent from '../../../src/files/tables/index.ts'

const { forbidsCalls } = consent
const now = Date.parse('2026-11-28T12:00:00Z')
const readConsent = (cell: string, isDate = false) => consent.readConsent(cell, { now, isDate })
const readDoNotCall = (cell: string, isDate = false, isReason = false) =>
  consent.readDoNotCall(cell, { now, isDate, isReason })

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
    'Yes please',
    'ja gerne',
    'Yes please, by phone',
    'уes',
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

test.each([
  ...['1/2/26', '1/2/2026', '13/2/26', 'Jan 2, 2026', 'January 2nd, 2026', '2 January 2026', '2-Jan-26'],
  ...[
    '2. Januar 2026',
    '2. März 2026',
    '2. desember 2025',
    '2 janv. 2026',
    '2 de enero de 2026',
    '2 stycznia 2026',
    '2026年1月2日',
  ],
  ...['1/2/2026 10:30 AM', '02.01.2026 10:30', '2026-01-02 10:00:00 UTC', '28 Nov 2026', '2. Mai 2026'],
])('the date %j is a yes', cell => {
  expect([readConsent(cell), readDoNotCall(cell)]).toEqual(['yes', 'yes'])
})

test.each(['45678', '45678.4167', '20260102', '2026-01-02', 'yes'])(
  'in a column of dates %j is a yes',
  cell => {
    expect([readConsent(cell, true), readDoNotCall(cell, true)]).toEqual(['yes', 'yes'])
  },
)

test.each(['n/a', 'N/A', 'na', '', 'NULL'])('in a column of dates %j is empty', cell => {
  expect([readConsent(cell, true), readDoNotCall(cell, true)]).toEqual(['empty', 'empty'])
})

test.each([
  ...['2026-13-45', '31.02.2026', '2099-01-01', '1/2/99', '2026-12-01', 'Dec 1, 2026', '12-31-1969'],
  ...['55000', '0000-00-00'],
])('the date %j, which is no past day, is not a yes', cell => {
  expect([readConsent(cell), readConsent(cell, true)]).toEqual(['unclear', 'unclear'])
  expect(readDoNotCall(cell, true)).not.toBe('no')
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

test.each(['asked by phone', 'hung up on us', 'x', 'not opted out', '2026-01-02'])(
  'the reason %j is a yes',
  cell => {
    expect(readDoNotCall(cell, false, true)).toBe('yes')
  },
)

test('a column of reasons says no by none, and nothing by n/a', () => {
  expect(['none', 'No', '0', 'n/a', '-'].map(cell => readDoNotCall(cell, false, true))).toEqual([
    'no',
    'no',
    'no',
    'empty',
    'empty',
  ])
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
    'Dо nоt cаll',
    '[DNC]',
    'vip dnc',
    'Ann - DNC',
  ],
  ...[
    'Please stop calling',
    'VIP, opted out',
    'No calls',
    'no further contact',
    'no contact please',
    'no phone calls please',
    'wants no more calls',
    'told us to stop calling',
    'Customer said do not call again',
    'does not wish to be contacted',
    'unsubscribe',
    'remove from list',
    'asked to be removed',
    'take off our calling list',
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
  'no contact before 9',
  'no contact',
  'old boiler, to be removed',
  'has a list',
])('%j does not forbid calls', cell => {
  expect(forbidsCalls(cell)).toBe(false)
})

test.each([
  ...['?', 'maybe', 'n/a', 'asked by mail', 'no, asked 2026-01-02', 'not opted out', '2', '#REF!'],
  ...['ok', 'liegt vor', 'erteilt', 'confirmed', 'granted', 'signed', 'accordé'],
])('do not call %j is unclear', cell => {
  expect(readDoNotCall(cell)).toBe('unclear')
})
