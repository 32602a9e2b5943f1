import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { problem } from '../../../platform/problems/problem.ts'

/** A module that exports `draw`, which draws documents of one kind from sheets of this type. */
export interface Drawing<Sheet extends object> {
  readonly module: string
  readonly draw: (sheet: Sheet) => Promise<Uint8Array>
}

export interface DrawingRequest {
  fileName: string
  /** The URL of a module that exports `draw`. */
  module: string
  /** The sheet as JSON. */
  sheet: string
}

/**
 * Draws documents in a separate thread, one after the other, so that a long document delays no request. A document that
 * takes too long or too much memory ends the thread; the next document starts a new one.
 */
export class DrawingThread {
  readonly #mostMs: number
  readonly #idleMs: number
  #worker: Worker | null = null
  #previous: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor({ mostMs = MAX_DRAWING_MS, idleMs = IDLE_MS }: { mostMs?: number; idleMs?: number } = {}) {
    this.#mostMs = mostMs
    this.#idleMs = idleMs
  }

  /** Returns the document. Throws `too_much_work` if it exceeds the limits on pages, time, or memory. */
  draw(request: DrawingRequest): Promise<Buffer> {
    const drawing = this.#previous.then(() => this.#drawNow(request))
    this.#previous = drawing.catch(() => {})
    return drawing
  }

  async #drawNow({ fileName, module, sheet }: DrawingRequest): Promise<Buffer> {
    clearTimeout(this.#idle)
    this.#worker ??= startWorker()
    try {
      const drawn = once(this.#worker, 'message', { signal: AbortSignal.timeout(this.#mostMs) })
      this.#worker.postMessage({ module, sheet })
      const [answer] = (await drawn) as [{ bytes: Uint8Array } | { tooManyPages: number }]
      if ('tooManyPages' in answer)
        throw problem(
          'too_much_work',
          `${fileName} would have more than ${answer.tooManyPages} pages. Shorten the text in the document.`,
        )
      return Buffer.from(answer.bytes)
    } catch (error) {
      const { name, code } = error as { name?: unknown; code?: unknown }
      if (code !== 'too_much_work') this.#end()
      if (name === 'AbortError')
        throw problem(
          'too_much_work',
          `Creating ${fileName} takes more than ${this.#mostMs / 1000} seconds. Shorten the text in the document.`,
        )
      if (code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw problem(
          'too_much_work',
          `Creating ${fileName} requires too much memory. Shorten the text in the document.`,
        )
      throw error
    } finally {
      this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref()
    }
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = null
  }
}

// Ten times the time of the longest useful documents.
const MAX_DRAWING_MS = 10_000
// The thread and the library use 60 MB, so an idle thread ends.
const IDLE_MS = 60_000
const MAX_MEGABYTES = 256

function startWorker(): Worker {
  const worker = new Worker(new URL('./drawing-thread.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  })
  // The caller that waits for the document handles its errors. Without a listener, an error would end the process.
  worker.on('error', () => {})
  worker.unref()
  return worker
}
