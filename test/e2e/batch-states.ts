import type { Page } from 'playwright-core'
import { begunAt, createFakeBatch, type FakeBatch, fillBatch } from '../web/fake-batch.ts'
import type { PageState } from './page-states.ts'

/** A batch that fills the page with every kind of status. */
export function filledBatch(): FakeBatch {
  const batch = createFakeBatch()
  fillBatch(batch)
  batch.live = batch.live.map((call, index) => ({ ...call, startedAt: Date.now() - 50_000 * (index + 1) }))
  return batch
}

/** States of the page of a batch. Each sets what it shows, because the page is opened again for every state. */
export function batchStates(batch: FakeBatch): readonly PageState[] {
  const show = (change: () => void) => {
    batch.pause = null
    change()
    batch.changed()
  }
  return [
    {
      name: 'running',
      async show(page) {
        show(() => {})
        await page.getByText('Running', { exact: true }).waitFor()
        await page.getByRole('button', { name: '1001 answered' }).waitFor()
      },
    },
    {
      name: 'waiting',
      async show(page) {
        show(() => {
          batch.pause = { reason: 'window', text: 'no window is open', until: begunAt + 86_400_000 }
        })
        await page.getByText(/^Waiting: no window is open, until/).waitFor()
      },
    },
    {
      name: 'attempts',
      async show(page) {
        show(() => {})
        await page.getByRole('button', { name: '1001 answered' }).click()
        await page.getByRole('table', { name: 'Calls to 1001' }).scrollIntoViewIfNeeded()
      },
    },
    {
      name: 'filtered',
      async show(page) {
        show(() => {})
        await page.getByRole('button', { name: 'busy', exact: true }).click()
        await page.getByText('Only status busy.').waitFor()
      },
    },
    {
      name: 'no-hits',
      async show(page) {
        show(() => {})
        await page.getByRole('searchbox', { name: 'Search people' }).fill('zzzz')
        await page.getByText('Nobody with id or number containing "zzzz".').waitFor()
      },
    },
    {
      name: 'keys',
      async show(page) {
        show(() => {})
        await page.getByRole('button', { name: '1001 answered' }).waitFor()
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      },
    },
    {
      name: 'other-run',
      async show(page) {
        await page.goto(page.url().replace(/ui-[^/]+/, `ui-${'A'.repeat(32)}`))
        await page.getByRole('heading', { name: 'This link belongs to another run.' }).waitFor()
      },
    },
  ]
}

/** Waits until the page shows people. */
export async function waitForPeople(page: Page): Promise<void> {
  await page.getByRole('button', { name: '1001 answered' }).waitFor()
}
