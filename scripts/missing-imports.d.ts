import type { Plugin } from 'rolldown'

export function missingImports(): Plugin
