export interface NewsLog<News extends { readonly kind: string }> {
  readonly all: readonly News[]
  tell(news: News): void
  /** Resolves with the nth news of a kind, counted from 1, once it was told. */
  told<Kind extends News['kind']>(kind: Kind, nth?: number): Promise<Extract<News, { readonly kind: Kind }>>
}

/** Reports that a test can wait for. */
export function newsLog<News extends { readonly kind: string }>(): NewsLog<News> {
  const all: News[] = []
  let waiting: (() => void)[] = []
  const isOf = <Kind extends News['kind']>(kind: Kind) => {
    return (news: News): news is Extract<News, { readonly kind: Kind }> => news.kind === kind
  }
  return {
    all,
    tell(news) {
      all.push(news)
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    async told(kind, nth = 1) {
      for (;;) {
        const match = all.filter(isOf(kind))[nth - 1]
        if (match !== undefined) return match
        await new Promise<void>(resolve => waiting.push(resolve))
      }
    },
  }
}
