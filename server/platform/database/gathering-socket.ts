import { Socket } from 'node:net'

/**
 * A socket that sends all data written in one turn of the event loop together. A statement and the messages sent ahead
 * of it then need only one system call, and wake the server only once.
 */
export class GatheringSocket extends Socket {
  #isGathering = false

  constructor() {
    super()
    // `connect` restores the method of the prototype, so an override in this class would never be called.
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
