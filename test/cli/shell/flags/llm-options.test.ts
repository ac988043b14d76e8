import { describe, expect, test } from 'vitest'
import { resolveJudge, resolveLlm } from '../../../../src/cli/shell/flags/llm-flags.ts'
import { CallyardError } from '../../../../src/lib/error.ts'

const noKey = {}
const withKey = { CALLYARD_LLM_API_KEY: 'key-of-the-model' }

function failure(work: () => unknown): CallyardError {
  try {
    work()
  } catch (error) {
    if (error instanceof CallyardError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('there is no server without a URL, even if a key is set', () => {
  expect(resolveLlm({}, withKey)).toBeUndefined()
})

test.each([
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ['http://localhost:8080/v1//', 'http://localhost:8080/v1'],
  ['https://models.example.com', 'https://models.example.com'],
  ['HTTPS://Models.Example.com/Some/Path/', 'https://models.example.com/Some/Path'],
])('%s is taken as %s', (llmUrl, url) => {
  expect(resolveLlm({ llmUrl }, noKey)).toEqual({ url })
  expect(resolveLlm({ llmUrl, llmModel: 'm' }, withKey)).toEqual({
    url,
    model: 'm',
    apiKey: 'key-of-the-model',
  })
})

test('allows http to another machine without a key, and rejects it with one', () => {
  const llmUrl = 'http://models.example.com/v1'
  expect(resolveLlm({ llmUrl }, noKey)).toEqual({ url: llmUrl })
  expect(resolveLlm({ llmUrl }, { CALLYARD_LLM_API_KEY: '' })).toEqual({ url: llmUrl })
  const error = failure(() => resolveLlm({ llmUrl }, withKey))
  expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('not https') })
})

describe.each([
  ['models.example.com/v1'],
  ['/v1'],
  [''],
  ['ftp://models.example.com'],
  ['https://ada:s3cret@models.example.com/v1'],
  ['https://models.example.com/v1?token=s3cret'],
  ['https://models.example.com/v1#s3cret'],
])('%j', llmUrl => {
  test('is rejected without repeating a secret', () => {
    const error = failure(() => resolveLlm({ llmUrl }, noKey))
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('--llm-url') })
    expect(`${error.message} ${error.hint}`).not.toContain('s3cret')
  })
})

test('rejects a model without a server, and a key that no header can contain', () => {
  expect(failure(() => resolveLlm({ llmModel: 'm' }, noKey))).toMatchObject({
    kind: 'usage',
    hint: expect.stringContaining('--llm-url'),
  })
  const env = { CALLYARD_LLM_API_KEY: 'two words' }
  const error = failure(() => resolveLlm({ llmUrl: 'https://models.example.com' }, env))
  expect(error.message).toContain('CALLYARD_LLM_API_KEY contains a space')
  expect(error.message).not.toContain('two words')
})

describe('the judge', () => {
  const llmUrl = 'https://models.example.com/v1'

  test('is asked at the assistant’s server with its key, or with its own model', () => {
    expect(resolveJudge({ llmUrl, llmModel: 'm' }, withKey)).toEqual(
      resolveLlm({ llmUrl, llmModel: 'm' }, withKey),
    )
    expect(resolveJudge({ llmUrl, llmModel: 'm', judgeModel: 'j' }, withKey)).toMatchObject({
      url: llmUrl,
      model: 'j',
      apiKey: 'key-of-the-model',
    })
    expect(resolveJudge({}, withKey)).toBeUndefined()
  })

  test('of another server has its own key and never the assistant’s', () => {
    const judgeUrl = 'https://judges.example.com/v1'
    expect(resolveJudge({ llmUrl, judgeUrl }, withKey)).toEqual({ url: judgeUrl })
    expect(resolveJudge({ judgeUrl }, { CALLYARD_JUDGE_API_KEY: 'key-of-the-judge' })).toEqual({
      url: judgeUrl,
      apiKey: 'key-of-the-judge',
    })
  })

  test('without a server, or with a key in plain text, is an error that mentions its flag', () => {
    expect(failure(() => resolveJudge({ judgeModel: 'j' }, withKey))).toMatchObject({
      kind: 'usage',
      message: '--judge-model requires --judge-url',
      hint: 'give --judge-url too',
    })
    const env = { CALLYARD_JUDGE_API_KEY: 'key-of-the-judge' }
    const { message, hint } = failure(() => resolveJudge({ judgeUrl: 'http://judges.example.com' }, env))
    expect(message).toBe(
      '--judge-url http://judges.example.com is not https, but CALLYARD_JUDGE_API_KEY is set',
    )
    expect(hint).not.toContain('key-of-the-judge')
  })
})
