import { formatFieldPath } from '../../interface/check.ts'
import { type FieldPath, type Finding, valueError } from '../../interface/finding.ts'
import { type ProblemBody, type ProblemStatus, problemTitles } from '../../interface/problem.ts'

interface ProblemOptions {
  readonly hint?: string | undefined
  /** Problems of the body by field. */
  readonly findings?: readonly Finding[]
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Rejection as an RFC 9457 `application/problem+json` response. The interface does not show the service's
 * own errors (interface.md 7).
 */
export class Problem extends Error {
  readonly status: ProblemStatus
  readonly options: ProblemOptions

  constructor(status: ProblemStatus, detail: string, options: ProblemOptions = {}) {
    super(detail)
    this.status = status
    this.options = options
  }

  toJson(requestId: string): string {
    const { hint, findings } = this.options
    const body: ProblemBody = {
      type: 'about:blank',
      title: problemTitles[this.status],
      status: this.status,
      detail: this.message,
      hint,
      errors: findings?.map(toError),
      requestId,
    }
    return JSON.stringify(body)
  }
}

/** 422 with every finding. */
export function invalidBody(findings: readonly Finding[]): Problem {
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
  return new Problem(422, `${first?.message ?? 'the body does not pass'}${more}`, {
    findings,
    hint: first?.hint,
  })
}

/** 422 with one finding, about a value that is well formed and still cannot be taken. */
export function invalidField(path: FieldPath, code: string, message: string, hint?: string): Problem {
  return invalidBody([valueError(path, code, message, hint)])
}

/** 404; `noun` goes before the id: `tool with the id`. */
export function notFound(noun: string, id: string, hint?: string): Problem {
  return new Problem(404, `there is no ${noun} ${JSON.stringify(id)}`, { hint })
}

/** Reason for the end of a session, for requests that began before a reset or restore and would end after it. */
export function worldReset(): Problem {
  return new Problem(409, 'the sandbox was reset or restored while this request was carried out', {
    hint: 'nothing was changed; send the request again',
  })
}

function toError({ path, code, message, hint }: Finding) {
  return {
    path: formatFieldPath(path),
    pointer: `#${path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`,
    code,
    message,
    hint,
  }
}
