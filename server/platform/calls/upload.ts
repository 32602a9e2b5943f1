import type { IncomingMessage } from 'node:http'
import { problem } from '../problems/problem.ts'
import { formatNumber } from '../values/format.ts'

/** The body of a request that is a file: not read yet, and never in memory as a whole. */
export class Upload {
  readonly #request: IncomingMessage
  readonly #mostBytes: number

  /** Throws `payload_too_large` if the request already says that it is. */
  constructor(request: IncomingMessage, mostBytes: number) {
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes)
    this.#request = request
    this.#mostBytes = mostBytes
  }

  /** The bytes as they arrive; throws as soon as there are too many. */
  async *chunks(): AsyncGenerator<Buffer> {
    let size = 0
    try {
      // The socket is still needed for the refusal, so leaving the loop must not destroy it.
      for await (const chunk of this.#request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > this.#mostBytes) break
        yield chunk
      }
    } catch {
      throw problem('malformed_request', 'The request body ended early. Send the whole file again.')
    }
    if (size > this.#mostBytes) throw tooLarge(this.#mostBytes)
  }
}

/** A file that has arrived in full, in a temporary place of this process. */
export interface Arrived {
  readonly path: string
  readonly size: number
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string
  /** Removes it, unless it was moved away. */
  discard(): Promise<void>
}

export function isBytes(type: string | undefined): boolean {
  return type?.toLowerCase() === 'application/octet-stream'
}

export function tooLarge(mostBytes: number) {
  return problem('payload_too_large', `The request body exceeds the limit of ${formatNumber(mostBytes)} bytes.`)
}
