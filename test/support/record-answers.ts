import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { afterAll } from 'vitest'
import { contract } from '../../scripts/conformance/contract.ts'

/**
 * Notes in every test file which answer of which operation went out, from whatever server the file starts in its own
 * process; when the whole suite has run, seen-answers.ts compares that with what the contract declares.
 */
const seen = new Set<string>()

subscribe('http.server.response.finish', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const [target = ''] = (request.url ?? '').split('?', 1)
  const { operation } = contract.match(request.method ?? '', target)
  if (operation !== null) seen.add(`${operation.id} ${response.statusCode}`)
})

afterAll(() => {
  const folder = process.env.SEEN_ANSWERS
  if (folder !== undefined) appendFileSync(path.join(folder, `${process.pid}.txt`), [...seen, ''].join('\n'))
})
