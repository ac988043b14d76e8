/**
 * Stands between the assistant, on its left, and the user: who rang whom (interface.md 4.2, `direction`). A direction
 * that is neither `outbound` nor `inbound` is no arrow.
 */
export function ringArrow(direction: string | null): '→' | '←' | '–' {
  if (direction === 'outbound') return '→'
  return direction === 'inbound' ? '←' : '–'
}
