/** Rows of RFC 4180, with LF. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvDocument(rows: readonly (readonly string[])[]): string {
  return rows.map(row => row.map(toCell).join(',')).join('\n')
}

function toCell(text: string): string {
  // A phone number begins with +, too.
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
