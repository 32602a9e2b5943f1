import { pino } from 'pino'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../test/support/test-plumbline.ts'
import { type Contract, loadContract, type Method, readContract } from './platform/calls/contract.ts'

/** Tests that every validator is compiled soon after startup, so that no request has to wait for its validator. */
let plumbline: TestPlumbline | null = null
afterEach(() => plumbline?.stop())

// Compilation does not depend on the database, so one database is enough.
test.skipIf(inject('postgres') !== null)(
  'a schema that cannot be compiled is reported before any request',
  { timeout: 150_000 },
  async () => {
    const lines: { operation: string; msg: string; err: { message: string } }[] = []
    const log = pino({ level: 'fatal' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const { contract, operationId } = brokenAtItsEnd()
    plumbline = await startTestPlumbline({ CHECK_ANSWERS: 'false', COMPILE_AHEAD: 'true' }, { contract, log })
    await vi.waitFor(() => expect(lines).not.toEqual([]), { timeout: 120_000, interval: 50 })
    expect(lines).toMatchObject([{ msg: 'could not prepare the contract' }])
    expect(lines[0]?.err.message).toContain(`The validator rejects ${operationId}`)
  },
)

/** Returns a contract with a schema that cannot be compiled: the body of the last operation that has a body. */
function brokenAtItsEnd(): { contract: Contract; operationId: string } {
  const { document, operations } = loadContract()
  const last = [...operations.values()].findLast(({ takesBody }) => takesBody)
  if (last === undefined) throw new Error('No operation of the contract takes a body.')
  const method = last.method.toLowerCase() as Lowercase<Method>
  const body = document.paths[last.path]?.[method]?.requestBody?.content['application/json']
  if (body === undefined) throw new Error(`${last.id} has no JSON body.`)
  body.schema = { type: 'nonsense' }
  return { contract: readContract(document), operationId: last.id }
}
