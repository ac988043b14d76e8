const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** `2d`, `90s`, `1.5h` → milliseconds, rounded; undefined for a text that is none. */
export function parseTimeSpan(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(text) ?? []
  const milliseconds = Object.hasOwn(units, unit)
    ? Math.round(Number(number) * (units[unit] ?? 0))
    : undefined
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined
}
