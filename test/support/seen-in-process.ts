import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contract } from '../../scripts/conformance/walked-contract.ts'

/**
 * Records the operation and the response of each request, on all servers that tests start in this process. A process
 * runs many test files but loads this module only once.
 */
const seenResponses = new Set<string>()

subscribe('http.server.response.finish', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const [target = ''] = (request.url ?? '').split('?', 1)
  const { operation } = contract.match(request.method ?? '', target)
  if (operation !== null) seenResponses.add(`${operation.id} ${response.statusCode}`)
})

/** Returns the responses since the last call, one on each line. */
export function takeSeenResponses(): string[] {
  const lines = [...seenResponses]
  seenResponses.clear()
  return lines
}
