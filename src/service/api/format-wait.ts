/** `2 s`, `0.5 s`, `3 min`, `28 h`. */
export function formatWait(milliseconds: number): string {
  if (milliseconds >= 7_200_000) return `${Math.round(milliseconds / 3_600_000)} h`
  if (milliseconds >= 120_000) return `${Math.round(milliseconds / 60_000)} min`
  if (milliseconds > 0 && milliseconds < 100) return `${milliseconds} ms`
  return `${Math.round(milliseconds / 100) / 10} s`
}
