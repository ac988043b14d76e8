import { describe, expect, test } from 'vitest'
import { mapColumns } from '../../../src/calls/batch/columns.ts'

const map = (columns: readonly string[], options: Parameters<typeof mapColumns>[1] = {}) => {
  const { map: found, problems } = mapColumns(columns, options)
  return { ...found, variables: Object.fromEntries(found.variables), problems }
}

test.each([
  ...['to', 'number', 'phone', 'phone_number', 'Phone Number', 'contact_number', 'to_number', 'mobile'],
  ...['tel', 'Telephone', 'PHONE-NUMBER', 'cell', 'MSISDN', 'toNumber', 'Phone #', 'Phone 1 - Value'],
  ...['Telefon', 'Handy', 'Rufnummer', 'Telefon-Nr.', 'Téléphone', 'N° de téléphone', 'Móvil', 'Cellulare'],
  ...['Telemóvel', 'Telefoonnummer', 'Numer telefonu', 'Telefonnummer', 'Tlf.', 'Puhelin', 'Telefonní číslo'],
  ...[
    'WhatsApp',
    'WhatsApp-Nr.',
    'ΚΙΝΗΤΟ',
    'Αριθμός τηλεφώνου',
    'טלפון נייד',
    "מס' טלפון",
    'رقم الهاتف',
    'جـوّال',
  ],
  ...['手机号码', '行動電話', '電話番号', 'ＴＥＬ', '휴대폰 번호', 'Контактный телефон', '电话 2'],
  ...['Telefon numarası', 'Cep Telefonu', 'Mobile Phone', 'Телефон', 'Telefon 2', 'Rückrufnummer', 'Nummer'],
  ...['Telefon geschäftl.', 'phone_e164', 'Best phone', 'Número', 'Callback number'],
])('a column %s is the number', column => {
  expect(map(['x', column])).toMatchObject({ to: [1], problems: [], variables: { x: 0 } })
})

test('recognizes the other uses, and all other columns are variables', () => {
  expect(map(['Customer ID', 'full_name', 'phone', 'TZ', 'consent basis', 'order', ''])).toEqual({
    ...{
      id: 0,
      name: 1,
      to: [2],
      timezone: 3,
      consent: [4],
      doNotCall: [],
      others: [0, 1, 2, 3, 5, 6],
      problems: [],
    },
    ...{ decisive: [4], dates: new Set(), reasons: new Set(), statuses: new Set() },
    variables: { full_name: 1, 'consent basis': 4, order: 5, name: 1 },
  })
  for (const columns of [
    ['Κωδικός πελάτη', 'ΟΝΟΜΑΤΕΠΩΝΥΜΟ', 'Τηλέφωνο', 'Ζώνη ώρας', 'Συγκατάθεση'],
    ['מספר לקוח', 'שם מלא', 'נייד', 'אזור זמן', 'הסכמה'],
    ['معرّف العميل', 'الإسم الكامل', 'الجوال', 'المنطقة الزمنية', 'موافقة'],
    ['客户编号', '姓名', '手机', '时区', '同意'],
    ['客戶編號', '姓名', '手機', '時區', '同意'],
    ['顧客番号', '氏名', '携帯電話', 'タイムゾーン', '同意'],
    ['고객번호', '성명', '연락처', '표준 시간대', '동의'],
    ['Číslo zákazníka', 'Jméno a příjmení', 'Kontaktní telefon', 'Časové pásmo', 'Souhlas'],
    ['Šifra kupca', 'Ime i prezime', 'Broj mobitela', 'Vremenska zona', 'Privola'],
    ['ग्राहक संख्या', 'नाम', 'मोबाइल नंबर', 'समय क्षेत्र', 'सहमति'],
    ['รหัสลูกค้า', 'ชื่อ-นามสกุล', 'เบอร์โทรศัพท์', 'เขตเวลา', 'ความยินยอม'],
    ['Mã khách hàng', 'Họ và tên', 'Số điện thoại', 'Múi giờ', 'Đồng ý'],
    ['معرف العمیل', 'الأسم الكامل', 'رقم الهاتف ١', 'المنطقه الزمنيه', 'الموافقه'],
  ])
    expect(map(columns)).toMatchObject({ id: 0, name: 1, to: [2], timezone: 3, consent: [4], problems: [] })
  expect(map(['Kundennr.', 'Vor- und Nachname', 'Handy', 'Zeitzone', 'Einwilligung'])).toMatchObject({
    ...{ id: 0, name: 1, to: [2], timezone: 3, consent: [4], problems: [] },
  })
})

test.each([
  ...[
    ...['Is opted out', 'is_dnc', 'Do Not Call (Y/N)', 'Opt-out? [yes/no]', 'unsubscribed flag', 'isdnc'],
    ...['Do Not Call (DNC)', 'Do not call (yes / no)', 'Do not call (1 = yes, 0 = no)', 'DNC 2', 'TPS/CTPS'],
    ...[
      'Contact: Do Not Call',
      'Voice opt-out',
      'National DNC',
      'Telemarketing opt-out',
      'phoneOptOut',
      'Opt-out of calls',
    ],
    ...[
      'DND',
      'CTPS',
      'Bitte nicht anrufen',
      'Telefonwiderspruch',
      'Ne souhaite pas être appelé',
      '電話拒否',
    ],
    'Do not call',
    'DO_NOT_CALL',
    'DNC',
    'Opt-out',
    'Opted out',
    'Unsubscribed',
    'doNotCall',
    'Nicht anrufen',
    'Widerruf',
  ],
  ...[
    'Refused',
    'Declined',
    'Excluded',
    'Deceased',
    'Stop',
    'Sperre',
    'Objects to calls',
    'Verstorben',
    'Call refused',
    'Disallow calls',
  ],
  ...[
    'DoNotCall__c',
    'et4ae5__HasOptedOut__pc',
    'new_donotcall',
    'PersonDoNotCall',
    'hs_do_not_call',
    'opt_out_c',
  ],
  ...[
    'DO_NOT_CALL_REASON',
    'DNC reason',
    'Reason for opt-out',
    'Objection reason',
    'Opt-out notes',
    'Dо nоt cаll',
  ],
  ...['Ne pas appeler', 'No llamar', 'Non chiamare', 'Niet bellen', 'Не звонить', '수신거부'],
])('a column %s says who must not be called', heading => {
  expect(map(['phone', heading])).toMatchObject({ to: [0], doNotCall: [1], variables: { [heading]: 1 } })
})

test.each([
  ...['Consent (phone)', 'Consent: Phone', 'consent_phone_calls', 'Can we call?', 'Contact permission'],
  ...['Marketing Permission', 'Kontakt erlaubt', 'Darf kontaktiert werden', 'Opt-In Telefon'],
  ...['Einwilligung Telefonwerbung', 'Telefoneinwilligung', 'Consentement (téléphone)', 'Opt-in téléphone'],
  ...['Consentimiento telefónico', 'Autoriza llamadas', 'GDPR opt-in date', 'Consent (x = yes)'],
  ...['Opt-in time', 'Opt_In__c', 'Соnsеnt', 'Einwilligung Zeitpunkt'],
])('a column %s says who consents', heading => {
  expect(map(['phone', heading])).toMatchObject({ to: [0], consent: [1], doNotCall: [] })
})

test('cells of a column whose heading names a date are dates', () => {
  const columns = ['phone', 'Opt-in date', 'unsubscribed_at', 'Widerruf am', 'DNC', 'Consent update']
  expect(map(columns)).toMatchObject({ consent: [1], doNotCall: [2, 3, 4], dates: new Set([1, 2, 3]) })
})

test('a heading of many words about consent is read at once', () => {
  expect(map(['phone', `${'dnc'.repeat(25)}zz`, '1'.repeat(79)])).toMatchObject({
    consent: [],
    doNotCall: [],
  })
})

test('cells of a column of reasons are reasons, except those of an objection', () => {
  expect(map(['phone', 'DNC reason', 'Objection reason', 'Opt-out'])).toMatchObject({ reasons: new Set([1]) })
})

test('the status of people may say that they are not called, unless the column is something else', () => {
  const columns = ['phone', 'Status', 'Lead_Status', 'Order status', 'Consent status']
  expect(map(columns)).toMatchObject({ others: [0, 1, 2, 3], statuses: new Set([1, 2]) })
  expect(map(columns, { mapping: { other: 'Status' } })).toMatchObject({ statuses: new Set([2]) })
})

test('of columns of consent those that name calls decide', () => {
  const decisive = (...columns: string[]) => map(['phone', ...columns]).decisive
  expect(decisive('Consent', 'Consent (phone)', 'Call consent')).toEqual([2, 3])
  expect(decisive('Consent', 'Opt-in date')).toEqual([1, 2])
})

describe('a heading that may be about consent and is not recognized', () => {
  const undecided = (column: string, mapping = {}) =>
    map(['phone', column], { mapping, hasAnswers: () => true }).problems

  test.each([
    ...['Consent (1 = no)', 'Consent (no = 1)', 'Do not call (0 = yes)', 'Consent / Opt-out', 'No consent'],
    ...[
      'Not opted out',
      'Consent to call revoked',
      'Email/phone opt-out',
      'Consent expiry',
      'Call',
      'Call ok?',
    ],
    ...['May we phone you', 'Never phone', 'Permission withdrawn', 'Telefon erlaubt ja', 'Nicht telefonisch'],
    ...["Please don't ring", 'Werbeverbot'],
    ...[
      'Consnet',
      'Konsent',
      'Opt-uot',
      'Do not cal',
      'Permision',
      'Agreed',
      'Agreed on',
      'GDPR',
      'GDPR ok',
      'Not allowed',
    ],
    ...['Consent to calls and recording', 'No callback wanted', 'Permissions'],
    ...['Anruf erwünscht', 'Desea recibir llamadas', 'Call requested', 'TCPA litigator', 'Unsub'],
    ...[
      'Keine Einwilligung',
      "N'accepte pas les appels",
      'No acepta publicidad telefónica',
      'Не звонить больше',
    ],
    ...['事前同意', '통화 거부 여부'],
  ])('%s is a problem until it is decided', column => {
    expect(undecided(column)).toEqual([{ code: 'undecided-column', column }])
    for (const use of ['consent', 'doNotCall', 'other'])
      expect(undecided(column, { [use]: column })).toEqual([])
    expect(undecided(column, { consent: false, doNotCall: false })).toEqual([])
    expect(undecided(column, { consent: false })).toHaveLength(1)
    expect(map(['phone', column]).problems).toEqual([])
  })

  test.each([
    ...['Email opt-out', 'SMS consent', 'Newsletter: opt-in', 'Email marketing permission', 'Photo consent'],
    ...[
      'Call date',
      'Last call',
      'Contact',
      'Contact status',
      'Contacted',
      'No. of calls',
      'Calls',
      'Callback',
    ],
    ...['Candidate phone type', 'Phone verified', 'Option', 'Brand NC', 'Refund allowed', 'Account manager'],
    ...['Letzter Anruf', 'Ansprechpartner', 'Liefersperre', 'Appel précédent', 'Última llamada'],
    ...[
      'Callback requested',
      'Rückruf gewünscht',
      'Recording consent',
      'Consent to call recording',
      'Voicemail allowed',
    ],
    ...[
      'Consent to treatment',
      'Content',
      'Option',
      'Cancelled',
      'Payment status',
      'Einwilligung Aufzeichnung',
    ],
  ])('%s is not about consent to calls', column => {
    expect(undecided(column)).toEqual([])
    expect(map(['phone', column])).toMatchObject({ consent: [], doNotCall: [] })
  })
})

test('a column that is named to be something else is not about consent', () => {
  const columns = ['phone', 'Consent', 'Objection', 'DNC']
  expect(map(columns, { mapping: { other: ['Consent', 'objection'] } })).toMatchObject({
    ...{ consent: [], doNotCall: [3], others: [0, 1, 2], problems: [], variables: { Objection: 2 } },
  })
})

test('several columns about consent count, one by name besides them, and none of a use that is turned off', () => {
  const columns = ['phone', 'Consent', 'Opt-in', 'DNC', 'Unsubscribed', 'Code']
  expect(map(columns)).toMatchObject({ consent: [1, 2], doNotCall: [3, 4], problems: [] })
  expect(map(columns, { mapping: { consent: false, doNotCall: 'Code' } })).toMatchObject({
    ...{ consent: [], doNotCall: [5, 3, 4], problems: [], variables: { Consent: 1, Unsubscribed: 4 } },
  })
})

test('columns by name take precedence, in the order in which they are called', () => {
  const given = { to: ['mobile', 'Home'], id: 'who' }
  expect(map(['home', 'mobile', 'who', 'phone'], { mapping: given })).toMatchObject({
    ...{ to: [1, 0], id: 2, problems: [], variables: { phone: 3 } },
  })
})

test('a column is also the variable of another spelling or language that the assistant uses', () => {
  expect(map(['phone', 'First Name'], { usedVariables: ['first_name', 'day'] }).variables).toEqual({
    'First Name': 1,
    first_name: 1,
  })
  const usedVariables = ['first_name', 'lastName', 'language', 'customer_id']
  expect(
    map(['Handy', 'Vorname', 'Nachname', 'Sprache', 'Customer ID'], { usedVariables }).variables,
  ).toEqual({
    ...{ Vorname: 1, first_name: 1, Nachname: 2, lastName: 2, Sprache: 3, language: 3, customer_id: 4 },
  })
  for (const [first, last] of [
    ['Μικρό όνομα', 'Επώνυμο'],
    ['שם פרטי', 'שם משפחה'],
    ['الاسم الاول', 'اسم العائلة'],
    ['名', '姓'],
    ['Jméno', 'Příjmení'],
    ['Ime', 'Prezime'],
    ['पहला नाम', 'उपनाम'],
    ['ชื่อจริง', 'นามสกุล'],
    ['Tên gọi', 'Họ'],
    ['الأسم الأول', 'إسم العائله'],
  ])
    expect(
      map(['phone', first ?? '', last ?? ''], { usedVariables: ['first_name', 'lastName'] }).variables,
    ).toMatchObject({
      ...{ first_name: 1, lastName: 2 },
    })
  // Two columns: which one is not guessed.
  expect(map(['phone', 'Vorname', 'Forename'], { usedVariables: ['first_name'] }).variables).toEqual({
    ...{ Vorname: 1, Forename: 2 },
  })
})

test('missing, ambiguous and unknown columns are problems', () => {
  expect(map(['a', 'b']).problems).toEqual([{ code: 'no-number-column' }])
  expect(map(['mobile', 'tel']).problems).toEqual([
    { code: 'several-number-columns', columns: ['mobile', 'tel'] },
  ])
  expect(map(['mobile'], { mapping: { id: 'nr' } }).problems).toEqual([
    { code: 'no-such-column', use: 'id', column: 'nr' },
  ])
  expect(map(['mobile', 'contact_id', 'Kundennr']).problems).toEqual([
    { code: 'several-columns', use: 'id', columns: ['contact_id', 'Kundennr'] },
  ])
  expect(map(['mobile', 'contact_id', 'ID'])).toMatchObject({ id: 2, problems: [] })
})

test('of the number columns of an address book those with cells count', () => {
  const columns = ['Home Phone', 'Mobile Phone', 'Business Phone']
  expect(map(columns, { filledOf: () => [1] })).toMatchObject({ to: [1], problems: [] })
  expect(map(columns, { filledOf: () => [] }).problems).toMatchObject([{ code: 'several-number-columns' }])
})

test('a heading with two readings is what no other column is, or a problem', () => {
  expect(map(['Customer Number', 'phone'])).toMatchObject({ id: 0, to: [1], problems: [] })
  expect(map(['Customer Number', 'id'])).toMatchObject({ id: 1, to: [0], problems: [] })
  expect(map(['Customer Number', 'name']).problems).toEqual([
    { code: 'two-readings', column: 'Customer Number', uses: ['to', 'id'] },
  ])
  expect(map(['Customer Number', 'name'], { mapping: { to: 'customer_number' } })).toMatchObject({
    ...{ to: [0], id: undefined, problems: [] },
  })
})
