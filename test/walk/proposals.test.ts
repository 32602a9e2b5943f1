import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { createKey } from '../../server/platform/keys/keys.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../support/populated-plumbline.ts'

/**
 * Tests that the basis of a proposal is the same in two runs if nothing has changed in between. Otherwise, nobody could
 * approve the proposal. Each write in the contract and each composite skill is proposed and then approved immediately.
 */
let populated: PopulatedPlumbline
let agent = ''
beforeAll(async () => {
  populated = await startPopulatedPlumbline('enough')
  const { database, clock, organizationId } = populated.plumbline
  agent = (await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly: true })).secret
}, 300_000)
afterAll(() => populated.stop())

const DECIDES = new Set(['approveProposal', 'refuseProposal', 'executeSkill', 'executeBatch'])

test('a proposal that is approved immediately is never rejected as changed', { timeout: 600_000 }, async () => {
  const { plumbline, world } = populated
  const refused: string[] = []
  let approved = 0
  async function decide(name: string, proposed: { status: number; body: { id: string } }): Promise<void> {
    if (proposed.status !== 202) return
    const { status, body } = await plumbline.post(`/api/ext/proposals/${proposed.body.id}/approve`)
    if (status === 200) approved++
    else refused.push(`${name} ${body.code} ${body.reason ?? ''} ${JSON.stringify(body.changed ?? body.detail)}`)
  }
  for (const operation of contract.operations.values()) {
    const { id, method, schemes, mostUploadBytes } = operation
    if (method === 'GET' || !schemes.has('apiKey') || mostUploadBytes !== null || DECIDES.has(id)) continue
    if (world.missingFor(operation) !== null) continue
    for (const body of world.bodiesOf(operation)) await decide(id, await world.send(operation, { body, key: agent }))
  }
  const skills = contract.document['x-skills'] as Record<
    string,
    { writes: boolean; examples: Record<string, { value: unknown }> }
  >
  for (const [skill, { writes, examples }] of Object.entries(skills)) {
    for (const { value } of writes ? Object.values(examples) : []) {
      const input = world.real(value)
      if (input === undefined) continue
      await decide(skill, await plumbline.post('/api/ext/execute', { skill, input }, { key: agent }))
    }
  }
  expect(refused).toEqual([])
  expect(approved).toBeGreaterThan(80)
})
