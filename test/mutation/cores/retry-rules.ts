import type { Core } from '../core.ts'

export const retryRules: Core = {
  about: 'which request is sent again, when, and what is said of its outcome',
  sources: ['src/service/api/{attempt,failures,http,retry}.ts', 'src/lib/net/retry-after.ts'],
  tests: ['test/service/api/{attempt,failures,http,proxy,retry-after}.test.ts'],
  equivalent: [
    {
      file: 'attempt.ts',
      becomes: ['const code = getErrorCode(cause) ?? "Stryker was here!"'],
      why: 'neither is a code with a hint',
    },
    {
      file: 'failures.ts',
      becomes: [
        'const parsedMessage = serviceMessage(body, headers[\'content-type\'] ?? "Stryker was here!", redact)',
      ],
      why: 'neither is a type whose body is read as words',
    },
    {
      file: 'failures.ts',
      becomes: [
        'const words = `${name} returned ${problem} (${status})${aftermath("", { attemptCount: 1, repeatable: false })}`',
        "const words = `${name} returned ${problem} (${status})${aftermath('unknown', {})}`",
      ],
      why: 'no outcome but the two that say more is asked for, and one attempt is no number to name',
    },
    {
      file: 'http.ts',
      becomes: ['if (true) await sleep(options, wait)', 'if (wait >= 0) await sleep(options, wait)'],
      why: 'a clock does not wait for a time that has passed',
    },
    {
      file: 'retry-after.ts',
      becomes: ['const text = header?.trim() ?? "Stryker was here!"'],
      why: 'neither is a number or a date',
    },
  ],
}
