const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

export const durationPattern = /^(\d{1,15}(?:\.\d{1,9})?)(ms|[smhdw])$/

/** `500ms`, `30s`, `2m`, `1.5h`, `2d`, `1w` → milliseconds, whole ones; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ''] = durationPattern.exec(text.trim()) ?? []
  const unitMs = unitsMs[unit]
  return amount === undefined || unitMs === undefined ? undefined : Math.ceil(Number(amount) * unitMs)
}
