import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { expect, test } from 'vitest'
import { isObject } from '../src/lib/json.ts'
import { filesOf, root } from './docs/markdown.ts'

const verbs = ['take', 'hold', 'keep', 'begin', 'place', 'asked', 'given', 'shown', 'said', 'each']

function isFunction(node: unknown): boolean {
  if (!isObject(node)) return false
  const { type, typeAnnotation } = node
  return (
    /^(ArrowFunctionExpression|FunctionExpression|TsFunctionType)$/.test(String(type)) ||
    isFunction(typeAnnotation)
  )
}

/** Returns the names of variables, parameters and fields in a syntax tree, without functions. */
function declaredNames(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(declaredNames)
  if (!isObject(node)) return []
  const { type, key, init, value, typeAnnotation } = node
  if (type === 'VariableDeclarator' && isFunction(init)) return declaredNames(init)
  const names = Object.values(node).flatMap(declaredNames)
  const isField = type === 'TsPropertySignature' || type === 'ClassProperty'
  if (isField && isObject(key) && !isFunction(typeAnnotation) && !isFunction(value))
    return [String(key.value), ...names]
  // Only where a name is declared, its node has a type, or null.
  return type === 'Identifier' && typeAnnotation !== undefined && !isFunction(typeAnnotation)
    ? [String(value), ...names]
    : names
}

function namesIn(source: string): string[] {
  return declaredNames(parseSync(source, { syntax: 'typescript' }).body)
}

test('finds names of values, not of functions', () => {
  const source = `
    const { a, b: [c], ...d } = e(f)
    const g = (h: string) => i.j
    function k({ l }: { m: number; n: () => void; o(): void }, p: () => void) {}
    class Q { r = 1; s = () => 1; t() {} constructor(readonly u: string) {} }
    try {} catch (v) {}`
  expect(namesIn(source).sort()).toEqual(['a', 'c', 'd', 'h', 'l', 'm', 'r', 'u', 'v'])
})

test('no variable, parameter or field has a verb as its name', async () => {
  const files = await filesOf('src/**/*.ts')
  expect(files.length).toBeGreaterThan(500)
  const findings = files.flatMap(file =>
    namesIn(readFileSync(join(root, file), 'utf8')).flatMap(name =>
      verbs.includes(name) ? [`${file}: ${name} is no noun`] : [],
    ),
  )
  expect(findings).toEqual([])
})
