import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { SeededRandom } from '../../../scripts/conformance/random.ts'
import { startTestPlumbline } from '../../../test/support/plumbline.ts'
import { addDays } from '../../values/calendar.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)
const STEPS = 100

test(`whatever is activated, revised and ended, no two prices of a vendor hold at once (seed ${seed})`, async () => {
  const plumbline = await startTestPlumbline()
  const random = new SeededRandom(seed)
  const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body)
  const made = async (path: string, body: object) => (await post(path, body)).body.id as string
  try {
    const vendors = [await made('/vendors', { companyName: 'A' }), await made('/vendors', { companyName: 'B' })]
    const parts = [
      await made('/parts', { sku: 'A', name: 'A', unit: 'EA' }),
      await made('/parts', { sku: 'B', name: 'B', unit: 'EA' }),
    ]
    const communities = [await made('/communities', { name: 'A' }), await made('/communities', { name: 'B' })]
    const contracts: string[] = []
    let activations = 0
    for (let step = 0; step < STEPS; step++) {
      const effectiveDate = addDays('2100-01-01', random.between(0, 60))
      const expirationDate = random.chance(0.5) ? null : addDays(effectiveDate, random.between(0, 40))
      const dates = { effectiveDate, expirationDate }
      const vendorId = random.pick(vendors)
      const endPrevious = random.chance(0.5)
      const terms = {
        ...{ vendorId, scope: 'framing', contractType: 'material' },
        communityIds: communities.filter(() => random.chance(0.5)),
        lines: parts.filter(() => random.chance(0.7)).map((partId) => ({ partId, unitPrice: step })),
      }
      const path = `/contracts/${contracts.length === 0 ? 'none' : random.pick(contracts)}`
      const answer = await random.pick([
        () => post('/contracts', { ...terms, ...dates }),
        () => post(`${path}/status`, { status: 'active', endPrevious }),
        () => post(`${path}/status`, { status: 'active', endPrevious: true }),
        () => post(`${path}/revise`, dates),
        () => post(`${path}/status`, { status: 'terminated' }),
        () => post(`/parts/${random.pick(parts)}/prices`, { vendorId, unitPrice: step, endPrevious, ...dates }),
      ])()
      expect(answer.status).toBeLessThan(500)
      if (answer.status === 201 && answer.body.number !== undefined) contracts.push(answer.body.id)
      if (answer.body.status === 'active') activations++
    }
    const { rows } = await sql`
      select a."id", b."id" as "other" from "prices" a join "prices" b on a."id" < b."id" and a."partId" = b."partId"
        and a."vendorId" = b."vendorId" and a."communityId" is not distinct from b."communityId"
        and a."planId" is not distinct from b."planId" and a."minQuantity" = b."minQuantity"
        and a."effectiveDate" <= coalesce(b."expirationDate", 'infinity')
        and b."effectiveDate" <= coalesce(a."expirationDate", 'infinity')
      where a."archivedAt" is null and b."archivedAt" is null`.execute(plumbline.database.statements)
    expect(rows).toEqual([])
    // Otherwise this would have shown nothing.
    expect(activations).toBeGreaterThan(3)
  } finally {
    await plumbline.stop()
  }
})
