/** Formats rows as CSV (RFC 4180, but with LF). Cells that a spreadsheet would evaluate as a formula get a leading apostrophe. */
export function csvDocument(rows: readonly (readonly string[])[], delimiter = ','): string {
  return rows.map(row => row.map(cell => toCell(cell, delimiter)).join(delimiter)).join('\n')
}

function toCell(text: string, delimiter: string): string {
  // Phone numbers start with + too.
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^\+\d+(; \+\d+)*$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(delimiter) ? `"${safe.replaceAll('"', '""')}"` : safe
}
