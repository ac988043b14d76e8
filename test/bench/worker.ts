import { Worker } from 'node:worker_threads'

/** A thread that is asked for one number after the other. */
export interface Asked {
  ask(question: object): Promise<number>
  end(): Promise<unknown>
}

/** Runs plain JavaScript in a separate thread, which responds to each message with a number. */
export function startWorker(program: string, workerData?: unknown): Asked {
  const worker = new Worker(program, { eval: true, workerData })
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        worker.once('error', reject)
        worker.once('message', (answer: number) => {
          worker.off('error', reject)
          resolve(answer)
        })
        worker.postMessage(question)
      }),
    end: () => worker.terminate(),
  }
}
