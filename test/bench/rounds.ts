/** Takes a sample of each work in every round, so that a busy machine slows all alike. Who goes first changes. */
export async function interleaved<Name extends string, Sample>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<Sample> | Sample>>,
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const names = Object.keys(works) as Name[]
  const samples = Object.fromEntries(names.map(name => [name, [] as Sample[]])) as Record<Name, Sample[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await works[name]())
  }
  return samples
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The median of what each round gives: both were measured one after the other. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)))
}

/** Milliseconds. */
export function timeOf(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
