import { byId, element, setText } from '../dom.ts'
import { type ControlApi, refusalOf } from './control-api.ts'

/** Snapshot, restore and reset; the last two ask first. */
export function createStateView(api: ControlApi): void {
  const notice = byId('state-notice', HTMLElement)
  const file = byId('restore-file', HTMLInputElement)
  const sure = byId('sure', HTMLElement)
  const doIt = byId('do-it', HTMLButtonElement)
  let asked: { readonly from: HTMLElement; readonly act: () => Promise<string> } | undefined

  const run = async (act: () => Promise<string>) => {
    try {
      setText(notice, await act())
    } catch (error) {
      setText(notice, refusalOf(error))
    }
  }
  const close = () => {
    sure.hidden = true
    asked?.from.focus()
    asked = undefined
  }
  const ask = (from: HTMLElement, question: string, button: string, act: () => Promise<string>) => {
    asked = { from, act }
    setText(notice, '')
    setText(byId('sure-of', HTMLElement), question)
    setText(doIt, button)
    sure.hidden = false
    doIt.focus()
  }

  doIt.addEventListener('click', () => {
    const act = asked?.act
    close()
    if (act !== undefined) void run(act)
  })
  byId('keep-it', HTMLButtonElement).addEventListener('click', close)
  byId('snapshot', HTMLButtonElement).addEventListener('click', () =>
    run(async () => {
      download('sandbox-snapshot.json', JSON.stringify(await api.send('POST', 'snapshot')))
      return 'The snapshot is downloaded.'
    }),
  )
  const restore = byId('restore', HTMLButtonElement)
  restore.addEventListener('click', () => file.click())
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? []
    if (chosen === undefined) return
    // The same file can be chosen again.
    file.value = ''
    ask(restore, `Replace everything by ${chosen.name}?`, 'Replace', async () => {
      await api.send('POST', 'restore', await read(chosen))
      return 'The snapshot is restored.'
    })
  })
  const reset = byId('reset', HTMLButtonElement)
  reset.addEventListener('click', () =>
    ask(reset, 'Go back to what the sandbox began with?', 'Reset now', async () => {
      await api.send('POST', 'reset')
      return 'The sandbox is reset.'
    }),
  )
}

async function read(file: File): Promise<unknown> {
  let text: string
  try {
    text = await file.text()
  } catch {
    throw new Error('The file cannot be read: choose it again.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The file is not JSON: choose a snapshot.')
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = element('a', { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
