import { once } from 'node:events'
import { type Transferable, Worker } from 'node:worker_threads'

export interface WorkerThreadLimits {
  /** The maximum time in milliseconds for processing a message. */
  mostMs: number
  /** The time in milliseconds after which an idle thread ends. */
  idleMs: number
  maxMegabytes: number
}

/** Thrown if a message takes too much time or memory. The thread has ended, and the next message starts another one. */
export class WorkerLimitExceededError extends Error {
  readonly limit: 'time' | 'memory'

  constructor(limit: 'time' | 'memory') {
    super(`The work exceeded its limit of ${limit}.`)
    this.limit = limit
  }
}

/** A separate thread that processes messages one after the other, so that long work does not delay requests. */
export class WorkerThread {
  readonly #module: URL
  readonly #limits: WorkerThreadLimits
  #worker: Worker | null = null
  #previous: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  /** The module is loaded in the thread, and must post one response to each message. */
  constructor(module: URL, limits: WorkerThreadLimits) {
    this.#module = module
    this.#limits = limits
  }

  /** Returns the response to the message. Throws `WorkerLimitExceededError`, or the error that has ended the thread. */
  send(message: unknown, transfer: readonly Transferable[] = []): Promise<unknown> {
    const answer = this.#previous.then(() => this.#sendNow(message, transfer))
    this.#previous = answer.catch(() => {})
    return answer
  }

  async #sendNow(message: unknown, transfer: readonly Transferable[]): Promise<unknown> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    try {
      const answered = once(this.#worker, 'message', { signal: AbortSignal.timeout(this.#limits.mostMs) })
      this.#worker.postMessage(message, transfer)
      const [answer] = (await answered) as [unknown]
      return answer
    } catch (error) {
      this.#end()
      const { name, code } = error as { name?: unknown; code?: unknown }
      if (name === 'AbortError') throw new WorkerLimitExceededError('time')
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw new WorkerLimitExceededError('memory')
      throw error
    } finally {
      this.#idle = setTimeout(() => this.#end(), this.#limits.idleMs).unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#module, {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.maxMegabytes },
    })
    // The caller that waits for the response handles errors. Without this listener, an error would end the process.
    worker.on('error', () => {})
    worker.unref()
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = null
  }
}
