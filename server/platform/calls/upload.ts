import type { IncomingMessage } from 'node:http'
import { problem } from '../problems/problem.ts'
import { formatNumber } from '../values/format.ts'

/** A request body that is a file. The body has not been read yet, and is never held in memory as a whole. */
export class Upload {
  readonly #request: IncomingMessage
  readonly #mostBytes: number

  /** Throws `payload_too_large` if the Content-Length exceeds the maximum. */
  constructor(request: IncomingMessage, mostBytes: number) {
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw createFileSizeProblem(mostBytes)
    this.#request = request
    this.#mostBytes = mostBytes
  }

  /** Yields the bytes as they arrive. Throws as soon as the body exceeds the maximum. */
  async *chunks(): AsyncGenerator<Buffer> {
    let size = 0
    try {
      // The error response still needs the socket, so leaving the loop must not destroy the socket.
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

/** A completely received file in a temporary location of this process. */
export interface ReceivedFile {
  readonly path: string
  readonly size: number
  /** SHA-256 of the content in hexadecimal. */
  readonly sha256: string
  /** Deletes the file unless it was moved. */
  discard(): Promise<void>
}

export function isBinaryType(type: string | undefined): boolean {
  return type?.toLowerCase() === 'application/octet-stream'
}

export function createFileSizeProblem(mostBytes: number) {
  return problem('payload_too_large', `The request body exceeds the limit of ${formatNumber(mostBytes)} bytes.`)
}
