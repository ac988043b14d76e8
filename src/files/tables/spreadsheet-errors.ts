import type { RowProblem } from './table.ts'

/** Errors of formulas by language. Greek, Hebrew, Arabic, Chinese, Japanese and Korean spreadsheets write the English ones. */
const errorWords: Readonly<Record<string, string>> = {
  en: `#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #N/A! #SPILL! #CALC! #FIELD! #BLOCKED! #CONNECT! #UNKNOWN! #BUSY! #GETTING_DATA
    #ERROR! #MACRO?`,
  de: '#WERT! #BEZUG! #ZAHL! #NV #ÜBERLAUF! #KALK! #FELD! #BLOCKIERT! #VERBINDEN! #UNBEKANNT!',
  fr: '#NUL! #VALEUR! #NOM? #NOMBRE! #PROPAGATION! #EPARS! #CHAMP!',
  es: '#¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM! #N/D #¡DESBORDAMIENTO! #¡CALC! #¡CAMPO! #NOMBRE?',
  it: '#NULLO! #VALORE! #RIF! #NOME? #ESPANSIONE!',
  pt: '#NULO! #VALOR! #NÚM! #DESPEJAR! #ESPALHAR! #DESPEJO! #CAMPO!',
  nl: '#LEEG! #DEEL/0! #WAARDE! #VERW! #NAAM? #GETAL! #N/B #OVERLOOP!',
  pl: '#ZERO! #DZIEL/0! #ARG! #ADR! #NAZWA? #LICZBA! #N/D! #ROZLANIE!',
  sv: '#SKÄRNING! #DIVISION/0! #VÄRDEFEL! #REFERENS! #NAMN? #OGILTIGT! #SAKNAS! #SAKNAS',
  da: '#VÆRDI! #REFERENCE! #NAVN? #I/T #OVERLØB!',
  nb: '#VERDI! #I/T! #OVERFLYT!',
  fi: '#TYHJÄ! #JAKO/0! #ARVO! #VIITTAUS! #NIMI? #LUKU! #PUUTTUU! #PUUTTUU',
  cs: '#DĚLENÍ_NULOU! #HODNOTA! #ODKAZ! #NÁZEV? #ČÍSLO! #NENÍ_K_DISPOZICI',
  tr: '#BOŞ! #SAYI/0! #DEĞER! #BAŞV! #AD? #SAYI! #YOK',
  hu: '#NULLA! #ZÉRÓOSZTÓ! #ÉRTÉK! #HIV! #NÉV? #SZÁM! #HIÁNYZIK',
  ru: '#ПУСТО! #ДЕЛ/0! #ЗНАЧ! #ССЫЛКА! #ИМЯ? #ЧИСЛО! #Н/Д #ПЕРЕНОС!',
}

const errors = new Set(Object.values(errorWords).join(' ').split(/\s+/))

/** `Err:502` of LibreOffice, and a column that was too narrow for its numbers. */
const otherError = /^(?:err:\d{3}|#{3,})$/i

/** `=SUM(A1:A3)` or `=$B$2`, of which only the value means something. */
const formula = /^=(?:[\p{L}.]+\(|\$?[A-Z]{1,3}\$?\d)/iu

/** First character of all of them: most cells are something else. */
const lostStart = /^[=#e\d+-]/i

/** True for a long number as spreadsheets and programs shorten it, with digits lost, such as `1.2E+10`. `12E5` may be a name. */
export function isShortenedNumber(cell: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+E[+-]?|E\+)\d+$/i.test(cell.trim())
}

/** Returns why a shortened number cannot be used. */
export function shortenedNumber(written: string) {
  return {
    code: 'shortened-number',
    message: `${written} is a number that a spreadsheet has shortened; its digits are lost`,
    hint: 'format the column as text in the spreadsheet, enter the value again, and export the table again',
  } as const
}

/**
 * Returns why a cell does not have its value any more: it has an error such as `#N/A` or `#BEZUG!`, a formula, or a shortened number.
 * `where` names the cell in the message.
 */
export function findLostValue(cell: string, where?: string): RowProblem | undefined {
  const text = cell.trim()
  if (!lostStart.test(text)) return undefined
  const written = () => (where === undefined ? text : `${where}: ${text}`)
  const isFormula = formula.test(text)
  if (isFormula || (text.startsWith('#') && errors.has(text.toUpperCase())) || otherError.test(text))
    return {
      code: 'spreadsheet-error',
      message: `${written()} is a spreadsheet ${isFormula ? 'formula, not its value' : 'error'}`,
      hint: 'correct the formula in the spreadsheet, or empty the cell, and export the table again',
    }
  return isShortenedNumber(text) ? shortenedNumber(written()) : undefined
}
