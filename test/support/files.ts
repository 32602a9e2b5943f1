import { createHash, randomBytes } from 'node:crypto'
import type { TestPlumbline } from './test-plumbline.ts'

/** Returns a unique PDF of the given size in bytes. */
export function createPdf(bytes = 200): Buffer {
  const start = Buffer.from('%PDF-1.4\n')
  return Buffer.concat([start, randomBytes(Math.max(0, bytes - start.length))])
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export interface Upload {
  recordId: string
  fileName?: string
  shared?: boolean
  key?: string
  headers?: Record<string, string>
}

/** Uploads a file unchanged. */
export async function uploadFile(
  plumbline: TestPlumbline,
  bytes: Uint8Array | ReadableStream,
  { recordId, fileName = 'Plan.pdf', shared, key = plumbline.key, headers = {} }: Upload,
) {
  const query = new URLSearchParams({ recordId, fileName, ...(shared !== undefined && { shared: String(shared) }) })
  return sendBytes(`${plumbline.url}/api/ext/attachments?${query}`, bytes, { key, headers })
}

export async function sendBytes(
  url: string,
  bytes: Uint8Array | ReadableStream,
  { key, headers = {} }: { key: string; headers?: Record<string, string> },
) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream', ...headers },
    body: bytes as NonNullable<RequestInit['body']>,
    ...(bytes instanceof ReadableStream && { duplex: 'half' }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any body.
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

/** Downloads a file and returns the response with the bytes. */
export async function downloadFile(plumbline: TestPlumbline, id: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${plumbline.url}/api/ext/attachments/${id}/content`, {
    headers: { authorization: `Bearer ${plumbline.key}`, ...headers },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
