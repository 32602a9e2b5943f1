import { Socket } from 'node:net'

/**
 * A socket that sends all data that is written in one turn of the event loop at once. As a result, a statement and the
 * messages that precede it need only one system call, and wake the server only once.
 */
export class GatheringSocket extends Socket {
  #isGathering = false

  constructor() {
    super()
    // `connect` resets `write` to the method of the prototype, so the method can be overridden only after it.
    this.once('connect', () => {
      const write = this.write.bind(this) as (...provided: unknown[]) => boolean
      this.write = (...provided: unknown[]) => {
        this.#gather()
        return write(...provided)
      }
    })
  }

  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.uncork()
    })
  }
}
