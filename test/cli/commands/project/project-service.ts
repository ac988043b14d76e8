import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../../../helpers/loopback.ts'

export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Reply {
  readonly status?: number
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that waits for its response. */
export interface Held {
  /** Resolves when the request is there. */
  readonly arrived: Promise<void>
  /** Sends the usual response. */
  release(): void
}

/** A service that knows what it holds: ids are made of names, `t-book`, and `t-book-2` for a second one. */
export interface ProjectService {
  readonly baseUrl: string
  readonly requests: readonly ServiceRequest[]
  /** The requests by what they are about: `POST tool/book`, `PATCH t-book`, `POST assistant/Desk`, `PUT kb/kb1`. */
  readonly requestNames: readonly string[]
  /** The bodies of all requests of one such name. */
  bodiesOf(name: string): readonly unknown[]
  /** Sets the response to the next request of that name; `reset` closes the connection, `taken` does the work and closes it. */
  next(name: string, answer: Reply | 'reset' | 'taken'): void
  /** Holds the response to the next request of that name, by default the usual one. */
  hold(name: string, answer?: Reply): Held
  /** The team of the API key from now on. */
  team(id: string): void
}

type Act = (usual: () => Reply, response: ServerResponse) => void | Promise<void>

export async function projectService(): Promise<ProjectService> {
  const requests: ServiceRequest[] = []
  const requestNames: string[] = []
  const acts: { name: string; act: Act }[] = []
  const timesByName = new Map<string, number>()
  let teamId = 'team-1'

  const newId = (stem: string) => {
    const times = (timesByName.get(stem) ?? 0) + 1
    timesByName.set(stem, times)
    return times === 1 ? stem : `${stem}-${times}`
  }
  const usual = ({ method, path, body }: ServiceRequest): Reply => {
    if (path.startsWith('/kb/')) return { json: { faq: method === 'POST' ? inserted(body, newId) : [] } }
    const id =
      method === 'POST' ? newId(stemOf(path, body)) : decodeURIComponent(path.split('/').at(-1) ?? '')
    return { json: { ...body, _id: id, teamId } }
  }

  const server = createServer(async (incoming, response) => {
    const { method = '', url: path = '' } = incoming
    const request = { method, path, body: JSON.parse((await text(incoming)) || '{}') }
    const name = nameOf(request)
    requests.push(request)
    requestNames.push(name)
    const index = acts.findIndex(item => item.name === name)
    const [match] = index === -1 ? [] : acts.splice(index, 1)
    if (match === undefined) return reply(response, usual(request))
    await match.act(() => usual(request), response)
  })
  const { origin } = await listenOnLoopback(server)
  const next: ProjectService['next'] = (name, answer) => {
    acts.push({
      name,
      act(usually, response) {
        if (typeof answer === 'object') return reply(response, answer)
        if (answer === 'taken') usually()
        response.socket?.resetAndDestroy()
      },
    })
  }
  return {
    baseUrl: origin,
    requests,
    requestNames,
    bodiesOf: name => requests.filter(request => nameOf(request) === name).map(({ body }) => body),
    next,
    hold(name, answer) {
      const arrived = once()
      const released = once()
      acts.push({
        name,
        async act(usually, response) {
          arrived.happen()
          await released.done
          reply(response, answer ?? usually())
        },
      })
      return { arrived: arrived.done, release: released.happen }
    },
    team(id) {
      teamId = id
    },
  }
}

function nameOf({ method, path, body }: ServiceRequest): string {
  const kb = /^\/kb\/v1\/knowledge-bases\/(.*)\/faq-template$/.exec(path)?.[1]
  if (kb !== undefined) return `${method} kb/${kb}`
  if (method !== 'POST') return `${method} ${path.split('/').at(-1)}`
  return `POST ${path.endsWith('/tools') ? `tool/${functionName(body)}` : `assistant/${body.name}`}`
}

function stemOf(path: string, body: ServiceRequest['body']): string {
  return path.endsWith('/tools') ? `t-${functionName(body)}` : `a-${body.name}`
}

function functionName({ function: definition }: ServiceRequest['body']): unknown {
  return typeof definition === 'object' && definition !== null && 'name' in definition
    ? definition.name
    : 'unnamed'
}

function inserted({ faq }: ServiceRequest['body'], newId: (stem: string) => string): unknown[] {
  return Array.isArray(faq)
    ? faq.map(entry => ({ ...entry, id: newId(`f-${String(entry.question).trim()}`) }))
    : []
}

function reply(response: ServerResponse, { status = 200, json = {}, headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
}

/** Something that happens once, and those who wait for it. */
export function once(): { readonly done: Promise<void>; happen(): void } {
  let happen = () => {}
  const done = new Promise<void>(resolve => {
    happen = resolve
  })
  return { done, happen }
}
