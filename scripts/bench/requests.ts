import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Service } from '../processes/service.ts'
import type { Load, LoadResult } from './load.ts'

/** Creates a record and returns its ID. */
export async function createRecord(service: Service, key: string, target: string, body: unknown): Promise<string> {
  const response = await fetch(service.url + target, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${target} returned ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/** Returns a request in the form in which it is sent. */
export function toRawRequest(method: string, target: string, key: string, body?: unknown, headers = ''): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const length =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n${headers}${length}\r\n${text}`
}

/** Sends the requests in turn over several connections for the given time. */
export function generateLoad(
  service: Service,
  { connections, requests }: Pick<Load, 'connections' | 'requests'>,
  seconds: number,
): Promise<LoadResult> {
  return generateLoadInProcess([], { port: Number(new URL(service.url).port), requests, connections, seconds })
}

/**
 * Generates load on a URL from a separate process. If `command` is not empty, it starts the process, for example to
 * assign it to a core.
 */
export function generateLoadInProcess(command: readonly string[], load: Load): Promise<LoadResult> {
  const [program = '', ...rest] = [...command, process.execPath, path.join(import.meta.dirname, 'load.ts')]
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  return new Promise((done, fail) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    child.once('error', fail)
    child.once('close', (code) =>
      code === 0 ? done(JSON.parse(output) as LoadResult) : fail(new Error(`The load ended with ${code}.`)),
    )
    child.stdin.end(JSON.stringify(load))
  })
}
