import { request } from 'node:http'
import { ANSWER_MS, type Answer, type RequestOptions, read, written } from '../../scripts/conformance/service.ts'

/**
 * Sends one request to a service of these tests. By `fetch`, which the conformance command uses, it would take three times
 * as long, and all tests send theirs through here. Redirects are not followed.
 */
export function ask(
  baseUrl: string,
  method: string,
  target: string,
  body?: unknown,
  options?: RequestOptions,
): Promise<Answer> {
  const { headers, body: text } = written(body, options)
  return new Promise((done, fail) => {
    const sent = request(baseUrl + target, { method, headers, timeout: ANSWER_MS }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        done(read(response.statusCode ?? 0, headersOf(response.rawHeaders), utf8.decode(Buffer.concat(chunks))))
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${target} was not answered.`)))
    sent.on('error', fail)
    sent.end(text)
  })
}

const utf8 = new TextDecoder()

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] ?? '', raw[i + 1] ?? '')
  return headers
}
