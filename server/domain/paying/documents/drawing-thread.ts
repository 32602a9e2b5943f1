import { problem } from '../../../platform/problems/problem.ts'
import { WorkerLimitExceededError, WorkerThread } from '../../../platform/runtime/worker-thread.ts'

/** A module that exports `drawDocument`, which draws documents of one kind from sheets of this type. */
export interface Drawing<Sheet extends object> {
  readonly module: string
  readonly drawDocument: (sheet: Sheet) => Promise<Uint8Array>
}

export interface DrawingRequest {
  fileName: string
  /** The URL of a module that exports `drawDocument`. */
  module: string
  /** The sheet as JSON. */
  sheet: string
}

/**
 * Draws documents in a separate thread, one after the other, so that a long document does not delay requests. A
 * document that takes too much time or memory ends the thread; the next document starts a new thread.
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

  /** Returns the document. Throws `too_much_work` if the document exceeds the limits on pages, time, or memory. */
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

// Ten times the time that the longest useful documents take.
const MAX_DRAWING_MS = 10_000
// The thread and the library use 60 MB, so an idle thread ends.
const IDLE_MS = 60_000
const MAX_MEGABYTES = 256
