import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)
/** Minified: each checked page receives and compiles it, and the main module has 1.5 MB. */
const axe: { readonly source: string } = require('axe-core/axe.min.js')

/**
 * Layout problems of what a page shows now, in words; empty if there are none. Checks overflow, left edges, heights of controls,
 * broken words and visible focus.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  // A focus ring is drawn after a key, not after a click.
  await page.keyboard.press('Shift')
  return (await page.evaluate(layoutScript)) as string[]
}

/** Returns violations that axe reports about a page. */
export function accessibilityProblems(page: Page): Promise<string[]> {
  return axeProblems(page, '{}')
}

/** The problems that depend on colors alone. */
export function contrastProblems(page: Page): Promise<string[]> {
  return axeProblems(page, `{ runOnly: ['color-contrast'] }`)
}

/** A row's name says in words what its arrow, its dot and its times show, so it does not contain them. */
async function axeProblems(page: Page, options: string): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const violations =
    await page.evaluate(`axe.run({ resultTypes: ['violations'], ...${options} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes
      .filter(({ html }) => id !== 'label-content-name-mismatch' || !html.includes('role="option"'))
      .map(({ html }) => 'axe ' + id + ': ' + html)))`)
  return violations as string[]
}

/** Empty pages of what a page prints, in words. */
export async function printProblems(page: Page): Promise<string[]> {
  const pages = printedPages(await page.pdf({ format: 'A4' }))
  if (pages.length === 0) return ['prints nothing']
  return pages.flatMap((content, index) =>
    /\bT[jJ]\b/.test(content) ? [] : [`printed page ${index + 1} of ${pages.length} is empty`],
  )
}

/** Content streams of the pages of a PDF. */
function printedPages(pdf: Buffer): string[] {
  const text = pdf.toString('latin1')
  const pages = text.split('endobj').filter(object => /\/Type \/Page\b/.test(object))
  return pages.map(object => {
    const id = /\/Contents (\d+) 0 R/.exec(object)?.[1] ?? ''
    const start = text.indexOf('stream\n', text.indexOf(`\n${id} 0 obj`)) + 'stream\n'.length
    const content = pdf.subarray(start, text.indexOf('endstream', start))
    // What is empty is not compressed.
    return content.length <= 1 ? '' : inflateSync(content).toString('latin1')
  })
}

const layoutScript = `(() => {
  const problems = []
  const nameOf = part => part.tagName.toLowerCase() + (part.id ? '#' + part.id : '') +
    (part.className ? '.' + String(part.className).replaceAll(' ', '.') : '') +
    ' "' + (part.textContent ?? '').trim().replace(/\\s+/g, ' ').slice(0, 40) + '"'
  const isSeen = part => {
    const { width, height } = part.getBoundingClientRect()
    return width > 1 && height > 1 && part.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      part.closest('.unseen') === null
  }
  const parts = [...document.querySelectorAll('body *')].filter(isSeen)

  // Nothing is wider than its place.
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page scrolls sideways')
  for (const part of parts) {
    const style = getComputedStyle(part)
    const cuts = style.textOverflow === 'ellipsis' && style.overflowX === 'hidden'
    if (part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0 && !cuts && style.display !== 'inline' &&
      part.tagName !== 'INPUT' && part.tagName !== 'SELECT')
      problems.push('overflows by ' + (part.scrollWidth - part.clientWidth) + ' px: ' + nameOf(part))
  }

  // A text that is cut is cut at its end.
  for (const part of parts.filter(each => getComputedStyle(each).textOverflow === 'ellipsis')) {
    if (part.scrollWidth <= part.clientWidth) continue
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const { left, right } = part.getBoundingClientRect()
    while (texts.nextNode() !== null) {
      range.setStart(texts.currentNode, 0)
      range.setEnd(texts.currentNode, 1)
      const first = range.getBoundingClientRect()
      if (first.width > 0 && (first.right > right + 1 || first.left < left - 1))
        problems.push('is cut at its beginning: ' + nameOf(part))
    }
  }

  // Parts of one column begin at one line.
  for (const column of document.querySelectorAll('.view, .view > section, .side, .side > section, .tools, .said, .panel, dl')) {
    if (!isSeen(column)) continue
    const stacked = [...column.children].filter(isSeen).filter(part => getComputedStyle(part).position === 'static')
    const boxes = stacked.map(part => part.getBoundingClientRect())
    const lefts = stacked.map((part, index) => {
      const before = boxes[index - 1]
      return before === undefined || boxes[index].top >= before.bottom - 1 ? Math.round(boxes[index].left) : undefined
    })
    for (const [index, left] of lefts.entries())
      if (left !== undefined && Math.abs(left - lefts[0]) > 1)
        problems.push('begins at ' + left + ', its column at ' + lefts[0] + ' px: ' + nameOf(stacked[index]))
  }

  // A control is one line.
  const controls = 'button, select, summary, input:not([type=radio], [type=checkbox], [type=file]), .choice span'
  for (const part of parts.filter(each => each.matches(controls))) {
    const { lineHeight, fontSize } = getComputedStyle(part)
    const line = Number.parseFloat(lineHeight) || 1.5 * Number.parseFloat(fontSize)
    const { height } = part.getBoundingClientRect()
    if (height > 2 * line) problems.push('is ' + Math.round(height) + ' px high, its text ' + Math.round(line) + ': ' + nameOf(part))
  }

  // No word is split over two lines.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = texts.nextNode(), count = 0; node !== null && count < 2000; node = texts.nextNode()) {
    const parent = node.parentElement
    if (parent === null || !isSeen(parent) || parent.closest('pre, .json') !== null) continue
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{M}\\p{N}]+/gu)) {
      if (word.length > 20) continue
      count++
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top)
      if (Math.max(...tops) - Math.min(...tops) > 3) problems.push('breaks "' + word + '": ' + nameOf(parent))
    }
  }

  // Each stop of Tab shows that it has the focus.
  const before = document.activeElement
  const stops = 'a[href], button, input:not([type=file]), select, textarea, summary, [tabindex]'
  for (const part of document.querySelectorAll(stops)) {
    if (part.tabIndex < 0 || part.matches(':disabled') || !part.checkVisibility({ visibilityProperty: true })) continue
    part.focus({ preventScroll: true })
    if (document.activeElement !== part) continue
    const shows = part.type === 'radio' ? part.nextElementSibling : part
    const { outlineStyle, outlineWidth } = getComputedStyle(shows)
    if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) problems.push('shows no focus: ' + nameOf(part))
  }
  if (before === document.body) document.activeElement?.blur()
  else before?.focus({ preventScroll: true })
  return problems
})()`
