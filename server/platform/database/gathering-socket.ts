import { Socket } from 'node:net'

type Done = (error?: Error | null) => void

/**
 * A socket that sends everything written in one turn of the event loop together. A statement and what is sent ahead of it
 * then cost one system call, and wake the server once.
 */
export class GatheringSocket extends Socket {
  #isGathering = false

  override write(chunk: string | Uint8Array, done?: Done): boolean
  override write(chunk: string | Uint8Array, encoding?: BufferEncoding, done?: Done): boolean
  override write(chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean {
    if (!this.#isGathering) {
      this.#isGathering = true
      this.cork()
      process.nextTick(() => {
        this.#isGathering = false
        this.uncork()
      })
    }
    return typeof encoding === 'function' ? super.write(chunk, encoding) : super.write(chunk, encoding, done)
  }
}
