const maxMarks = 30
const piledMarks = new RegExp(`(\\p{M}{${maxMarks}})\\p{M}+`, 'gu')

/**
 * One of the forms of Unicode, in linear time: normalising takes the square of the marks that one letter carries, four minutes for a
 * million. A letter keeps 30 of them, more than one of any language has.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(piledMarks, '$1').normalize(form)
}
