import { parseJson } from '../../../lib/json.ts'
import { byId, element, setText } from '../dom.ts'
import { type ControlApi, report } from './control-api.ts'

/** Snapshot, restore and reset; the last two ask first. */
export function createStateView(api: ControlApi): void {
  const notice = byId('state-notice')
  const file = byId('restore-file', HTMLInputElement)
  const sure = byId('sure')
  const doIt = byId('do-it')
  let pendingAction: { readonly from: HTMLElement; readonly act: () => Promise<string> } | undefined

  const close = () => {
    sure.hidden = true
    pendingAction?.from.focus()
    pendingAction = undefined
  }
  const ask = (from: HTMLElement, question: string, button: string, act: () => Promise<string>) => {
    pendingAction = { from, act }
    setText(notice, '')
    setText(byId('sure-of'), question)
    setText(doIt, button)
    sure.hidden = false
    doIt.focus()
  }

  doIt.addEventListener('click', () => {
    const act = pendingAction?.act
    close()
    if (act !== undefined) void report(notice, act)
  })
  byId('keep-it').addEventListener('click', close)
  byId('snapshot').addEventListener('click', () =>
    report(notice, async () => {
      download('sandbox-snapshot.json', JSON.stringify(await api.send('POST', 'snapshot')))
      return 'Snapshot downloaded.'
    }),
  )
  const restore = byId('restore')
  restore.addEventListener('click', () => file.click())
  file.addEventListener('change', () => {
    const [selectedFile] = file.files ?? []
    if (selectedFile === undefined) return
    // The same file can be chosen again.
    file.value = ''
    ask(restore, `Replace everything with ${selectedFile.name}?`, 'Replace', async () => {
      await api.send('POST', 'restore', await read(selectedFile))
      return 'Snapshot restored.'
    })
  })
  const reset = byId('reset')
  reset.addEventListener('click', () =>
    ask(reset, 'Reset to the initial state?', 'Reset now', async () => {
      await api.send('POST', 'reset')
      return 'Sandbox reset.'
    }),
  )
}

async function read(file: File): Promise<unknown> {
  const text = await file.text().catch(() => {
    throw new Error('The file cannot be read: choose it again.')
  })
  const snapshot = parseJson(text)
  if (snapshot === undefined) throw new Error('The file is not JSON: choose a snapshot.')
  return snapshot
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = element('a', { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
