import { problem } from '../../../platform/problems/problem.ts'
import { WorkerLimitExceededError, WorkerThread } from '../../../platform/runtime/worker-thread.ts'

/** A module that exports `drawDocument`, which draws one kind of document from sheets of the type `Sheet`. */
export interface Drawing<Sheet extends object> {
  readonly module: string
  readonly drawDocument: (sheet: Sheet) => Promise<Uint8Array>
}

export interface DrawingRequest {
  fileName: string
  /** The URL of a module that exports `drawDocument`. */
  module: string
  /** The data of the document as JSON. */
  sheet: string
}

/**
 * Draws documents in a separate thread, so that a long document does not delay requests. Draws only one document at a
 * time. If a document exceeds the time or memory limit, the thread ends, and the next document starts a new thread.
 */
export class DrawingThread {
  readonly #mostMs: number
  readonly #thread: WorkerThread

  constructor({ mostMs = MAX_DRAWING_MS, idleMs = IDLE_MS }: { mostMs?: number; idleMs?: number } = {}) {
    this.#mostMs = mostMs
    this.#thread = new WorkerThread(new URL('./drawing-thread.js', import.meta.url), {
      mostMs,
      idleMs,
      maxMegabytes: MAX_MEGABYTES,
    })
  }

  /** Returns the document. Throws `too_much_work` if the document exceeds the limit on pages, time, or memory. */
  async draw({ fileName, module, sheet }: DrawingRequest): Promise<Buffer> {
    const answer = await this.#thread.send({ module, sheet }).catch((error: unknown) => {
      if (!(error instanceof WorkerLimitExceededError)) throw error
      throw problem(
        'too_much_work',
        error.limit === 'time'
          ? `Creating ${fileName} takes more than ${this.#mostMs / 1000} seconds. Shorten the text in the document.`
          : `Creating ${fileName} requires too much memory. Shorten the text in the document.`,
      )
    })
    const drawn = answer as { bytes: Uint8Array } | { tooManyPages: number }
    if ('tooManyPages' in drawn)
      throw problem(
        'too_much_work',
        `${fileName} would have more than ${drawn.tooManyPages} pages. Shorten the text in the document.`,
      )
    return Buffer.from(drawn.bytes)
  }
}

// Ten times the duration of the longest documents of practical use.
const MAX_DRAWING_MS = 10_000
// The thread and the library use 60 MB, so the thread ends when it has been idle for this time.
const IDLE_MS = 60_000
const MAX_MEGABYTES = 256
