import { lazy } from '../../lib/lazy.ts'
import type { Language } from './dates.ts'

/** Meaning of a word in a cell about consent. */
export type ConsentWord = 'yes' | 'no' | 'given' | 'allowed' | 'refused' | 'ended' | 'unsure'

/**
 * Words by which lists say whether a person may be called, by meaning and language. Case, accents and punctuation make no difference.
 * `yes`, `given` and `allowed` count at the beginning of a cell, the others anywhere. `given` says that something exists: in a column of
 * objections that is not a yes. `refused` is also a heading of refusals; `ended` says the same of consent only, for an appointment may be
 * cancelled too.
 */
export const consentWords: Readonly<Record<ConsentWord, Readonly<Partial<Record<Language, string>>>>> = {
  yes: {
    en: 'yes, y, true, t, 1, yep, ✓, ✔, ☑, ✅, √',
    de: 'ja, j, wahr',
    fr: 'oui, vrai',
    es: 'sí, verdadero',
    it: 'sì, vero',
    pt: 'sim, verdadeiro',
    nl: 'waar',
    pl: 'tak, prawda',
    sv: 'sant',
    da: 'sand, sandt',
    fi: 'kyllä, tosi',
    cs: 'ano, pravda',
    hr: 'da',
    tr: 'evet, doğru',
    hu: 'igen, igaz',
    ro: 'adevărat',
    uk: 'так',
    ru: 'да, истина',
    el: 'ναι',
    he: 'כן',
    ar: 'نعم',
    hi: 'हाँ, हां',
    th: 'ใช่',
    vi: 'có',
    zh: '是, 有',
    ja: 'はい, あり, 済, 済み, ○, 〇, ◯',
    ko: '예, 네',
  },
  no: {
    en: 'no, n, false, f, 0, nope, not, never, none, without, ✗, ✘, ❌, ✖, ×, ☐, ⛔',
    de: 'nein, falsch, nicht, kein, keine, keinen, nie, niemals, ohne',
    fr: 'non, faux, pas, jamais, aucun, sans',
    es: 'falso, nunca, ninguno, ninguna, sin',
    it: 'mai, nessuno, nessun, senza',
    pt: 'não, nunca, nenhum, sem',
    nl: 'nee, onwaar, niet, geen, nooit, zonder',
    pl: 'nie, fałsz, brak, nigdy, bez',
    sv: 'nej, falskt, inte, ej, aldrig',
    da: 'ikke, falsk, aldrig',
    nb: 'nei',
    fi: 'ei, epätosi, älä',
    cs: 'ne, nepravda, nikdy',
    tr: 'hayır, yanlış, yok, değil',
    hu: 'nem, hamis, nincs, soha',
    ro: 'nu, fals, niciodată',
    uk: 'ні, немає',
    ru: 'нет, ложь, не, никогда',
    el: 'όχι, δεν, μην',
    he: 'לא, אין',
    ar: 'لا',
    hi: 'नहीं',
    th: 'ไม่, ไม่ใช่',
    vi: 'không',
    zh: '否, 无, 無, 不, 没有, 沒有',
    ja: 'いいえ, なし, 無し, ない',
    ko: '아니오, 아니요, 없음',
  },
  given: {
    en: `given, granted, obtained, confirmed, agreed, accepted, consented, consent given, consent granted, signed, ok, okay, existing customer, legitimate interest`,
    de: 'erteilt, gegeben, liegt vor, vorhanden, bestätigt, zugestimmt, eingewilligt, einverstanden, unterschrieben, einwilligung erteilt, einwilligung liegt vor, zustimmung erteilt',
    fr: 'donné, accordé, obtenu, accepté, accepte, accord, signé',
    es: 'otorgado, concedido, dado, aceptado, acepta, firmado',
    it: 'prestato, concesso, accettato, acconsente, firmato',
    pt: 'concedido, aceito, aceite, assinado',
    nl: 'gegeven, verleend, akkoord, getekend',
    pl: 'udzielona, wyrażona, wyraził zgodę, wyraziła zgodę',
    sv: 'givet, lämnat, godkänt',
    da: 'afgivet, godkendt',
    nb: 'gitt, godkjent',
    fi: 'annettu, hyväksytty',
    cs: 'udělen, souhlasí',
    tr: 'verildi, onaylandı, onay',
    hu: 'megadva, hozzájárult, elfogadva',
    ro: 'acordat, acceptat',
    uk: 'надано, згоден, згодна',
    ru: 'дано, согласен, согласна, получено',
    he: 'מאשר, מאושר',
    ar: 'موافق',
    zh: '同意, 已同意',
    ja: '同意, 同意済, 同意済み',
    ko: '동의, 동의함',
  },
  allowed: {
    en: 'opt in, opted in, optin, double opt in, subscribed, allow, allowed, permitted',
    de: 'erlaubt',
    fr: 'autorisé',
    es: 'autorizado',
    it: 'autorizzato',
    nl: 'toegestaan',
    sv: 'tillåtet',
    da: 'tilladt',
    nb: 'tillatt',
    fi: 'sallittu',
    tr: 'izinli',
    zh: '允许, 允許',
    ja: '可',
  },
  refused: {
    en: `revoked, withdrawn, withdrew, refused, refuses, refusal, denied, declined, declines, rejected, rejects, objected, objects, objection,
      opposed, opt out, opted out, optout, unsubscribed, unsubscribe, stop, stopped, blocked, blacklisted, blocklisted, suppressed, excluded,
      exclude, exclusion, deceased, dead, died, passed away, dnc, do not call, do not contact, do not allow, disallow, disallowed, forbidden,
      not given, not granted, not allowed, no consent, no opt in`,
    de: `widerrufen, widerruf, widersprochen, widerspruch, abgelehnt, ablehnung, verweigert, entzogen, zurückgezogen, gesperrt, sperre,
      abgemeldet, nicht anrufen, nicht erteilt, keine einwilligung, untersagt, verboten, ausgeschlossen, verstorben`,
    fr: 'retiré, révoqué, refusé, refus, refuse, opposition, opposé, désinscrit, désabonné, bloqué, interdit, exclu, décédé',
    es: 'revocado, retirado, rechazado, rechaza, denegado, baja, dado de baja, bloqueado, prohibido, excluido, fallecido',
    it: 'revocato, ritirato, rifiutato, rifiuta, negato, opposizione, bloccato, vietato, escluso, deceduto',
    pt: 'revogado, retirado, recusado, recusa, negado, bloqueado, proibido, excluído, falecido',
    nl: 'ingetrokken, geweigerd, afgewezen, bezwaar, uitgeschreven, afgemeld, geblokkeerd, verboden, uitgesloten, overleden',
    pl: 'wycofana, cofnięta, odmowa, odmówił, odmówiła, sprzeciw, zablokowany, zmarły, zmarła',
    sv: 'återkallat, nekat, avböjt, spärrad, avregistrerad, avliden',
    da: 'trukket tilbage, tilbagekaldt, afslået, nægtet, afmeldt, spærret, afdød',
    nb: 'trukket, avslått, nektet, avmeldt, reservert, sperret, avdød',
    fi: 'peruttu, kielletty, evätty, estetty, kuollut',
    cs: 'odvolán, odmítnut, nesouhlasí, nevolat, odhlášen, blokován, zemřel',
    tr: 'ret, reddedildi, geri çekildi, engellendi, vefat',
    hu: 'visszavonva, visszavont, elutasítva, leiratkozott, letiltva, elhunyt',
    ro: 'retras, revocat, refuzat, dezabonat, blocat, decedat',
    uk: 'відкликано, відмова, відписаний, помер',
    ru: 'отозвано, отказ, отказался, отказалась, отписан, запрещено, умер, умерла',
    el: 'ανακλήθηκε, αρνήθηκε, άρνηση',
    he: 'סירב, סירבה, הוסר, נפטר',
    ar: 'مرفوض, متوفى',
    zh: '不同意, 未同意, 拒绝, 拒絕, 撤回, 已撤回, 退订, 退訂, 禁止, 已故, 去世',
    ja: '拒否, 撤回, 不可, 禁止, 未同意, 不同意, 死亡',
    ko: '거부, 철회, 미동의, 동의안함, 금지, 사망',
  },
  ended: {
    en: 'expired, ended, cancelled, canceled, inactive, former, signed out',
    de: 'abgelaufen, gekündigt, inaktiv',
    fr: 'expiré',
    es: 'caducado',
    it: 'scaduto',
    pt: 'expirado',
    nl: 'verlopen',
    pl: 'wygasła',
    sv: 'utgånget',
    da: 'udløbet',
    nb: 'utløpt',
    tr: 'iptal',
    he: 'בוטל',
    ar: 'ملغى',
  },
  unsure: {
    en: `maybe, perhaps, unknown, unsure, uncertain, unclear, pending, requested, awaiting, waiting, expected, to be, tbd, tbc, todo, ask, check, if,
      until, once, only, na, partial, but, except, email, e mail, mail, sms, text messages, newsletter, whatsapp, post`,
    de: 'vielleicht, unbekannt, unklar, offen, ausstehend, angefragt, erwartet, fragen, prüfen, falls, wenn, bis, nur, außer, aber',
    fr: 'inconnu, en attente, demandé, à vérifier, seulement, jusqu, sauf, courriel',
    es: 'quizás, desconocido, pendiente, solicitado, solo, hasta, salvo, excepto, correo',
    it: 'forse, sconosciuto, in attesa, richiesto, solo, fino, da verificare, da confermare',
    pt: 'talvez, desconhecido, pendente, só, somente, até',
    nl: 'misschien, onbekend, in behandeling, aangevraagd, alleen',
    pl: 'może, nieznana, oczekuje, tylko',
    ru: 'возможно, неизвестно, ожидает, только',
  },
}

/** Sentence, or part of one between punctuation, that has one reading whatever the column is. Case and accents make no difference. */
export const neverCall = lazy(
  () =>
    new RegExp(
      `^(?:(?:please|pls|bitte|merci de|priere de|por favor|per favore|prosze|prosim|(?:customer |client )?(?:said|says|asked|wants|told us to)) )*(?:${[
        "(?:do not|don'?t|never) ?(?:call|contact|phone)|donotcall|(?:[\\p{L}\\p{N}]+ ){0,2}dnc|opt(?:ed)? ?out|unsubscribed?|no (?:more |further )?(?:phone )?calls?|no (?:more|further) contact|no contact please|stop (?:calling|contacting)",
        '(?:does not|doesn.t) (?:want|wish) to be (?:called|contacted|phoned)|(?:us )?(?:to be )?(?:removed?|taken?) (?:from|off) (?:the |our |your |call(?:ing)? )*list|asked (?:us )?to be removed',
        '(?:mochte )?nicht (?:mehr )?(?:anrufen|kontaktieren|angerufen werden|kontaktiert werden)|keine? (?:weiteren )?anrufe?',
        'ne (?:pas|plus) (?:appeler|contacter)|no (?:volver a )?(?:llamar|contactar)|non (?:chiamare|contattare)|nao (?:ligar|contactar|contatar)',
        'niet (?:meer )?bellen|nie dzwonic|ring (?:ej|inte|ikke)|ala soita|nevolat|aramayın|nu suna|не (?:звонить|дзвонити)',
        '请勿致电|請勿致電|電話禁止|수신 ?거부',
      ].join(
        '|',
      )})(?: (?:again|any ?more|mehr|mas|plus|please|bitte|svp|s'il vous plait|por favor))*(?: [\\d./-]+)?$`,
      'iu',
    ),
)

/** Pattern for a text without accents; letters of other scripts are decomposed as foldWords does. */
const foldedPattern = (...parts: readonly string[]) =>
  lazy(
    () =>
      new RegExp(
        parts
          .join('|')
          .normalize('NFKD')
          .replace(/\p{M}+/gu, ''),
        'u',
      ),
  )

const phoneWords =
  '\\b(?:call|phone|tele[fmp]|voice|dial|ring)|anruf|angerufen|ruckruf|telefon|appel|llam|chiam|ligar|ligac|bellen|gebeld|dzwon|soit|volat|звон|电话|電話|전화'
const contactWords = `${phoneWords}|\\b(?:contact|market|solicit)|kontakt|werbe|werbung|demarch|contat`

/** Heading about another channel than calls, or another matter. */
export const otherMatter = foldedPattern(
  '\\b(?:recording|treatment|surgery|therap|vaccin)|aufzeichn|mitschnitt|behandlung|enregistr|grabacion|registrazion',
  '\\b(?:e ?mail|mail|newsletter|sms|text|mms|whats ?app|e ?post|post|postal|fax|cookie|push|photo|foto|video|courriel|correo|brief)',
)

/** Words for calls in the name of another matter; the replacement names it without them. */
export const otherThanCalls = lazy(
  () =>
    [
      [
        /\b(?:(?:phone |voice )?calls? recordings?|recordings? (?:of )?(?:(?:phone )?calls?))\b/g,
        'recording',
      ],
      [/\b(?:voice ?mails?|voice messages?|answering machines?)\b|anrufbeantworter/g, 'mail'],
      [
        /^(?:(?:customer|client|lead|user) )?(?:(?:requested|requests|wants|wanted|needs) (?:a )?call ?back|(?:call ?back|ruckruf|rappel) (?:is )?(?:requested|wanted|desired|needed|due|gewunscht|erwunscht|erbeten|souhaite|demande))$/,
        '',
      ],
    ] as const,
)

/** Heading that names calls. */
export const aboutCalls = foldedPattern(phoneWords)

/** Heading that is about consent to calls, in whatever words. */
export const aboutConsent = foldedPattern(
  '^(?:(?:to |should |please )?call|(?:to|should|please) contact|anrufen|kontaktieren|appeler|contacter|llamar|contactar|chiamare|contattare|bellen|ligar)$',
  `\\b(?:not|never|cannot|don ?t|stop|no(?! of\\b)|nicht|kein|keine|ne|pas|non|nao|niet|geen|nie|ei|ikke|inte|nu)\\b.*(?:${contactWords})`,
  `\\b(?:(?:may|can|want|wants|wish|wishes|darf|durfen|mag|wil|peut|souhaite|veut|puede|desea|quiere|pode|desidera|vuole)\\b|allow|disallow|accept|authori|agree|refus|autori|permi|acept|aceit|rechaz).*(?:${contactWords})`,
  `(?:${contactWords}).*(?:\\b(?:ok|okay|allowed|permitted|refus|blocked|banned|forbidden|restricted|requested|wanted|desired|eligib|autoris|autoriz|permiti|toegestaan)|erlaub|gestattet|wunsch|verbot|sperr)`,
  'consent|\\bopt(?:s|ed)? ?(?:in|out)|\\b(?:dnc|dnd|c?tps|tcpa|nix|iys|robinson|bloctel)\\b|do ?not ?call|callable|contactable|litigat|unsub|withdr[ae]w|revo[ck]',
  'objection|objected|permission|suppress|blacklist|blocklist',
  '^(?:not |nicht )?(?:agree[sd]?|allowed|permitted|erlaubt|autorise|toegestaan)(?: (?:on|at|date|status))?$',
  '^(?:gdpr|dsgvo|rgpd|rodo|lgpd|ccpa)(?: (?:ok|okay|yes|status|flag|date|compliant|signed|agreed))?$',
  'einwillig|zustimm|zugestimmt|einverst|werbesperr|widerruf|widerspr',
  'opposition|desinscri|desabonn|consient|consens|disiscri|opposizion|descadastr|toestemming|bezwaar|uitgeschreven|afgemeld',
  'zgod[ay]|sprzeciw|samtyck|samtykk|avregistr|avmeld|afmeld|suostum|kielto|souhlas|nevol|odhlas|privol|suglas|pristan',
  'riza\\b|\\bonay|arama izni|hozzajarul|leiratkoz|consimt|dezabon|dong y',
  'не (?:звон|дзвон|телефон|беспок)|згод|соглас|отказ|отпис|συγκατα|συναιν|הסכמ|להתקשר|موافق|सहमति|ยินยอม|ห้ามโทร',
  '同意|承诺|承諾|许可|許可|拒否|拒绝|拒絕|退订|退訂|勿|禁止|동의|거부|금지',
)

/** Heading of a column whose cells are dates. */
export const aboutDate = foldedPattern(
  '\\b(?:date|time|datum|zeitpunkt|fecha|data|dato|tarihi|timestamp|дата)\\b|datum\\b|\\b(?:at|on|am)$|日期|日付|日時|日|일자|날짜',
)

/** Status of people: a word of refusal below it is about them. */
export const aboutStatus = foldedPattern(
  '^(?:(?:customer|client|contact|lead|member|subscriber|patient|person|account|marketing|kunden|kontakt) ?)?(?:status|disposition)$',
  '^(?:statut|etat|estado|stato|stav|durum|статус|状态|狀態|状態|상태)$',
)

/** Words about consent that people misspell. */
export const misspelled = [
  ...[
    'consent',
    'permission',
    'subscribed',
    'unsubscribed',
    'objection',
    'blacklist',
    'blocklist',
    'suppressed',
  ],
  ...[
    'donotcall',
    'donotcontact',
    'optout',
    'optedout',
    'einwilligung',
    'zustimmung',
    'widerspruch',
    'widerruf',
  ],
  ...['consentement', 'consentimiento', 'toestemming'],
]

/** Politeness after a yes. */
export const polite =
  / (?:please|thanks|thank you|of course|bitte|gerne?|s il vous plait|svp|merci|por favor|per favore|grazie|graag|prosim?)$/

/** Beginning or end of a refusal that is two with a no: `Not allowed: no`. */
export const doubleNegation = /^(?:no|nicht|keine|[未不미])|안함$/
