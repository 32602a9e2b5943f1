import type { IncomingMessage } from 'node:http'
import { problem } from '../problems/problem.ts'
import { formatNumber } from '../values/format.ts'

/** A request body that is a file. It has not been read yet, and is never completely in memory. */
export class Upload {
  readonly #request: IncomingMessage
  readonly #mostBytes: number

  /** Throws `payload_too_large` if Content-Length exceeds the maximum. */
  constructor(request: IncomingMessage, mostBytes: number) {
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw createFileSizeProblem(mostBytes)
    this.#request = request
    this.#mostBytes = mostBytes
  }

  /** Yields the bytes as they arrive. Throws as soon as the body exceeds the maximum. */
  async *chunks(): AsyncGenerator<Buffer> {
    let size = 0
    try {
      // Leaving the loop must not destroy the socket, which is needed for the error response.
      for await (const chunk of this.#request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > this.#mostBytes) break
        yield chunk
      }
    } catch {
      throw problem('malformed_request', 'The request body ended early. Send the whole file again.')
    }
    if (size > this.#mostBytes) throw createFileSizeProblem(this.#mostBytes)
  }
}

/** A file that has been received completely and is stored temporarily by this process. */
export interface ReceivedFile {
  readonly path: string
  readonly size: number
  /** The SHA-256 of the content in hexadecimal. */
  readonly sha256: string
  /** Deletes the file unless it has been moved. */
  discard(): Promise<void>
}

export function isBinaryType(type: string | undefined): boolean {
  return type?.toLowerCase() === 'application/octet-stream'
}

export function createFileSizeProblem(mostBytes: number) {
  return problem('payload_too_large', `The request body exceeds the limit of ${formatNumber(mostBytes)} bytes.`)
}
