import type { ShownPerson } from './batch-model.ts'

/** Query for one page of people. */
export interface PeopleQuery {
  readonly status: string | undefined
  readonly search: string
  readonly from: number
  readonly limit: number
}

export type PeopleChange = Partial<Omit<PeopleQuery, 'limit'>>

export interface PeoplePage {
  readonly total: number
  readonly rows: readonly ShownPerson[]
}

interface LoaderOptions {
  read(query: PeopleQuery): Promise<PeoplePage>
  /** Other people are shown. */
  onLoaded(): void
  /** Calls back when data that changes may be read again. */
  later(run: () => void): void
}

/**
 * Reads one page of people: at once when the reader asks for other ones, and at most once per interval while data changes. Responses that
 * are overtaken are dropped. Without a connection, the last page stays.
 */
export function createPeopleLoader({ read, onLoaded, later }: LoaderOptions) {
  let query: PeopleQuery = { status: undefined, search: '', from: 0, limit: pageSize }
  let currentPage: (PeoplePage & { readonly query: PeopleQuery }) | undefined
  let requests = 0
  let isWaiting = false
  let isStale = false

  const load = async (): Promise<void> => {
    const request = ++requests
    const pageQuery = query
    // The connection status already reports failures.
    const page = await read(pageQuery).catch(() => undefined)
    if (request !== requests || page === undefined) return
    if (page.rows.length === 0 && pageQuery.from > 0) {
      query = { ...pageQuery, from: lastPage(page.total) }
      return load()
    }
    currentPage = { ...page, query: pageQuery }
    onLoaded()
  }
  const changed = () => {
    isStale = isWaiting
    if (isWaiting) return
    isWaiting = true
    const release = () => {
      isWaiting = false
      if (isStale) changed()
    }
    void load().then(() => later(release))
  }
  return {
    /** The data has changed. */
    changed,
    /** Reads the same people again at once. */
    reload: () => void load(),
    /** Shows other people. A new filter begins at the first page. */
    ask(change: PeopleChange) {
      query = { ...query, from: 0, ...change }
      void load()
    },
    get query() {
      return query
    },
    /** Last page that was read, with its query; undefined until there is one. */
    get currentPage() {
      return currentPage
    },
  }
}

/** People of a page. */
export const pageSize = 100

/** Returns the index of the first person of the last page. */
export function lastPage(total: number): number {
  return total === 0 ? 0 : Math.floor((total - 1) / pageSize) * pageSize
}
