import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contract } from '../../scripts/conformance/walked-contract.ts'

/**
 * Records the operation and the response of each request, from all servers that the tests start in this process. One
 * process runs many test files, and this module is loaded once for all of them.
 */
const seenResponses = new Set<string>()

subscribe('http.server.response.finish', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const [target = ''] = (request.url ?? '').split('?', 1)
  const { operation } = contract.match(request.method ?? '', target)
  if (operation !== null) seenResponses.add(`${operation.id} ${response.statusCode}`)
})

/** Returns the responses since the last call, one line each. */
export function takeSeenResponses(): string[] {
  const lines = [...seenResponses]
  seenResponses.clear()
  return lines
}
